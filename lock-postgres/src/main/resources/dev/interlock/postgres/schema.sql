-- The tables of lock-postgres, for PostgreSQL 14 and later. functions.sql and counted.sql follow.
--
-- Apply the three files with Flyway, Liquibase or by hand, or open the client once with
-- ?schema=create. ${prefix} stands for the option tablePrefix, "interlock_" unless set otherwise. All
-- columns that end in _us are microseconds since 1970, by the server's clock.

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
  entries     int      NOT NULL DEFAULT 0,   -- how many rows of the entry table it has
  counted     int      NOT NULL DEFAULT 0    -- how many of these may share the lock
) WITH (fillfactor = 40);

CREATE INDEX ${prefix}lock_by_bucket ON ${prefix}lock (bucket);

-- Those who wait, in the order of their tickets, the further holds of a shared owner, and all holds of
-- readers and of permits: a lock that only they hold has until_us 0.
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
  asleep      boolean  NOT NULL DEFAULT false, -- its client let a grant lapse or was silent, until it returns
  units       int      NOT NULL DEFAULT 1,   -- what it takes
  capacity    int      NOT NULL DEFAULT 1,   -- of how much: more than 1 if it may share the lock
  token       bigint   NOT NULL DEFAULT 0,   -- of a hold that may share the lock
  stay_us     bigint   NOT NULL DEFAULT 0,   -- of a grant that is not confirmed: until_us in the queue,
                                             -- of a waiter that keeps others out: when its silence counts
  PRIMARY KEY (lock_key, waits, ticket)
) WITH (fillfactor = 70);

CREATE UNIQUE INDEX ${prefix}entry_by_hold ON ${prefix}entry (hold, client, lock_key);

-- What remains of rows that were removed: their largest token.
CREATE TABLE ${prefix}counter (
  bucket      smallint PRIMARY KEY,
  last_token  bigint   NOT NULL DEFAULT 0,   -- at least every token of a removed row
  lock_rows   int      NOT NULL DEFAULT 0    -- how many lock rows the bucket has
) WITH (fillfactor = 40);
