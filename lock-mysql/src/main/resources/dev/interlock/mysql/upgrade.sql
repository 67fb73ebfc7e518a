-- From the tables of 'interlock 1' to those of 'interlock 2': holds that share a lock. Locks that are held
-- or awaited stay so. Clients of before that are open go on: to them a lock that others share is held by
-- one of those, and they keep out.

-- Whoever waits behind a change of a table keeps all others waiting: not for longer than this, or leases
-- would run out while a backup reads the table.
SET @interlock_lock_wait = @@SESSION.lock_wait_timeout, SESSION lock_wait_timeout = 2;

ALTER TABLE ${prefix}counter COMMENT = 'interlock 2';

ALTER TABLE ${prefix}entry
  ADD COLUMN units INT NOT NULL DEFAULT 1 COMMENT 'what it takes',
  ADD COLUMN capacity INT NOT NULL DEFAULT 1 COMMENT 'of how much, over 1 if it may share the lock',
  ADD COLUMN token BIGINT NOT NULL DEFAULT 0 COMMENT 'of a hold that may share the lock',
  ADD COLUMN stay_us BIGINT NOT NULL DEFAULT 0 COMMENT 'of a grant not confirmed: until_us in the queue, of a waiter: when its silence counts';

SET SESSION lock_wait_timeout = @interlock_lock_wait;
