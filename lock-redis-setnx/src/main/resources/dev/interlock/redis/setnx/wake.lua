-- Shared by the scripts that free a lock; needs foreign.lua and afterwards.lua.
--
-- Takes waiters from the head of the queue until one is reached: its deadline has not passed and
-- its client listens, that is, PUBLISH has a receiver. A waiter that is passed over looks again by
-- itself when its client listens again. pcall, because a waiter whose channel is refused must not keep
-- those behind it from being called. Where other software keeps something else in place of the waiters,
-- there are none: the lock is free already.
-- Namespace and name are read from the lock's key, {namespace:bucket}:lock:name.
--
-- Returns the waiter; `own` without a message if that is the first one; false if there is none, or the
-- server refuses to tell.
local function call(waiting, due, own)
  local head = unlessForeign('ZPOPMIN', waiting)
  if not head or not head[1] then
    return false
  end
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  local namespace, name = string.match(KEYS[1], '^{(.-):%d+}:lock:(.*)$')
  while head[1] do
    local id = head[1]
    local deadline = unlessForeign('ZSCORE', due, id)
    unlessForeign('ZREM', due, id)
    if id == own then
      return id
    end
    if deadline and tonumber(deadline) >= now then
      local channel = namespace .. ':mailbox:' .. string.sub(id, 1, 16)
      local heard = redis.pcall('PUBLISH', channel, 'w' .. id .. name)
      if type(heard) == 'number' and heard > 0 then
        return id
      end
    end
    head = redis.call('ZPOPMIN', waiting)
  end
  return false
end

local function wake(...)
  return afterwards(call, ...)
end
