-- Makes a hold last at least one lease from now.
--
-- KEYS   1 lock
-- ARGV   1 hold id, 2 lease in ms
-- Answer {first token, tokens} if it is held, else 0
--
-- Atomic because a script is: the lock cannot pass to another between the check and the expiry.
-- Runs twice or late, or the answer is lost: a lease is only ever made longer, and only while this
-- very hold has the lock, so an expired one never comes back. The client dies: the lock expires.
local value = redis.call('GET', KEYS[1])
if not value or string.sub(value, 1, 32) ~= ARGV[1] then
  onlyMaster(value)
  return 0
end
redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), tonumber(ARGV[2])))
local first, tokens = string.match(value, '^%x+ (%d+) (%d+)')
return {tonumber(first), tonumber(tokens)}
