-- Makes a hold last at least one lease from now, and raises its fencing tokens if they are too small.
--
-- KEYS   1 lock, 2 counter of the bucket, not needed if ARGV[3] is 0
-- ARGV   1 hold id, 2 lease in ms, 3 the smallest that its first token may be
-- Answer {first token, tokens} if it is held, else 0
--
-- Atomic because a script is: the lock cannot pass to another between the check and the expiry, and
-- nobody sees a raised token before the counter has it. Runs twice or late, or the answer is lost: a
-- lease is only ever made longer, a token only ever larger, and only while this very hold has the
-- lock, so an expired one never comes back. The client dies: the lock expires.
local value = redis.call('GET', KEYS[1])
if not value or string.sub(value, 1, 32) ~= ARGV[1] then
  onlyMaster(value)
  return 0
end
local left = math.max(redis.call('PTTL', KEYS[1]), tonumber(ARGV[2]))
local first, tokens, rest = string.match(value, '^%x+ (%d+) (%d+)(.*)$')
if tonumber(first) < tonumber(ARGV[3]) then
  first = ARGV[3]
  local last = first + tokens - 1
  if tonumber(redis.call('GET', KEYS[2]) or '0') < last then
    redis.call('SET', KEYS[2], string.format('%.0f', last))
  end
  redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. first .. ' ' .. tokens .. rest, 'PX', left)
else
  redis.call('PEXPIRE', KEYS[1], left)
end
return {tonumber(first), tonumber(tokens)}
