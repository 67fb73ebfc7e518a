-- The tables and functions of lock-postgres, for PostgreSQL 14 and later.
--
-- Apply this file with Flyway, Liquibase or by hand, or open the client once with ?schema=create.
-- ${prefix} stands for the option tablePrefix, "interlock_" unless set otherwise. All columns that
-- end in _us are microseconds since 1970, by the server's clock.
--
-- Whoever changes a lock or its queue holds the lock's row (SELECT ... FOR UPDATE), and reads the
-- clock after that. Each statement of a function has a snapshot of its own under READ COMMITTED, so
-- what a function reads behind the row lock is up to date. The README tells for each function what
-- happens if the client dies, if the answer is lost, and if it runs twice or late.

-- One row for each lock that is held or awaited, and a bounded number of rows of locks that are free.
-- No index names a column that changes, and pages have room: an update stays on its page.
CREATE TABLE ${prefix}lock (
  lock_key    bytea    PRIMARY KEY,          -- namespace, colon, name, in UTF-8
  bucket      smallint NOT NULL,             -- from 0 to 63, computed from lock_key
  client      bigint   NOT NULL DEFAULT 0,   -- upper half of the hold id
  hold        bigint   NOT NULL DEFAULT 0,   -- lower half of the hold id
  owner       bytea    NOT NULL DEFAULT '',  -- in UTF-8; for people, and for shared owners
  shared      boolean  NOT NULL DEFAULT false, -- the same owner may enter beside it
  host        bytea    NOT NULL DEFAULT '',  -- host name and process id, for people
  since_us    bigint   NOT NULL DEFAULT 0,   -- when the hold began
  until_us    bigint   NOT NULL DEFAULT 0,   -- when the lease ends: free from then on, 0 if released
  token       bigint   NOT NULL DEFAULT 0,   -- first fencing token of the hold
  tokens      int      NOT NULL DEFAULT 1,   -- how many tokens the hold has
  last_token  bigint   NOT NULL DEFAULT 0,   -- the largest token ever given out
  claimant    bigint   NOT NULL DEFAULT 0,   -- client that has not confirmed its grant
  ticket      bigint   NOT NULL DEFAULT 0,   -- the entry of that grant, which keeps its place
  next_ticket bigint   NOT NULL DEFAULT 1,   -- of the next entry
  entries     int      NOT NULL DEFAULT 0    -- how many rows of the entry table it has
) WITH (fillfactor = 40);

CREATE INDEX ${prefix}lock_by_bucket ON ${prefix}lock (bucket);

-- Those who wait, in the order of their tickets, and the further holds of a shared owner.
CREATE TABLE ${prefix}entry (
  lock_key    bytea    NOT NULL,
  waits       boolean  NOT NULL,             -- false for a further hold
  ticket      bigint   NOT NULL,
  client      bigint   NOT NULL,
  hold        bigint   NOT NULL,
  owner       bytea    NOT NULL,
  shared      boolean  NOT NULL,
  host        bytea    NOT NULL,
  since_us    bigint   NOT NULL,
  until_us    bigint   NOT NULL,             -- gone unless refreshed before
  lease_us    bigint   NOT NULL,             -- the lease it gets once granted
  tokens      int      NOT NULL,             -- the fencing tokens it gets once granted
  asleep      boolean  NOT NULL DEFAULT false, -- its client let a grant lapse, until it returns
  PRIMARY KEY (lock_key, waits, ticket)
) WITH (fillfactor = 70);

CREATE UNIQUE INDEX ${prefix}entry_by_hold ON ${prefix}entry (hold, client, lock_key);

-- What remains of rows that were removed: their largest token.
CREATE TABLE ${prefix}counter (
  bucket      smallint PRIMARY KEY,
  last_token  bigint   NOT NULL DEFAULT 0,   -- at least every token of a removed row
  lock_rows   int      NOT NULL DEFAULT 0    -- how many lock rows the bucket has
) WITH (fillfactor = 40);

