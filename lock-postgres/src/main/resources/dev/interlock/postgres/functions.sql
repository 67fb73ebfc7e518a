-- The functions of lock-postgres. counted.sql follows: what they need for holds that share a lock.
--
-- Whoever changes a lock or its queue holds the lock's row (SELECT ... FOR UPDATE), and reads the
-- clock after that. Each statement of a function has a snapshot of its own under READ COMMITTED, so
-- what a function reads behind the row lock is up to date. The README tells for each function what
-- happens if the client dies, if the answer is lost, and if it runs twice or late.

-- What a function did to a lock.
CREATE TYPE ${prefix}answer AS (
  held          boolean, -- whether the hold that was given up was there
  state         int,     -- of the id that was asked for: 0 nothing, 1 holds, 2 waits; of one that is
                         -- renewed also 3: waits while its shared owner has a hold
  token         bigint,  -- if it holds; of an exclusive waiter the largest token given out so far
  tokens        int,     -- if it holds
  remaining_us  bigint,  -- how long the lock is held at the most
  grant_client  bigint,  -- who was granted the lock in this step from the queue: the two halves of
  grant_hold    bigint,  -- the id, or null
  grant_token   bigint,
  grant_tokens  int,
  grant_us      bigint,  -- for how long, unless it is confirmed
  heirs         bigint[], -- if this client has the lock from the queue: lower halves of the ids behind
  victims       text,    -- of a forced release: ids in hexadecimal digits, separated by blanks
  also          bigint[] -- who else was granted the lock in this step, where it is shared: for each
                         -- the two halves of the id, the token, how many tokens, and for how long
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
    -- A lock whose last waiter died a minute ago counts as free, and one whose holds have run out. They
    -- are locked by one statement and judged again by the next: only that one sees the entries of those
    -- who came between the snapshot of the first one and its lock.
    SELECT ARRAY_AGG(spare.lock_key) INTO gone FROM (
      SELECT l.lock_key FROM ${prefix}lock l
      WHERE l.bucket = b AND l.lock_key <> asked AND l.until_us <= at_us
        AND (l.entries = 0 OR l.until_us <= at_us - 60000000 AND NOT EXISTS (
          SELECT FROM ${prefix}entry e
          WHERE e.lock_key = l.lock_key AND e.until_us > at_us
            - CASE WHEN e.waits OR e.stay_us > 0 THEN 60000000 ELSE 0 END))
      LIMIT 4 FOR UPDATE SKIP LOCKED) spare;
    WITH dropped AS (
      DELETE FROM ${prefix}lock l
      WHERE l.lock_key = ANY (gone) AND l.until_us <= at_us
        AND (l.entries = 0 OR NOT EXISTS (
          SELECT FROM ${prefix}entry e
          WHERE e.lock_key = l.lock_key AND e.until_us > at_us
            - CASE WHEN e.waits OR e.stay_us > 0 THEN 60000000 ELSE 0 END))
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
    next_ticket = r.next_ticket, entries = r.entries, counted = r.counted
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

-- The waiters of one client that stand directly behind a ticket, with nobody between. Those who may
-- share the lock are none: who comes in beside them is decided here.
CREATE FUNCTION ${prefix}heirs(asked bytea, behind bigint, whose bigint, most int) RETURNS bigint[]
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  e record;
  heirs bigint[] := '{}';
BEGIN
  FOR e IN SELECT client, hold, capacity FROM ${prefix}entry
    WHERE lock_key = asked AND waits AND ticket > behind ORDER BY ticket LIMIT most
  LOOP
    EXIT WHEN e.client <> whose OR e.capacity > 1;
    heirs := heirs || e.hold;
  END LOOP;
  RETURN heirs;
END $$;

-- Gives the lock to an entry for itself alone. A waiter of another client than the one that asks has two
-- seconds to confirm.
CREATE FUNCTION ${prefix}appoint(INOUT r ${prefix}lock, e ${prefix}entry, at_us bigint, me bigint,
  most int) LANGUAGE plpgsql
SET enable_seqscan = off AS $$
BEGIN
  r.client := e.client;
  r.hold := e.hold;
  r.owner := e.owner;
  r.shared := e.shared;
  r.host := e.host;
  r.since_us := at_us;
  r.token := GREATEST(r.last_token + 1, at_us);
  r.tokens := most;
  r.last_token := r.token + most - 1;
  r.ticket := e.ticket;
  IF e.client = me THEN
    r := ${prefix}claimed(r);
    r.until_us := at_us + e.lease_us;
  ELSE
    r.claimant := e.client;
    r.until_us := at_us + LEAST(e.lease_us, 2000000);
  END IF;
END $$;

-- For how much longer entries count: nobody could give a sign of life while the server was down, or before a
-- standby took over. What was replicated to it last is of a moment before that, in which those who waited
-- had 10 s left at the most, and they wait on for 30 s. It was down until the oldest session of the account
-- began: not from the start of its first process, which outlives the crash of another one, and is long ago
-- where the recovery takes long. Looks at all sessions, so only to be asked where an entry has run out.
CREATE FUNCTION ${prefix}grace() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  up_since timestamptz;
BEGIN
  SELECT COALESCE(MIN(backend_start), PG_POSTMASTER_START_TIME()) INTO up_since
  FROM pg_stat_activity WHERE usename = SESSION_USER;
  IF CLOCK_TIMESTAMP() < up_since + INTERVAL '3 s'
    OR CLOCK_TIMESTAMP() < PG_LAST_XACT_REPLAY_TIMESTAMP() + INTERVAL '43 s'
  THEN
    RETURN 30000000;
  END IF;
  RETURN 0;
END $$;

-- Frees what has expired, and grants a free lock to the oldest further hold of its owner, else to the
-- first live waiter. If a waiter of another client does not confirm, its entry keeps its place, but all entries of its client are passed over until it
-- shows itself. So a dead client with many waiters costs two seconds once. A grant has a token for each
-- of its heirs, at most 31, to whom the client may pass the lock.
CREATE FUNCTION ${prefix}settle(INOUT r ${prefix}lock, at_us bigint, me bigint, OUT heirs bigint[],
  OUT also bigint[], OUT soonest bigint) LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
  e ${prefix}entry;
  n int;
  grace_us bigint;
  dead bigint;
  served record;
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
    r.counted := 0;
    RETURN;
  END IF;
  IF r.counted > 0 THEN
    PERFORM ${prefix}lapse(r.lock_key, at_us, me);
  END IF;
  DELETE FROM ${prefix}entry WHERE lock_key = r.lock_key AND NOT waits AND until_us <= at_us;
  GET DIAGNOSTICS n = ROW_COUNT;
  r.entries := r.entries - n;
  IF r.until_us > 0 AND r.counted = 0 THEN
    RETURN;
  END IF;
  SELECT * INTO e FROM ${prefix}entry
  WHERE lock_key = r.lock_key AND NOT waits AND capacity = 1 AND r.until_us = 0
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
  END IF;
  IF r.counted > 0 THEN
    served := ${prefix}serve(r, at_us, me);
    r := served.r;
    also := served.also;
    soonest := served.soonest;
    RETURN;
  END IF;
  IF r.until_us > 0 THEN
    RETURN;
  END IF;
  FOR e IN SELECT * FROM ${prefix}entry WHERE lock_key = r.lock_key AND waits ORDER BY ticket LOOP
    IF e.until_us <= at_us AND grace_us IS NULL THEN
      grace_us := ${prefix}grace();
    END IF;
    IF e.until_us + grace_us <= at_us THEN
      dead := e.ticket;
    ELSIF e.client = me OR NOT e.asleep THEN
      heirs := ${prefix}heirs(r.lock_key, e.ticket, e.client, 31);
      r := ${prefix}appoint(r, e, at_us, me, GREATEST(e.tokens, 1 + CARDINALITY(heirs)));
      EXIT;
    END IF;
  END LOOP;
  IF dead IS NOT NULL THEN -- all by one statement: a client that died may leave very many
    DELETE FROM ${prefix}entry
    WHERE lock_key = r.lock_key AND waits AND ticket <= dead AND until_us + grace_us <= at_us;
    GET DIAGNOSTICS n = ROW_COUNT;
    r.entries := r.entries - n;
  END IF;
  IF r.until_us = 0 THEN
    -- Those that are left are asleep; or somebody emptied the table by hand.
    SELECT COUNT(*) INTO r.entries FROM ${prefix}entry WHERE lock_key = r.lock_key;
  END IF;
END $$;

-- What a step did: who has the lock from the queue since the row was read.
CREATE FUNCTION ${prefix}tell(r ${prefix}lock, last_before bigint, at_us bigint, heirs bigint[],
  also bigint[], soonest bigint) RETURNS ${prefix}answer LANGUAGE plpgsql AS $$
DECLARE
  a ${prefix}answer;
BEGIN
  a.held := false;
  a.state := 0;
  a.heirs := heirs;
  a.remaining_us := GREATEST(0, COALESCE(soonest, r.until_us) - at_us);
  a.also := also;
  IF also IS NULL AND r.last_token > last_before THEN
    a.grant_client := r.client;
    a.grant_hold := r.hold;
    a.grant_token := r.token;
    a.grant_tokens := r.tokens;
    a.grant_us := r.until_us - at_us;
  END IF;
  RETURN a;
END $$;

-- The usual case of an attempt for a lock alone: nobody has it or waits for it, and one update says it
-- all. Answers the token, or null with nothing changed. Where it waits for the row lock the clock is
-- read too early, which makes a lease shorter, and never longer than the client counts.
CREATE FUNCTION ${prefix}take(asked bytea, me bigint, id bigint, who bytea, shares boolean,
  at_host bytea, lease bigint, wanted int) RETURNS bigint LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
  at_us bigint := ${prefix}now();
  t bigint;
BEGIN
  UPDATE ${prefix}lock SET client = me, hold = id, owner = who, shared = shares, host = at_host,
    since_us = at_us, until_us = at_us + lease, token = GREATEST(last_token + 1, at_us),
    tokens = wanted, last_token = GREATEST(last_token + 1, at_us) + wanted - 1, claimant = 0,
    ticket = 0
  WHERE lock_key = asked AND until_us <= at_us AND entries = 0
  RETURNING token INTO t;
  RETURN t;
END $$;

-- The usual case of a release: nobody waits. Answers whether it was that, or else nothing is changed.
CREATE FUNCTION ${prefix}give_back(asked bytea, me bigint, id bigint) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  at_us bigint := ${prefix}now();
BEGIN
  UPDATE ${prefix}lock SET until_us = 0, claimant = 0, ticket = 0
  WHERE lock_key = asked AND client = me AND hold = id AND until_us > at_us AND entries = 0;
  RETURN FOUND;
END $$;

-- What a client wants of a lock: to give up what has one of the ids, to get it, or first the one and
-- then the other. The first id is the hold that is released; if it is not there, nothing is attempted.
-- Those who waited before are served first. An attempt that may share the lock names its units, of how
-- many, and maybe a hold of its owner.
CREATE FUNCTION ${prefix}operate(asked bytea, me bigint, ids bigint[], id bigint, who bytea,
  shares boolean, at_host bytea, lease bigint, wanted int, stay bigint, part int DEFAULT 1,
  size int DEFAULT 1, own bigint DEFAULT NULL)
RETURNS ${prefix}answer LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
  r ${prefix}lock;
  at_us bigint;
  before ${prefix}lock;
  settled record;
  entered record;
  held boolean := false;
  n int;
  first int;
  a ${prefix}answer;
BEGIN
  a.held := false;
  a.state := 0;
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
  a := ${prefix}tell(
    r, before.last_token, at_us, settled.heirs, settled.also, settled.soonest);
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
  ELSIF r.counted > 0 OR size > 1 THEN
    entered := ${prefix}enter(
      r, a, at_us, me, id, who, shares, at_host, lease, wanted, stay, part, size, own);
    r := entered.r;
    a := entered.a;
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
      since_us, until_us, lease_us, tokens, token)
    VALUES (asked, false, r.next_ticket, me, id, who, shares, at_host, at_us, at_us + lease, lease,
      wanted, r.token)
    ON CONFLICT (hold, client, lock_key) DO UPDATE
    SET waits = false, stay_us = 0, until_us = CASE WHEN e.waits THEN at_us + lease
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
    a.token := r.last_token;
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

-- Attempts for a lock alone that would wait, in this order: the first one has the lock if it is free and
-- nobody waits, and all others stand in the queue. State 1 or 2 is that of the first one, and of the others
-- 2; remaining_us is the same for all. State 0: it was not as simple, and nothing is changed.
CREATE FUNCTION ${prefix}append(asked bytea, me bigint, at_host bytea, asks bigint[], owners text[],
  leases bigint[], wanted int[], stays bigint[])
RETURNS ${prefix}answer LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  r ${prefix}lock := ${prefix}lock_row(asked);
  at_us bigint := ${prefix}now();
  n int := CARDINALITY(asks);
  a ${prefix}answer;
BEGIN
  a.state := 0;
  IF r.counted > 0 OR r.until_us <= at_us AND r.entries > 0
    OR r.client = me AND r.hold = ANY (asks)
    OR EXISTS (
      SELECT FROM ${prefix}entry WHERE hold = ANY (asks) AND client = me AND lock_key = asked)
  THEN
    RETURN a;
  END IF;
  IF r.until_us <= at_us THEN
    a := ${prefix}operate(asked, me, NULL, asks[1], DECODE(owners[1], 'hex'), false, at_host,
      leases[1], wanted[1], stays[1]);
    n := n - 1;
  ELSE
    a.state := 2;
    a.token := r.last_token;
    a.remaining_us := r.until_us - at_us;
  END IF;
  INSERT INTO ${prefix}entry (lock_key, waits, ticket, client, hold, owner, shared, host, since_us,
    until_us, lease_us, tokens)
  SELECT asked, true, r.next_ticket + q.i, me, q.hold, DECODE(q.owner, 'hex'), false, at_host, at_us,
    at_us + q.stay, q.lease, q.tokens
  FROM UNNEST(asks, owners, leases, wanted, stays) WITH ORDINALITY
    AS q (hold, owner, lease, tokens, stay, i)
  WHERE q.i > CARDINALITY(asks) - n;
  UPDATE ${prefix}lock SET next_ticket = next_ticket + CARDINALITY(asks) + 1, entries = entries + n
  WHERE lock_key = asked;
  RETURN a;
END $$;

-- A release, with attempts that then stand in the queue, if there are any, and after that, in a
-- transaction of its own, the notification of the client that was granted
-- the lock: a transaction with NOTIFY makes commits of the whole server wait for one another. If that one
-- fails, the first one stands, and the release is repeated: the context of an error, which names this
-- procedure, tells that it came here. A procedure commits only where it has no SET of its own. State and
-- what belongs to it are as append answers.
CREATE OR REPLACE PROCEDURE ${prefix}release_all(asked bytea, me bigint, ids bigint[], at_host bytea, asks bigint[],
  owners text[], leases bigint[], wanted int[], stays bigint[], OUT held boolean, OUT state int,
  OUT token bigint, OUT tokens int, OUT remaining_us bigint, OUT grant_client bigint,
  OUT grant_hold bigint, OUT grant_token bigint, OUT grant_tokens int, OUT grant_us bigint,
  OUT heirs bigint[], OUT also bigint[], OUT told boolean) LANGUAGE plpgsql AS $$
DECLARE
  a ${prefix}answer;
  b ${prefix}answer;
BEGIN
  a := ${prefix}operate(asked, me, ids, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
  held := a.held;
  grant_client := a.grant_client;
  grant_hold := a.grant_hold;
  grant_token := a.grant_token;
  grant_tokens := a.grant_tokens;
  grant_us := a.grant_us;
  heirs := a.heirs;
  also := a.also;
  told := a.grant_client <> me;
  IF asks IS NOT NULL THEN
    b := ${prefix}append(asked, me, at_host, asks, owners, leases, wanted, stays);
    state := b.state;
    token := b.token;
    tokens := b.tokens;
    remaining_us := b.remaining_us;
  END IF;
  IF told THEN
    COMMIT;
    PERFORM PG_NOTIFY('interlock_' || LPAD(TO_HEX(grant_client), 16, '0'), CONCAT_WS(' ',
      'g' || LPAD(TO_HEX(grant_client), 16, '0') || LPAD(TO_HEX(grant_hold), 16, '0')
        || ENCODE(asked, 'hex'),
      grant_token, grant_tokens, grant_us, ARRAY_TO_STRING(heirs, ' ')));
    COMMIT; -- here, or else its error would have no context
  END IF;
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
  IF r.until_us > at_us AND asked_token >= r.token
    AND asked_token < r.token + GREATEST(r.tokens, 1)
  THEN
    WITH gone AS (
      DELETE FROM ${prefix}entry
      WHERE lock_key = asked AND NOT waits
        AND (capacity = 1 OR token >= r.token AND token < r.token + r.tokens)
      RETURNING client, hold)
    SELECT COUNT(*), STRING_AGG(LPAD(TO_HEX(client), 16, '0') || LPAD(TO_HEX(hold), 16, '0'), ' ')
    INTO n, others FROM gone;
    robbed := CONCAT_WS(
      ' ', LPAD(TO_HEX(r.client), 16, '0') || LPAD(TO_HEX(r.hold), 16, '0'), others);
    r.entries := r.entries - n;
    r := ${prefix}claimed(r);
    r.until_us := 0;
  ELSIF r.counted > 0 THEN
    WITH gone AS (
      DELETE FROM ${prefix}entry
      WHERE lock_key = asked AND NOT waits AND capacity > 1 AND token = asked_token
        AND until_us > at_us
      RETURNING client, hold)
    SELECT STRING_AGG(LPAD(TO_HEX(client), 16, '0') || LPAD(TO_HEX(hold), 16, '0'), ' ')
    INTO robbed FROM gone;
  END IF;
  settled := ${prefix}settle(r, at_us, me);
  r := settled.r;
  PERFORM ${prefix}save(r, before);
  a := ${prefix}tell(
    r, before.last_token, at_us, settled.heirs, settled.also, settled.soonest);
  a.victims := robbed;
  RETURN a;
END $$;

-- The state of a waiter.
CREATE FUNCTION ${prefix}waits(r ${prefix}lock, e ${prefix}entry) RETURNS int LANGUAGE plpgsql
SET enable_seqscan = off AS $$
BEGIN
  IF e.shared AND (r.until_us > 0 AND r.shared AND r.owner = e.owner OR EXISTS (
    SELECT FROM ${prefix}entry h
    WHERE h.lock_key = e.lock_key AND NOT h.waits AND h.shared AND h.owner = e.owner))
  THEN
    RETURN 3;
  END IF;
  RETURN 2;
END $$;

-- Makes a hold last, or keeps a waiter in the queue. A waiter that is fresh, behind holders that are
-- alive, is only read, unless one that keeps it out of a lock that is shared is silent. One that keeps others
-- out is not fresh for long.
CREATE FUNCTION ${prefix}renew(asked bytea, me bigint, id bigint, lease bigint, least_token bigint,
  queued boolean)
RETURNS ${prefix}answer LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  r ${prefix}lock;
  e ${prefix}entry;
  at_us bigint;
  ends bigint;
  silent_us bigint;
  before ${prefix}lock;
  settled record;
  a ${prefix}answer;
  n int;
BEGIN
  SELECT * INTO r FROM ${prefix}lock WHERE lock_key = asked;
  a.state := 0;
  IF NOT FOUND THEN
    RETURN a;
  END IF;
  at_us := ${prefix}now();
  ends := r.until_us;
  IF ends = 0 AND r.counted > 0 THEN
    SELECT MIN(until_us) INTO ends FROM ${prefix}entry WHERE lock_key = asked AND NOT waits;
  END IF;
  IF queued AND ends > at_us AND NOT (r.until_us > 0 AND r.client = me AND r.hold = id) THEN
    SELECT * INTO e FROM ${prefix}entry WHERE hold = id AND client = me AND lock_key = asked;
    IF FOUND AND e.waits AND NOT e.asleep AND e.lease_us = lease
      AND e.until_us > at_us + (CASE WHEN e.stay_us > 0 THEN 9500000 ELSE 7000000 END) THEN
      IF e.capacity > 1 AND r.until_us = 0 THEN
        SELECT GREATEST(f.stay_us, f.until_us - 8000000) INTO silent_us
        FROM (SELECT * FROM ${prefix}entry
          WHERE lock_key = asked AND waits AND NOT asleep ORDER BY ticket LIMIT 1) f
        WHERE f.stay_us > 0 AND f.client <> me;
      END IF;
      IF silent_us IS NULL OR silent_us > at_us THEN
        a.state := ${prefix}waits(r, e);
        a.token := CASE WHEN e.capacity = 1 THEN r.last_token END;
        a.remaining_us := LEAST(ends, silent_us) - at_us;
        RETURN a;
      END IF;
    END IF;
  END IF;
  SELECT * INTO r FROM ${prefix}lock WHERE lock_key = asked FOR UPDATE;
  IF NOT FOUND THEN
    RETURN a;
  END IF;
  at_us := ${prefix}now();
  before := r;
  IF NOT queued AND r.entries > 0 AND NOT (r.until_us > at_us AND r.client = me AND r.hold = id) THEN
    -- A hold whose grant has lapsed would be granted anew, though others may have had the lock.
    WITH gone AS (
      DELETE FROM ${prefix}entry
      WHERE hold = id AND client = me AND lock_key = asked AND (waits OR until_us <= at_us)
      RETURNING 1)
    SELECT COUNT(*) INTO n FROM gone;
    r.entries := r.entries - n;
  END IF;
  -- Whoever asks is alive, before the queue is served.
  UPDATE ${prefix}entry SET asleep = false, lease_us = CASE WHEN waits THEN lease ELSE lease_us END,
    until_us = CASE WHEN waits THEN GREATEST(until_us, at_us + 10000000)
      WHEN until_us > at_us THEN GREATEST(until_us, at_us + lease) ELSE until_us END,
    stay_us = CASE WHEN NOT waits AND until_us > at_us THEN 0 ELSE stay_us END
  WHERE hold = id AND client = me AND lock_key = asked
  RETURNING * INTO e;
  IF FOUND AND NOT e.waits AND e.capacity > 1 AND e.until_us > at_us THEN
    -- It makes no room: those who wait look for themselves whether another has run out.
    a.state := 1;
    a.token := e.token;
    a.tokens := 1;
    RETURN ${prefix}raised(r, before, a, id, me, least_token);
  END IF;
  settled := ${prefix}settle(r, at_us, me);
  r := settled.r;
  a := ${prefix}tell(
    r, before.last_token, at_us, settled.heirs, settled.also, settled.soonest);
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
      a.state := CASE WHEN e.waits THEN ${prefix}waits(r, e) ELSE 1 END;
      a.token := CASE WHEN e.capacity > 1 THEN e.token WHEN e.waits THEN r.last_token ELSE r.token END;
      a.tokens := 1;
      IF a.state = 1 AND e.capacity > 1 THEN
        RETURN ${prefix}raised(r, before, a, id, me, least_token);
      END IF;
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
