-- Grants the lock if it is free, tells that it is held again if this attempt holds it, and notes a
-- waiter otherwise.
--
-- KEYS   1 lock, 2 counter of the bucket, 3 waiters in order, 4 deadlines of the waiters
-- ARGV   1 hold id, 2 lease in ms, 3 number of tokens, 4 holder for operators,
--        5 server time in us after which this command must do nothing, 16 digits,
--        6 for how many ms to note the waiter, 0 to leave no note
-- Answer {1, now, first token, tokens}  granted, or held already by this id
--        {0, now, left}                 held by another; left in ms, -1 if it never expires
--        {2, now}                       too late, nothing was done
--        now is the server's time in us.
--
-- Atomic because a script is: nobody sees a token without its lock, or a lock without its expiry,
-- and the lock cannot be freed between the look at it and the note, so no waiter misses its call.
-- The client dies before it arrives: nothing happens. It dies afterwards: the lock expires with
-- its lease, the note with its deadline. The answer is lost or the script runs twice: the second
-- run finds its own id and gives the same token; the lease restarts but is never shortened; a note
-- keeps its place. It runs late: ARGV[5] refuses what the client has given up.
if now > ARGV[5] then
  return {2, tonumber(now)}
end
local token = grant(ARGV[1], ARGV[2], ARGV[3], ARGV[4])
if token then
  afterwards(function()
    if unlessForeign('ZREM', KEYS[3], ARGV[1]) == 1 then
      unlessForeign('ZREM', KEYS[4], ARGV[1])
    end
  end)
  return {1, tonumber(now), token, tonumber(ARGV[3])}
end
local value = redis.call('GET', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if string.sub(value, 1, 32) == ARGV[1] then
  if left < tonumber(ARGV[2]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
  end
  local first, tokens = string.match(value, '^%x+ (%d+) (%d+)')
  return {1, tonumber(now), tonumber(first), tonumber(tokens)}
end
if ARGV[6] ~= '0' then
  note(ARGV[1], ARGV[6])
end
return {0, tonumber(now), left}
