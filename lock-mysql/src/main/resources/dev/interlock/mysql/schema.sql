-- The tables of lock-mysql, for MySQL 8.4 and later and for MariaDB 10.6 and later.
--
-- Apply this file with Flyway, Liquibase or by hand, or open the client once with ?schema=create.
-- ${prefix} stands for the option tablePrefix, "interlock_" unless set otherwise. Every statement
-- may be repeated. All columns that end in _us are microseconds since 1970 in UTC, by the server's
-- clock. Nothing here depends on a time zone, a collation or an SQL mode, but for MariaDB's
-- EMPTY_STRING_IS_NULL, with which no session is to run this. The format of rows is named since
-- those that a server may prefer have no room for so long a key.

-- One row for each lock that is held or awaited, and a bounded number of rows of locks that are free.
CREATE TABLE IF NOT EXISTS ${prefix}lock (
  bucket      SMALLINT        NOT NULL COMMENT 'from 0 to 63, computed from lock_key',
  lock_key    VARBINARY(1100) NOT NULL COMMENT 'namespace, colon, name, in UTF-8',
  client      BIGINT          NOT NULL DEFAULT 0 COMMENT 'upper half of the hold id, 0 if free',
  hold        BIGINT          NOT NULL DEFAULT 0 COMMENT 'lower half of the hold id, 0 if free',
  owner       VARBINARY(1024) NOT NULL DEFAULT '' COMMENT 'for people, and for shared owners',
  shared      TINYINT         NOT NULL DEFAULT 0 COMMENT '1 if the same owner may enter beside it',
  host        VARBINARY(255)  NOT NULL DEFAULT '' COMMENT 'host name and process id, for people',
  since_us    BIGINT          NOT NULL DEFAULT 0 COMMENT 'when the hold began',
  until_us    BIGINT          NOT NULL DEFAULT 0 COMMENT 'when the lease ends: free from then on',
  token       BIGINT          NOT NULL DEFAULT 0 COMMENT 'first fencing token of the hold',
  tokens      INT             NOT NULL DEFAULT 1 COMMENT 'how many tokens the hold has',
  last_token  BIGINT          NOT NULL DEFAULT 0 COMMENT 'the largest token ever given out',
  claimant    BIGINT          NOT NULL DEFAULT 0 COMMENT 'client that has not confirmed its grant',
  ticket      BIGINT          NOT NULL DEFAULT 0 COMMENT 'the entry that became the hold, if any',
  last_heir   BIGINT          NOT NULL DEFAULT 0 COMMENT 'its client may pass it on up to this ticket',
  next_ticket BIGINT          NOT NULL DEFAULT 1 COMMENT 'of the next entry, drawn under the row lock',
  entries     INT             NOT NULL DEFAULT 0 COMMENT 'how many rows of the entry table it has',
  PRIMARY KEY (bucket, lock_key),
  KEY by_claimant (claimant)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Those who wait, in the order of their tickets, the further holds of a shared owner, and all holds of
-- readers and of permits. If only such holds have a lock, its row has client 0, and until_us tells when
-- the first of them ends.
CREATE TABLE IF NOT EXISTS ${prefix}entry (
  bucket      SMALLINT        NOT NULL,
  lock_key    VARBINARY(1100) NOT NULL,
  kind        TINYINT         NOT NULL COMMENT '0 a further hold, 1 a waiter',
  ticket      BIGINT          NOT NULL,
  client      BIGINT          NOT NULL,
  hold        BIGINT          NOT NULL,
  owner       VARBINARY(1024) NOT NULL,
  shared      TINYINT         NOT NULL,
  host        VARBINARY(255)  NOT NULL,
  since_us    BIGINT          NOT NULL,
  until_us    BIGINT          NOT NULL COMMENT 'gone unless refreshed before',
  lease_us    BIGINT          NOT NULL COMMENT 'the lease it gets once granted',
  tokens      INT             NOT NULL COMMENT 'the fencing tokens it gets once granted',
  asleep      TINYINT         NOT NULL COMMENT '1 if its client let a grant lapse or was silent, until it returns',
  listens     TINYINT         NOT NULL COMMENT '1 if its client listens',
  units       INT             NOT NULL DEFAULT 1 COMMENT 'what it takes',
  capacity    INT             NOT NULL DEFAULT 1 COMMENT 'of how much, over 1 if it may share the lock',
  token       BIGINT          NOT NULL DEFAULT 0 COMMENT 'of a hold that may share the lock',
  stay_us     BIGINT          NOT NULL DEFAULT 0 COMMENT 'of a grant not confirmed: until_us in the queue, of a waiter: when its silence counts',
  PRIMARY KEY (bucket, lock_key, kind, ticket),
  KEY by_hold (hold, client)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- What remains of rows that were removed: their largest token. As many rows as there are buckets.
CREATE TABLE IF NOT EXISTS ${prefix}counter (
  bucket      SMALLINT        NOT NULL,
  last_token  BIGINT          NOT NULL DEFAULT 0 COMMENT 'at least every token of a removed row',
  lock_rows   INT             NOT NULL DEFAULT 0 COMMENT 'how many lock rows the bucket has',
  swept       VARBINARY(1100) NOT NULL DEFAULT '' COMMENT 'where the last removal stopped',
  PRIMARY KEY (bucket)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC COMMENT = 'interlock 2';
