-- Frees the lock if this hold has it, and calls the first waiter that can be reached.
--
-- KEYS   1 lock, 2 waiters in order, 3 deadlines of the waiters
-- ARGV   1 hold id
-- Answer 1 if the hold had the lock, else 0
--
-- Atomic because a script is: there is no moment in which the lock is free, somebody waits, and
-- nobody was told. The client dies before it arrives: the lock expires with its lease. It dies
-- afterwards: nothing is left of it. The answer is lost, the script runs twice or late: a further
-- run finds another id or none and changes nothing.
local value = redis.call('GET', KEYS[1])
if not value or string.sub(value, 1, 32) ~= ARGV[1] then
  onlyMaster(value)
  return 0
end
redis.call('DEL', KEYS[1])
wake(KEYS[2], KEYS[3])
return 1
