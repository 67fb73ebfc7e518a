-- Takes the lock from whoever has it, tells the holder, and calls the next waiter.
--
-- KEYS   1 lock, 2 waiters in order, 3 deadlines of the waiters
-- Answer 1 if it was held, else 0
--
-- Atomic because a script is: the holder that is told is the one that lost the lock. Runs twice or
-- late, or the answer is lost: it takes the lock from whoever has it then, as an operator asked; the
-- client therefore does not repeat it by itself. A holder that cannot be told finds out when it
-- renews or releases.
local value = redis.call('GET', KEYS[1])
if not value then
  return 0
end
redis.call('DEL', KEYS[1])
local id = string.sub(value, 1, 32)
local namespace, name = string.match(KEYS[1], '^{(.-):%d+}:lock:(.*)$')
redis.pcall('PUBLISH', namespace .. ':mailbox:' .. string.sub(id, 1, 16), 'r' .. id .. name)
wake(KEYS[2], KEYS[3])
return 1
