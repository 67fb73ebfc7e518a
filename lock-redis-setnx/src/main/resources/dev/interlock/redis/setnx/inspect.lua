-- Tells who has the lock. Changes nothing.
--
-- KEYS   1 lock, 2 deadlines of the waiters
-- Answer {now, value of the lock, ms left, waiters}, or {now} if it is free; the value is empty if
--        the key is of another type; ms left is -1 if it never expires; now is the server's time in us
--
-- Atomic because a script is: value, time left and waiters belong to one moment. It can run at any
-- time and as often as it likes.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local value = redis.pcall('GET', KEYS[1])
if not value then
  return {now}
end
if type(value) ~= 'string' then
  value = ''
end
return {now, value, redis.call('PTTL', KEYS[1]), redis.call('ZCOUNT', KEYS[2], now, '+inf')}
