-- The functions of lock-postgres for holds that share a lock: readers, and permits of a semaphore. They
-- are called under the row lock of the lock, by those of functions.sql, and only if such a hold or
-- waiter is there or asks.
--
-- A hold takes units of a capacity, an exclusive one 1 of 1. Who asks gets its units if they and those
-- of the holders are not more than the smallest capacity that any of them names.

-- What others have of a lock, from the view of one who asks for a part of so much. Holds of the same
-- shared owner do not count; who is null unless the one who asks shares its owner.
CREATE FUNCTION ${prefix}room(r ${prefix}lock, who bytea, size int, OUT used bigint, OUT smallest int,
  OUT same boolean, OUT cover bigint) LANGUAGE plpgsql
SET enable_seqscan = off AS $$
BEGIN
  -- cover: the token of a hold of the owner that lets it in by itself, as a re-entry.
  SELECT COALESCE(SUM(h.units) FILTER (WHERE NOT h.own), 0),
    COALESCE(MIN(h.capacity) FILTER (WHERE NOT h.own), 2147483647),
    COALESCE(BOOL_OR(h.own), false), MIN(h.token) FILTER (WHERE h.own AND h.capacity <= size)
  INTO used, smallest, same, cover
  FROM (
    SELECT e.units, e.capacity, CASE WHEN e.capacity = 1 THEN r.token ELSE e.token END AS token,
      COALESCE(e.shared AND e.owner = who, false) AS own
    FROM ${prefix}entry e WHERE e.lock_key = r.lock_key AND NOT e.waits
    UNION ALL
    SELECT 1, 1, r.token, COALESCE(r.shared AND r.owner = who, false) WHERE r.until_us > 0) h;
END $$;

-- Takes grants back that were not confirmed in time. The entries keep their places, but all entries of
-- such a client are passed over until it shows itself.
CREATE FUNCTION ${prefix}lapse(asked bytea, at_us bigint, me bigint) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
  lapsed bigint[];
BEGIN
  WITH back AS (
    UPDATE ${prefix}entry SET waits = true, until_us = stay_us, stay_us = 0, token = 0
    WHERE lock_key = asked AND NOT waits AND stay_us > 0 AND until_us <= at_us
    RETURNING client)
  SELECT ARRAY_AGG(DISTINCT client) INTO lapsed FROM back WHERE client <> me;
  IF lapsed IS NOT NULL THEN
    UPDATE ${prefix}entry SET asleep = true
    WHERE lock_key = asked AND waits AND client = ANY (lapsed);
  END IF;
END $$;

-- Has the first waiter give signs of life from now on if it keeps others out of a lock that is shared, so
-- that they pass it over when it is silent for two seconds. Nobody else writes its entry more often than it
-- needs to. Who is kept out waits behind it, or is the client that is named.
CREATE FUNCTION ${prefix}summon(asked bytea, at_us bigint, kept_out bigint) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off AS $$
BEGIN
  UPDATE ${prefix}entry e SET stay_us = at_us + 2000000
  WHERE e.lock_key = asked AND e.waits AND e.stay_us = 0 AND e.ticket = (
      SELECT MIN(ticket) FROM ${prefix}entry WHERE lock_key = asked AND waits AND NOT asleep)
    AND (e.client <> kept_out OR EXISTS (
      SELECT FROM ${prefix}entry f
      WHERE f.lock_key = asked AND f.waits AND f.ticket > e.ticket AND f.capacity > 1
        AND f.client <> e.client));
END $$;

-- Grants to those who wait, in order, until the first that is alive does not fit: so it is not passed,
-- and all readers in front come in by one step. One that keeps others out and gave no sign of life for two
-- seconds may be dead: all entries of its client keep their places, and are passed over until it shows itself.
CREATE FUNCTION ${prefix}serve(INOUT r ${prefix}lock, at_us bigint, me bigint, OUT also bigint[],
  OUT soonest bigint) LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
  e ${prefix}entry;
  space record;
  known boolean := false; -- whether space is what anybody but a shared owner finds
  grace_us bigint;
  dead bigint;
  silent bigint[] := '{}'; -- clients that are passed over since this step
  silent_us bigint;
  stuck boolean := false;
  t bigint;
  n int;
  for_us bigint;
