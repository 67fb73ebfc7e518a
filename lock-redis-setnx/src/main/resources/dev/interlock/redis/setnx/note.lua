-- Shared by the scripts that note a waiter; needs now.lua.
--
-- KEYS[3] orders the waiters by their first arrival; KEYS[4] tells until when each one counts as
-- alive. A waiter looks again before that and is noted again, which keeps its place. Entries of
-- clients that died are removed by those who arrive later, a few at a time, and by wake-ups; both
-- keys expire once nobody has arrived for as long as an entry can last.
local function note(id, patience)
  if redis.call('ZADD', KEYS[3], 'NX', now, id) == 1 then
    local dead = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now, 'LIMIT', 0, 16)
    if dead[1] then
      redis.call('ZREM', KEYS[3], unpack(dead))
      redis.call('ZREM', KEYS[4], unpack(dead))
    end
  end
  redis.call('ZADD', KEYS[4], string.format('%.0f', now + patience * 1000), id)
  redis.call('PEXPIRE', KEYS[3], 10000)
  redis.call('PEXPIRE', KEYS[4], 10000)
end
