-- The quick way of attempt.lua to hold a lock alone that nobody holds and nobody waits for: its key is
-- not there. Needs clock.lua; comes before the functions for all the other cases, which then need not
-- even be made.
-- Its first write is its question whether the lock is free: it changes nothing if it is not. On a node
-- of a cluster that gives the slot away the server does not run it at all, since that key is not there.
if now > tonumber(ARGV[2]) then
  return text(now)
end
local today = text(now)
local function single(token)
  return SINGLE .. ARGV[3] .. ' ' .. today .. ' ' .. ARGV[4] .. ' ' .. token .. ' ' .. ARGV[5] .. ' '
    .. ARGV[8] .. ' ' .. #ARGV[6] .. ' ' .. ARGV[6] .. ARGV[7]
end
if #ARGV[9] == 1 and redis.call('HSETNX', KEYS[1], '*', single(today)) == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  local token = today
  local reserved = ARGV[5] == '1' and today or text(now + ARGV[5] - 1)
  local last = redis.pcall('GETSET', KEYS[2], reserved)
  if type(last) == 'table' then
    -- Other software keeps something else there. What was written stays when a later command fails, and
    -- nobody would hold the lock. Only the command itself tells the error in the same words on every server.
    redis.call('DEL', KEYS[1])
    return redis.call('GETSET', KEYS[2], reserved)
  end
  if last and not tonumber(last) then
    redis.call('SET', KEYS[2], last)
    redis.call('DEL', KEYS[1])
    return redis.call('HMGET', KEYS[2], '*') -- as above: it is a string, but no number
  end
  if last and tonumber(last) >= now then
    -- The server's clock was set back, or several tokens were taken in this microsecond.
    token = text(last + 1)
    redis.call('SET', KEYS[2], text(last + ARGV[5]))
    redis.call('HSET', KEYS[1], '*', single(token))
  end
  return today .. ' 1 ' .. token .. ' ' .. ARGV[5] .. ' ' .. (last or '0')
end
local found = redis.call('HMGET', KEYS[1], '*', 'q', ARGV[3])