BEGIN
  also := '{}';
  FOR e IN SELECT * FROM ${prefix}entry
    WHERE lock_key = r.lock_key AND waits AND ticket <> r.ticket ORDER BY ticket
  LOOP
    e.asleep := e.asleep OR e.client = ANY (silent);
    silent_us := NULL;
    IF e.stay_us > 0 AND e.client <> me AND NOT e.asleep THEN
      silent_us := GREATEST(e.stay_us, e.until_us - 8000000);
    END IF;
    IF LEAST(e.until_us, silent_us) <= at_us AND grace_us IS NULL THEN
      grace_us := ${prefix}grace();
    END IF;
    IF e.until_us + grace_us <= at_us THEN
      dead := e.ticket;
    ELSIF silent_us + grace_us <= at_us THEN
      silent := silent || e.client;
      UPDATE ${prefix}entry SET asleep = true
      WHERE lock_key = r.lock_key AND waits AND client = e.client;
    ELSIF e.client = me OR NOT e.asleep THEN
      IF e.shared OR NOT known THEN
        space := ${prefix}room(r, CASE WHEN e.shared THEN e.owner END, e.capacity);
      END IF;
      stuck := e.units + space.used > LEAST(e.capacity, space.smallest);
      EXIT WHEN stuck;
      IF e.capacity = 1 AND r.until_us = 0 THEN
        r := ${prefix}appoint(r, e, at_us, me, e.tokens);
        t := r.token;
        n := r.tokens;
        for_us := r.until_us - at_us;
      ELSE
        n := 1;
        t := space.cover;
        IF t IS NULL THEN
          t := GREATEST(r.last_token + 1, at_us);
          r.last_token := t;
        END IF;
        for_us := CASE WHEN e.client = me THEN e.lease_us ELSE LEAST(e.lease_us, 2000000) END;
        UPDATE ${prefix}entry SET waits = false, asleep = false, token = t, since_us = at_us,
          until_us = at_us + for_us, stay_us = CASE WHEN client = me THEN 0 ELSE until_us END
        WHERE lock_key = r.lock_key AND waits AND ticket = e.ticket;
      END IF;
      also := also || ARRAY[e.client, e.hold, t, n, for_us];
      known := NOT e.shared;
      space.used := space.used + e.units;
      space.smallest := LEAST(space.smallest, e.capacity);
    END IF;
  END LOOP;
  DELETE FROM ${prefix}entry
  WHERE lock_key = r.lock_key AND waits AND ticket <= dead AND ticket <> r.ticket
    AND until_us + grace_us <= at_us;
  SELECT COUNT(*), COUNT(*) FILTER (WHERE capacity > 1), MIN(until_us) FILTER (WHERE NOT waits)
  INTO r.entries, r.counted, soonest FROM ${prefix}entry WHERE lock_key = r.lock_key;
  IF r.until_us > 0 THEN
    soonest := LEAST(soonest, r.until_us);
  ELSIF stuck THEN
    PERFORM ${prefix}summon(r.lock_key, at_us, NULL);
    IF silent_us > at_us THEN
      soonest := LEAST(soonest, silent_us);
    END IF;
  END IF;
END $$;

-- An attempt for a part of a lock, or for one of which others have or want parts; those who waited
-- before were served. It is let in if it fits and nobody waits that could be served before it, or
-- beside a hold of its owner.
CREATE FUNCTION ${prefix}enter(INOUT r ${prefix}lock, INOUT a ${prefix}answer, at_us bigint,
  me bigint, id bigint, who bytea, shares boolean, at_host bytea, lease bigint, wanted int,
  stay bigint, part int, size int, own bigint) LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
  e ${prefix}entry;
  space record;
  enters boolean;
  n int;
