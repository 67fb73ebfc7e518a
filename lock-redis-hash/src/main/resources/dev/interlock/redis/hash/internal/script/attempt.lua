-- Attempts to get a lock: grants it, queues the attempt, or answers that it is held.
--
-- KEYS   1 lock, 2 counter of the bucket, 3 waiters that were passed over
-- ARGV   1 prefix of the mailbox channels, 2 server time in us after which it must do nothing,
--        3.. the attempt, see attempts.lua
-- Answer now, and unless it came too late the attempt's answer, see attempts.lua; from free.lua, behind
--        a grant, also the last token that the counter held before, or 0
--
-- Atomic because a script is: nobody sees the lock free while it is being granted, and the order
-- of the queue is the order in which these scripts ran.
-- The client dies before it arrives: nothing happens. It dies afterwards: the hold ends with its
-- lease, the waiter with its deadline, and is passed over before that because nobody listens to its
-- mailbox, or, if its machine vanished and it seems to listen, because it was not heard for GONE. The
-- answer is lost, or it runs twice: the second run finds its own hold or waiter by the id; the lease
-- restarts but is never shortened, the place in the queue and the token stay. It runs late: ARGV[2]
-- refuses what the client has given up.
local lock = core.load(KEYS[1], KEYS[2], KEYS[3], {ARGV[3]}, found)
if now >= lock.first then
  rarely().expire(lock)
end
local answer = core.attempt(lock, ARGV[1], 3)
core.save(lock)
return text(now) .. ' ' .. answer