-- What a function did to a lock.
CREATE TYPE ${prefix}answer AS (
  held          boolean, -- whether the hold that was given up was there
  state         int,     -- of the id that was asked for: 0 nothing, 1 holds, 2 waits
  token         bigint,  -- if it holds
  tokens        int,     -- if it holds
  remaining_us  bigint,  -- how long the lock is held at the most
  grant_client  bigint,  -- who was granted the lock in this step from the queue: the two halves of
  grant_hold    bigint,  -- the id, or null
  grant_token   bigint,
  grant_tokens  int,
  grant_us      bigint,  -- for how long, unless it is confirmed
  heirs         bigint[], -- if this client has the lock from the queue: lower halves of the ids behind
  victims       text     -- of a forced release: ids in hexadecimal digits, separated by blanks
);

CREATE FUNCTION ${prefix}now() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  RETURN EXTRACT(epoch FROM CLOCK_TIMESTAMP()) * 1000000;
END $$;

-- Takes the row lock; adds the row if there is none. Then the bucket's counter is locked first, so that
-- no two inserts of one row meet, and up to four rows of locks that are free go if there are many.
CREATE FUNCTION ${prefix}lock_row(asked bytea) RETURNS ${prefix}lock LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
  r ${prefix}lock;
  c ${prefix}counter;
  b int := GET_BYTE(SHA256(asked), 0) & 63;
  at_us bigint;
  gone bytea[];
  largest bigint;