BEGIN
  SELECT * INTO e FROM ${prefix}entry WHERE hold = id AND client = me AND lock_key = r.lock_key;
  IF FOUND AND NOT e.waits THEN
    UPDATE ${prefix}entry SET until_us = GREATEST(until_us, at_us + lease), stay_us = 0
    WHERE hold = id AND client = me AND lock_key = r.lock_key;
    a.state := 1;
    a.token := CASE WHEN e.capacity = 1 THEN r.token ELSE e.token END;
    a.tokens := 1;
    RETURN;
  END IF;
  space := ${prefix}room(r, CASE WHEN shares THEN who END, size);
  enters := space.cover IS NOT NULL
    OR own IS NOT NULL AND (r.until_us > 0 AND r.client = me AND r.hold = own OR EXISTS (
      SELECT FROM ${prefix}entry
      WHERE hold = own AND client = me AND lock_key = r.lock_key AND NOT waits));
  IF NOT enters AND part + space.used <= LEAST(size, space.smallest) THEN
    enters := space.same OR NOT EXISTS (
      SELECT FROM ${prefix}entry
      WHERE lock_key = r.lock_key AND waits AND ticket <> r.ticket
        AND (client = me AND hold <> id OR NOT asleep AND client <> me));
  END IF;
  IF NOT enters AND r.until_us = 0 AND part + space.used <= LEAST(size, space.smallest) THEN
    PERFORM ${prefix}summon(r.lock_key, at_us, me);
  END IF;
  IF NOT enters AND stay = 0 THEN
    RETURN;
  END IF;
  IF enters AND size = 1 AND r.until_us = 0 THEN
    e.client := me;
    e.hold := id;
    e.owner := who;
    e.shared := shares;
    e.host := at_host;
    e.lease_us := lease;
    e.ticket := COALESCE(e.ticket, 0);
    r := ${prefix}appoint(r, e, at_us, me, wanted);
    a.state := 1;
    a.token := r.token;
    a.tokens := r.tokens;
    RETURN;
  END IF;
  a.state := 2;
  IF enters THEN
    a.state := 1;
    a.tokens := 1;
    a.token := space.cover;
    IF a.token IS NULL THEN
      a.token := GREATEST(r.last_token + 1, at_us);
      r.last_token := a.token;
    END IF;
  END IF;
  INSERT INTO ${prefix}entry AS old (lock_key, waits, ticket, client, hold, owner, shared, host,
    since_us, until_us, lease_us, tokens, units, capacity, token)
  VALUES (r.lock_key, NOT enters, r.next_ticket, me, id, who, shares, at_host, at_us,
    at_us + CASE WHEN enters THEN lease ELSE stay END, lease, wanted, part, size,
    COALESCE(a.token, 0))
  ON CONFLICT (hold, client, lock_key) DO UPDATE
  SET waits = EXCLUDED.waits, asleep = false, lease_us = EXCLUDED.lease_us,
    tokens = EXCLUDED.tokens, token = EXCLUDED.token,
    since_us = CASE WHEN enters THEN EXCLUDED.since_us ELSE old.since_us END,
    until_us = CASE WHEN enters THEN EXCLUDED.until_us
      ELSE GREATEST(old.until_us, EXCLUDED.until_us) END,
    stay_us = CASE WHEN enters THEN 0 ELSE old.stay_us END
  RETURNING (xmax = 0)::int INTO n;
  r.next_ticket := r.next_ticket + n;
  r.entries := r.entries + n;
  IF size > 1 THEN
    r.counted := r.counted + n;
  END IF;
END $$;

-- Gives a hold that shares its lock at least this token, and ends its renewal.
CREATE FUNCTION ${prefix}raised(r ${prefix}lock, before ${prefix}lock, a ${prefix}answer,
  id bigint, me bigint, least_token bigint) RETURNS ${prefix}answer LANGUAGE plpgsql
SET enable_seqscan = off AS $$
BEGIN
  IF a.token < least_token THEN
    UPDATE ${prefix}entry SET token = least_token
    WHERE hold = id AND client = me AND lock_key = r.lock_key;
    r.last_token := GREATEST(r.last_token, least_token);
    a.token := least_token;
  END IF;
  PERFORM ${prefix}save(r, before);
  RETURN a;
END $$;

COMMENT ON TABLE ${prefix}counter IS 'interlock 6';
