-- Removes what an attempt left, its hold or its place in the queue, and hands a free lock on.
--
-- KEYS   1 lock, 2 counter of the bucket, 3 waiters that were passed over
-- ARGV   1 prefix of the mailbox channels, 2 hold id
-- Answer now, 1 if the lock is free and waiters are left that the next run has to see to, or else 0
--
-- Atomic because a script is: the attempt cannot be granted between its removal and the hand-off.
-- The client dies before it arrives: the hold ends with its lease, the waiter with its deadline.
-- The answer is lost, it runs twice or late: what is not there is not removed, and handing on a
-- free lock is always right.
requireMaster(KEYS[3])
local lock = load(KEYS[1], KEYS[2], KEYS[3], {ARGV[2]})
if lock.existed then
  expire(lock)
  local _, place = find(lock.s.h, ARGV[2])
  if place then
    table.remove(lock.s.h, place)
  end
  remove(lock, ARGV[2])
  sweepAside(lock)
  serve(lock, ARGV[1])
  save(lock)
end
return text(now) .. (lock.unfinished and ' 1' or ' 0')
