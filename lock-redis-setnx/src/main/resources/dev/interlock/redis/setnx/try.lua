-- Grants one token of the lock if it is free. The first question of most attempts, and as short as
-- can be, because most locks are free: whatever is unusual is left to acquire.lua.
--
-- KEYS   1 lock, 2 counter of the bucket
-- ARGV   1 hold id, 2 lease in ms, 3 holder for operators,
--        4 server time in us after which this command must do nothing, 16 digits
-- Answer token           granted; the token is the server's time as well
--        {0, now, left}  held by another; left in ms, -1 if it never expires
--        {2, now}        too late, nothing was done
--        {3, now}        nothing was done: acquire.lua knows what to do
--        now is the server's time in us.
--
-- Atomic because a script is: nobody sees a token without its lock, or a lock without its expiry.
-- The client dies before it arrives: nothing happens. It dies afterwards: the lock expires with
-- its lease. The answer is lost or the script runs twice: the second run finds its own id and
-- leaves it to acquire.lua. It runs late: ARGV[4] refuses what the client has given up.
if now > ARGV[4] then
  return {2, tonumber(now)}
end
local value = ARGV[1] .. ' ' .. now .. ' 1 ' .. time[1] .. ' ' .. time[2] .. ' ' .. ARGV[3]
if redis.call('SET', KEYS[1], value, 'NX', 'PX', ARGV[2]) then
  local last = redis.pcall('GETSET', KEYS[2], now)
  if type(last) == 'table' then
    -- Other software keeps something else there: see grant.lua.
    redis.call('DEL', KEYS[1])
    return redis.call('GETSET', KEYS[2], now)
  end
  if not last or (last < now and #last == #now) then
    return tonumber(now)
  end
  -- The server's clock was set back: see grant.lua.
  redis.call('SET', KEYS[2], last)
  redis.call('DEL', KEYS[1])
  return {3, tonumber(now)}
end
if string.sub(redis.call('GET', KEYS[1]), 1, 32) == ARGV[1] then
  return {3, tonumber(now)}
end
return {0, tonumber(now), redis.call('PTTL', KEYS[1])}
