-- From the tables of 'interlock 1', or of 'interlock 2' to 'interlock 5', which differ in functions only.
-- functions.sql and counted.sql follow, in the same transaction. Locks that are held or awaited stay so, and
-- clients of before that are open go on: what they call is still there.

-- Whoever waits behind a change of a table keeps all others waiting: not for longer than this, or leases
-- would run out while a backup reads the table.
SET LOCAL lock_timeout = '2s';

ALTER TABLE ${prefix}lock ADD COLUMN IF NOT EXISTS counted int NOT NULL DEFAULT 0;
ALTER TABLE ${prefix}entry
  ADD COLUMN IF NOT EXISTS units int NOT NULL DEFAULT 1,
  ADD COLUMN IF NOT EXISTS capacity int NOT NULL DEFAULT 1,
  ADD COLUMN IF NOT EXISTS token bigint NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS stay_us bigint NOT NULL DEFAULT 0;

DROP FUNCTION IF EXISTS ${prefix}renew, ${prefix}waits, ${prefix}force, ${prefix}append, ${prefix}operate, ${prefix}give_back,
  ${prefix}take, ${prefix}tell,
  ${prefix}settle, ${prefix}serve, ${prefix}summon, ${prefix}enter, ${prefix}room, ${prefix}lapse, ${prefix}raised,
  ${prefix}appoint, ${prefix}grace, ${prefix}heirs, ${prefix}claimed, ${prefix}save,
  ${prefix}lock_row, ${prefix}now;
DROP TYPE ${prefix}answer;

-- What clients of 'interlock 3' call. Procedures are replaced and not dropped: servers before 14.10, 15.5 and
-- 16.1 go on looking for the old one where a session has the call prepared.
CREATE OR REPLACE PROCEDURE ${prefix}release(asked bytea, me bigint, ids bigint[], OUT held boolean,
  OUT grant_client bigint, OUT grant_hold bigint, OUT grant_token bigint, OUT grant_tokens int,
  OUT grant_us bigint, OUT heirs bigint[], OUT also bigint[], OUT told boolean) LANGUAGE plpgsql AS $$
DECLARE
  x int;
  y bigint;
BEGIN
  CALL ${prefix}release_all(asked, me, ids, NULL, NULL, NULL, NULL, NULL, NULL, held, x, y, x, y,
    grant_client, grant_hold, grant_token, grant_tokens, grant_us, heirs, also, told);
END $$;
