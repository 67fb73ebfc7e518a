-- The quick way of attempt.lua, for a lock that nobody holds and nobody waits for: its key is not
-- there. Needs clock.lua; comes before the functions for all the other cases, which then need not
-- even be made.
if now > tonumber(ARGV[2]) then
  return text(now)
end
local found = redis.call('HMGET', KEYS[1], '*', ARGV[3])
if not found[1] then
  local tokens = tonumber(ARGV[5])
  local token = reserve(KEYS[2], 0, tokens)
  local hold = {
    ARGV[3], now + ARGV[4] * 1000, token, tokens, now, ARGV[8] == '1', ARGV[6], ARGV[7]
  }
  redis.call('HSET', KEYS[1], '*', SINGLE .. ARGV[3] .. cmsgpack.pack(hold))
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  return text(now) .. ' 1 ' .. text(token) .. ' ' .. ARGV[5]
end
