-- Takes the lock from the hold that has a token, tells the holder, and calls the next waiter.
--
-- KEYS   1 lock, 2 waiters in order, 3 deadlines of the waiters
-- ARGV   1 one of the tokens of the hold; 0 for a value that other software has set
-- Answer 1 if that hold was there, else 0
--
-- Atomic because a script is: the holder that is told is the one that lost the lock. The client dies
-- before it arrives: nothing happens; afterwards: it is done. Runs twice or late, or the answer is
-- lost: a successor has other tokens, and is spared. A holder that cannot be told finds out when it
-- renews or releases. pcall, because a key of another type is removed too, and so is what other software has
-- put in place of the waiters.
local value = redis.pcall('GET', KEYS[1])
if not value then
  onlyMaster(value)
  return 0
end
local text = type(value) == 'string' and value or ''
local id, first, tokens = string.match(text, '^(%x+) (%d+) (%d+) %d+ %d+ %d+ ')
if not id or #id ~= 32 then
  id, first, tokens = nil, 0, 1
end
local asked = tonumber(ARGV[1])
if asked < tonumber(first) or asked >= first + tokens then
  onlyMaster(value)
  return 0
end
redis.call('DEL', KEYS[1])
if id then
  local namespace, name = string.match(KEYS[1], '^{(.-):%d+}:lock:(.*)$')
  redis.pcall('PUBLISH', namespace .. ':mailbox:' .. string.sub(id, 1, 16), 'r' .. id .. name)
end
afterwards(function()
  for i = 2, 3 do
    if not unlessForeign('ZREM', KEYS[i], '') then
      redis.call('DEL', KEYS[i])
    end
  end
end)
wake(KEYS[2], KEYS[3])
return 1
