-- Frees the lock if this hold has it, and serves the next waiter of the same client in the same
-- step, after those who have waited longer: the first waiter that can be reached is called; if that
-- is the next waiter itself, or there is none, the next waiter gets the lock.
--
-- KEYS   1 lock, 2 counter of the bucket, 3 waiters in order, 4 deadlines of the waiters
-- ARGV   1 hold id; of the next waiter:
--        2 hold id, 3 lease in ms, 4 number of tokens, 5 holder for operators,
--        6 server time in us after which it must get nothing, 16 digits,
--        7 for how many ms to note it, 0 to leave no note
-- Answer {1, now, 1, first token, tokens}
--                     released, and granted to the next waiter
--        {1, now, 0}  released; another waiter was called, and the next waiter is noted if the server lets it
--        {1, now}     released; the next waiter was left out: it was too late for it, or its grant was
--                     refused, which it is told when it attempts itself
--        {0, now}     was not held, nothing was changed
--
-- Atomic because a script is: there is no moment in which the lock is free, somebody waits, and
-- nobody was told. The client dies before it arrives: the lock expires with its lease. It dies
-- afterwards: the lock is with the next waiter for one lease at the most. The answer is lost or the
-- script runs twice: the second run finds another id or none and changes nothing; the next waiter
-- attempts itself, and finds that it has the lock. It runs late: a
-- hold that still has the lock is to be freed, but the next waiter may have been given up, so
-- ARGV[6] keeps it from getting the lock.
local own = ARGV[2]
local value = redis.call('GET', KEYS[1])
if not value or string.sub(value, 1, 32) ~= ARGV[1] then
  onlyMaster(value)
  return {0, tonumber(now)}
end
redis.call('DEL', KEYS[1])
if now > ARGV[6] then
  wake(KEYS[3], KEYS[4])
  return {1, tonumber(now)}
end
local called = wake(KEYS[3], KEYS[4], own)
if not called or called == own then
  -- pcall, because what keeps the next waiter from getting the lock must not look like a failed release.
  local granted, first = pcall(grant, own, ARGV[3], ARGV[4], ARGV[5])
  if not granted then
    return {1, tonumber(now)}
  end
  return {1, tonumber(now), 1, first, tonumber(ARGV[4])}
end
if ARGV[7] ~= '0' then
  afterwards(note, own, ARGV[7])
end
return {1, tonumber(now), 0}
