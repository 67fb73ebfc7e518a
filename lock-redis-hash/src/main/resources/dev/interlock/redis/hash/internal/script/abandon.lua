-- Removes what attempts left, their holds or their places in the queue, and hands a free lock on.
--
-- KEYS   1 lock, 2 counter of the bucket, 3 waiters that were passed over
-- ARGV   1 prefix of the mailbox channels, 2.. hold ids
-- Answer now, 1 if the lock is free and waiters are left that the next run has to see to, or else 0
--
-- Atomic because a script is: no attempt can be granted between its removal and the hand-off, nor by
-- the hand-off, which comes after all of them.
-- The client dies before it arrives: holds end with their leases, waiters with their deadlines.
-- The answer is lost, it runs twice or late: what is not there is not removed, and handing on a
-- free lock is always right.
core.requireMaster(KEYS[3])
local ids = {unpack(ARGV, 2)}
local lock = core.load(KEYS[1], KEYS[2], KEYS[3], ids)
if lock.existed then
  if now >= lock.first then
    rarely().expire(lock)
  end
  for _, id in ipairs(ids) do
    core.leave(lock, id)
    core.remove(lock, id)
  end
  if lock.away > 0 then
    rarely().sweepAside(lock)
  end
  core.serve(lock, ARGV[1])
  core.save(lock)
end
return text(now) .. (lock.unfinished and ' 1' or ' 0')