BEGIN
  IF CURRENT_SETTING('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'locks need READ COMMITTED and not %', CURRENT_SETTING('transaction_isolation')
      USING ERRCODE = 'invalid_transaction_state';
  END IF;
  SELECT * INTO r FROM ${prefix}lock WHERE lock_key = asked FOR UPDATE;
  IF FOUND THEN
    RETURN r;
  END IF;
  LOOP
    SELECT * INTO c FROM ${prefix}counter WHERE bucket = b FOR UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO ${prefix}counter (bucket) VALUES (b) ON CONFLICT DO NOTHING;
  END LOOP;
  SELECT * INTO r FROM ${prefix}lock WHERE lock_key = asked FOR UPDATE;
  IF FOUND THEN
    RETURN r;
  END IF;
  INSERT INTO ${prefix}lock (lock_key, bucket, last_token) VALUES (asked, b, c.last_token)
  RETURNING * INTO r;
  IF c.lock_rows >= 16 THEN
    at_us := ${prefix}now();
    -- A lock whose last waiter died a minute ago counts as free. Whoever comes to it meanwhile holds it
    -- afterwards: its new row does not match any more.
    WITH spare AS (
      SELECT l.lock_key FROM ${prefix}lock l
      WHERE l.bucket = b AND l.lock_key <> asked AND l.until_us <= at_us
        AND (l.entries = 0 OR l.until_us <= at_us - 60000000 AND NOT EXISTS (
          SELECT FROM ${prefix}entry e
          WHERE e.lock_key = l.lock_key AND e.until_us > at_us - 60000000))
      LIMIT 4 FOR UPDATE SKIP LOCKED),
    dropped AS (
      DELETE FROM ${prefix}lock l USING spare WHERE l.lock_key = spare.lock_key
      RETURNING l.lock_key, l.last_token)
    SELECT ARRAY_AGG(d.lock_key), MAX(d.last_token) INTO gone, largest FROM dropped d;
    DELETE FROM ${prefix}entry WHERE lock_key = ANY (gone);
  END IF;
  UPDATE ${prefix}counter SET last_token = GREATEST(last_token, largest),
    lock_rows = lock_rows + 1 - COALESCE(CARDINALITY(gone), 0)
  WHERE bucket = b;
  RETURN r;
END $$;

-- Writes the row if it changed: a batch may come to one lock many times, and each version of a row stays
-- where the next one has to be found behind it until the transaction ends.
CREATE FUNCTION ${prefix}save(r ${prefix}lock, before ${prefix}lock) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off AS $$
BEGIN
  IF r IS NOT DISTINCT FROM before THEN
    RETURN;
  END IF;
  UPDATE ${prefix}lock SET client = r.client, hold = r.hold, owner = r.owner, shared = r.shared,
    host = r.host, since_us = r.since_us, until_us = r.until_us, token = r.token,
    tokens = r.tokens, last_token = r.last_token, claimant = r.claimant, ticket = r.ticket,
    next_ticket = r.next_ticket, entries = r.entries
  WHERE lock_key = r.lock_key;
END $$;

-- Removes the entry of a grant that was confirmed or given up.
CREATE FUNCTION ${prefix}claimed(INOUT r ${prefix}lock) LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
  n int;
BEGIN
  IF r.ticket > 0 THEN
    DELETE FROM ${prefix}entry WHERE lock_key = r.lock_key AND waits AND ticket = r.ticket;
    GET DIAGNOSTICS n = ROW_COUNT;
    r.entries := r.entries - n;
  END IF;
  r.ticket := 0;
  r.claimant := 0;
END $$;

-- The waiters of one client that stand directly behind a ticket, with nobody between.
CREATE FUNCTION ${prefix}heirs(asked bytea, behind bigint, whose bigint, most int) RETURNS bigint[]
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  e record;
  heirs bigint[] := '{}';
BEGIN
  FOR e IN SELECT client, hold FROM ${prefix}entry
    WHERE lock_key = asked AND waits AND ticket > behind ORDER BY ticket LIMIT most
  LOOP
    EXIT WHEN e.client <> whose;
    heirs := heirs || e.hold;
  END LOOP;
  RETURN heirs;
END $$;

-- Frees what has expired, and grants a free lock to the oldest further hold of its owner, else to the
-- first live waiter. A waiter of another client than the one that asks has two seconds to confirm;
-- if it does not, its entry keeps its place, but all entries of its client are passed over until it
-- shows itself. So a dead client with many waiters costs two seconds once. A grant has a token for each
-- of its heirs, at most 31, to whom the client may pass the lock.
CREATE FUNCTION ${prefix}settle(INOUT r ${prefix}lock, at_us bigint, me bigint, OUT heirs bigint[])
LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
  e ${prefix}entry;
  n int;
  grace_us bigint := 0;
BEGIN
  IF r.until_us > 0 AND r.until_us <= at_us THEN
    IF r.claimant NOT IN (0, me) THEN
      UPDATE ${prefix}entry SET asleep = true
      WHERE lock_key = r.lock_key AND waits AND client = r.claimant;
    END IF;
    r.until_us := 0;
    r.claimant := 0;
    r.ticket := 0;
  END IF;
  IF r.entries = 0 THEN
    RETURN;
  END IF;
  DELETE FROM ${prefix}entry WHERE lock_key = r.lock_key AND NOT waits AND until_us <= at_us;
  GET DIAGNOSTICS n = ROW_COUNT;
  r.entries := r.entries - n;
  IF r.until_us > 0 THEN
    RETURN;
  END IF;
  SELECT * INTO e FROM ${prefix}entry WHERE lock_key = r.lock_key AND NOT waits
  ORDER BY ticket LIMIT 1;
  IF FOUND THEN
    DELETE FROM ${prefix}entry WHERE lock_key = r.lock_key AND NOT waits AND ticket = e.ticket;
    r.client := e.client;
    r.hold := e.hold;
    r.owner := e.owner;
    r.shared := e.shared;
    r.host := e.host;
    r.since_us := e.since_us;
    r.until_us := e.until_us;
    r.tokens := 1;
    r.entries := r.entries - 1;
    RETURN;
  END IF;
  -- Nobody could give a sign of life while the server was down.
  IF CLOCK_TIMESTAMP() < PG_POSTMASTER_START_TIME() + INTERVAL '3 s' THEN
    grace_us := 30000000;
  END IF;
  FOR e IN SELECT * FROM ${prefix}entry WHERE lock_key = r.lock_key AND waits ORDER BY ticket LOOP
    IF e.until_us + grace_us <= at_us THEN
      DELETE FROM ${prefix}entry WHERE lock_key = r.lock_key AND waits AND ticket = e.ticket;
      r.entries := r.entries - 1;
    ELSIF e.client = me OR NOT e.asleep THEN
      r.client := e.client;
      r.hold := e.hold;
      r.owner := e.owner;
      r.shared := e.shared;
      r.host := e.host;
      r.since_us := at_us;
      r.token := GREATEST(r.last_token + 1, at_us);
      heirs := ${prefix}heirs(r.lock_key, e.ticket, e.client, 31);
      r.tokens := GREATEST(e.tokens, 1 + CARDINALITY(heirs));
      r.last_token := r.token + r.tokens - 1;
      r.ticket := e.ticket;
      IF e.client = me THEN
        r := ${prefix}claimed(r);
        r.until_us := at_us + e.lease_us;
      ELSE
        r.claimant := e.client;
        r.until_us := at_us + LEAST(e.lease_us, 2000000);
      END IF;
      RETURN;
    END IF;
  END LOOP;
  -- Those that are left are asleep; or somebody emptied the table by hand.
  SELECT COUNT(*) INTO r.entries FROM ${prefix}entry WHERE lock_key = r.lock_key;
END $$;

-- What a step did: who has the lock from the queue since the row was read.
CREATE FUNCTION ${prefix}tell(r ${prefix}lock, last_before bigint, at_us bigint, heirs bigint[])
RETURNS ${prefix}answer LANGUAGE plpgsql AS $$
DECLARE
  a ${prefix}answer;
BEGIN
  a.held := false;
  a.state := 0;
  a.heirs := heirs;
  a.remaining_us := GREATEST(0, r.until_us - at_us);
  IF r.last_token > last_before THEN
    a.grant_client := r.client;
    a.grant_hold := r.hold;
    a.grant_token := r.token;
    a.grant_tokens := r.tokens;
    a.grant_us := r.until_us - at_us;
  END IF;
  RETURN a;
END $$;

-- What a client wants of a lock: to give up what has one of the ids, to get it, or first the one and
-- then the other. The first id is the hold that is released; if it is not there, nothing is attempted.
-- Those who waited before are served first.
CREATE FUNCTION ${prefix}operate(asked bytea, me bigint, ids bigint[], id bigint, who bytea,
  shares boolean, at_host bytea, lease bigint, wanted int, stay bigint)
RETURNS ${prefix}answer LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
  r ${prefix}lock;
  at_us bigint;
  before ${prefix}lock;
  settled record;
  held boolean := false;
  n int;
  first int;
  a ${prefix}answer;
BEGIN
  a.held := false;
  a.state := 0;
  -- The usual case: nobody waits, and one update says it all. Where it waits for the row lock the clock
  -- is read too early, which makes a lease shorter, and never longer than the client counts.
  at_us := ${prefix}now();
  IF ids IS NULL THEN
    UPDATE ${prefix}lock SET client = me, hold = id, owner = who, shared = shares, host = at_host,
      since_us = at_us, until_us = at_us + lease, token = GREATEST(last_token + 1, at_us),
      tokens = wanted, last_token = GREATEST(last_token + 1, at_us) + wanted - 1, claimant = 0,
      ticket = 0
    WHERE lock_key = asked AND until_us <= at_us AND entries = 0
    RETURNING token INTO a.token;
    IF FOUND THEN
      a.state := 1;
      a.tokens := wanted;
      a.remaining_us := lease;
      RETURN a;
    END IF;
  ELSIF id IS NULL THEN
    UPDATE ${prefix}lock SET until_us = 0, claimant = 0, ticket = 0
    WHERE lock_key = asked AND client = me AND hold = ids[1] AND until_us > at_us AND entries = 0;
    IF FOUND THEN
      a.held := true;
      RETURN a;
    END IF;
  END IF;
  IF ids IS NULL THEN
    r := ${prefix}lock_row(asked);
  ELSE
    SELECT * INTO r FROM ${prefix}lock WHERE lock_key = asked FOR UPDATE;
    IF NOT FOUND THEN
      RETURN a;
    END IF;
  END IF;
  at_us := ${prefix}now();
  before := r;
  IF r.until_us > 0 AND r.client = me AND r.hold = ANY (ids) THEN
    held := r.hold = ids[1] AND r.until_us > at_us;
    r := ${prefix}claimed(r);
    r.until_us := 0;
  END IF;
  IF r.entries > 0 AND ids IS NOT NULL THEN
    WITH gone AS (
      DELETE FROM ${prefix}entry
      WHERE hold = ANY (ids) AND client = me AND lock_key = asked
      RETURNING hold, waits, until_us)
    SELECT COUNT(*), COUNT(*) FILTER (WHERE hold = ids[1] AND NOT waits AND until_us > at_us)
    INTO n, first FROM gone;
    r.entries := r.entries - n;
    held := held OR first > 0;
  END IF;
  settled := ${prefix}settle(r, at_us, me);
  r := settled.r;
  a := ${prefix}tell(r, before.last_token, at_us, settled.heirs);
  a.held := held;
  IF id IS NULL OR ids IS NOT NULL AND NOT held THEN
    NULL;
  ELSIF r.until_us > 0 AND r.client = me AND r.hold = id THEN
    r := ${prefix}claimed(r);
    r.until_us := GREATEST(r.until_us, at_us + lease);
    a.state := 1;
    a.token := r.token;
    a.tokens := r.tokens;
    a.remaining_us := r.until_us - at_us;
    a.grant_client := NULL;
  ELSIF r.until_us = 0 THEN
    DELETE FROM ${prefix}entry WHERE hold = id AND client = me AND lock_key = asked;
    GET DIAGNOSTICS n = ROW_COUNT;
    r.entries := r.entries - n;
    r.client := me;
    r.hold := id;
    r.owner := who;
    r.shared := shares;
    r.host := at_host;
    r.since_us := at_us;
    r.until_us := at_us + lease;
    r.token := GREATEST(r.last_token + 1, at_us);
    r.tokens := wanted;
    r.last_token := r.token + wanted - 1;
    a.state := 1;
    a.token := r.token;
    a.tokens := r.tokens;
    a.remaining_us := lease;
  ELSIF shares AND r.shared AND r.owner = who THEN
    INSERT INTO ${prefix}entry AS e (lock_key, waits, ticket, client, hold, owner, shared, host,
      since_us, until_us, lease_us, tokens)
    VALUES (asked, false, r.next_ticket, me, id, who, shares, at_host, at_us, at_us + lease, lease,
      wanted)
    ON CONFLICT (hold, client, lock_key) DO UPDATE
    SET waits = false, until_us = CASE WHEN e.waits THEN at_us + lease
      ELSE GREATEST(e.until_us, at_us + lease) END
    RETURNING (xmax = 0)::int INTO n;
    r.entries := r.entries + n;
    r.next_ticket := r.next_ticket + 1;
    a.state := 1;
    a.token := r.token;
    a.tokens := 1;
  ELSIF stay > 0 THEN
    UPDATE ${prefix}entry SET until_us = GREATEST(until_us, at_us + stay), lease_us = lease,
      tokens = wanted, asleep = false
    WHERE hold = id AND client = me AND lock_key = asked;
    a.state := 2;
    IF NOT FOUND THEN
      INSERT INTO ${prefix}entry (lock_key, waits, ticket, client, hold, owner, shared, host,
        since_us, until_us, lease_us, tokens)
      VALUES (asked, true, r.next_ticket, me, id, who, shares, at_host, at_us, at_us + stay, lease,
        wanted);
      r.next_ticket := r.next_ticket + 1;
      r.entries := r.entries + 1;
    END IF;
  END IF;
  PERFORM ${prefix}save(r, before);
  RETURN a;
END $$;

-- Takes the lock from all who hold it with a token. A successor has other tokens, and is spared.
CREATE FUNCTION ${prefix}force(asked bytea, me bigint, asked_token bigint)
RETURNS ${prefix}answer LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  r ${prefix}lock;
  at_us bigint;
  before ${prefix}lock;
  n int;
  others text;
  robbed text;
  settled record;
  a ${prefix}answer;
BEGIN
  SELECT * INTO r FROM ${prefix}lock WHERE lock_key = asked FOR UPDATE;
  a.state := 0;
  IF NOT FOUND THEN
    RETURN a;
  END IF;
  at_us := ${prefix}now();
  before := r;
  IF r.until_us > at_us AND asked_token >= r.token AND asked_token < r.token + r.tokens THEN
    WITH gone AS (
      DELETE FROM ${prefix}entry WHERE lock_key = asked AND NOT waits RETURNING client, hold)
    SELECT COUNT(*), STRING_AGG(LPAD(TO_HEX(client), 16, '0') || LPAD(TO_HEX(hold), 16, '0'), ' ')
    INTO n, others FROM gone;
    robbed := CONCAT_WS(
      ' ', LPAD(TO_HEX(r.client), 16, '0') || LPAD(TO_HEX(r.hold), 16, '0'), others);
    r.entries := r.entries - n;
    r := ${prefix}claimed(r);
    r.until_us := 0;
  END IF;
  settled := ${prefix}settle(r, at_us, me);
  r := settled.r;
  PERFORM ${prefix}save(r, before);
  a := ${prefix}tell(r, before.last_token, at_us, settled.heirs);
  a.victims := robbed;
  RETURN a;
END $$;

-- Makes a hold last, or keeps a waiter in the queue. A waiter that is fresh, behind a holder that is
-- alive, is only read.
CREATE FUNCTION ${prefix}renew(asked bytea, me bigint, id bigint, lease bigint, least_token bigint)
RETURNS ${prefix}answer LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  r ${prefix}lock;
  e ${prefix}entry;
  at_us bigint;
  before ${prefix}lock;
  settled record;
  a ${prefix}answer;
BEGIN
  SELECT * INTO r FROM ${prefix}lock WHERE lock_key = asked;
  a.state := 0;
  IF NOT FOUND THEN
    RETURN a;
  END IF;
  at_us := ${prefix}now();
  IF r.until_us > at_us AND NOT (r.client = me AND r.hold = id) THEN
    SELECT * INTO e FROM ${prefix}entry WHERE hold = id AND client = me AND lock_key = asked;
    IF FOUND AND e.waits AND NOT e.asleep AND e.until_us > at_us + 7000000
      AND e.lease_us = lease THEN
      a.state := 2;
      a.remaining_us := r.until_us - at_us;
      RETURN a;
    END IF;
  END IF;
  SELECT * INTO r FROM ${prefix}lock WHERE lock_key = asked FOR UPDATE;
  IF NOT FOUND THEN
    RETURN a;
  END IF;
  at_us := ${prefix}now();
  before := r;
  -- Whoever asks is alive, before the queue is served.
  UPDATE ${prefix}entry SET asleep = false, lease_us = CASE WHEN waits THEN lease ELSE lease_us END,
    until_us = CASE WHEN waits THEN GREATEST(until_us, at_us + 10000000)
      WHEN until_us > at_us THEN GREATEST(until_us, at_us + lease) ELSE until_us END
  WHERE hold = id AND client = me AND lock_key = asked;
  settled := ${prefix}settle(r, at_us, me);
  r := settled.r;
  a := ${prefix}tell(r, before.last_token, at_us, settled.heirs);
  IF r.until_us > 0 AND r.client = me AND r.hold = id THEN
    r := ${prefix}claimed(r);
    r.until_us := GREATEST(r.until_us, at_us + lease);
    a.state := 1;
    a.token := r.token;
    a.tokens := r.tokens;
    a.remaining_us := r.until_us - at_us;
    a.grant_client := NULL;
  ELSE
    SELECT * INTO e FROM ${prefix}entry WHERE hold = id AND client = me AND lock_key = asked;
    IF FOUND THEN
      a.state := CASE WHEN e.waits THEN 2 ELSE 1 END;
      a.token := r.token;
      a.tokens := 1;
    END IF;
  END IF;
  IF a.state = 1 AND r.token < least_token THEN
    r.token := least_token;
    r.last_token := GREATEST(r.last_token, r.token + r.tokens - 1);
    a.token := r.token;
  END IF;
  PERFORM ${prefix}save(r, before);
  RETURN a;
END $$;

COMMENT ON TABLE ${prefix}counter IS 'interlock 1';
