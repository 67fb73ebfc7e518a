-- Removes what an attempt left: its hold, its note. If the lock is free then, calls the next
-- waiter: the one that is given up may have taken a call with it.
--
-- KEYS   1 lock, 2 waiters in order, 3 deadlines of the waiters
-- ARGV   1 hold id
-- Answer 1 if the attempt held the lock, else 0
--
-- Atomic because a script is: no waiter can enter between the look at the lock and the call.
-- Runs twice or late, or the answer is lost: what is not there is not removed; a waiter that is
-- called once too often finds the lock held and is noted again. The client dies before it arrives:
-- the lock expires with its lease, the note with its deadline.
if unlessForeign('ZREM', KEYS[2], ARGV[1]) == 1 then
  unlessForeign('ZREM', KEYS[3], ARGV[1])
end
local value = redis.call('GET', KEYS[1])
if not value then
  wake(KEYS[2], KEYS[3])
  return 0
end
if string.sub(value, 1, 32) ~= ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[1])
wake(KEYS[2], KEYS[3])
return 1
