-- Shared by the scripts that grant; needs now.lua.
--
-- A fencing token is the server's time in microseconds, or one more than the last one where the
-- clock stands still or was set back. So tokens grow within a bucket as long as its counter is
-- there, and grow on when it is not: after loss of all state, or with the older state of a backup
-- or a replica. The counter holds the last token that was reserved.
--
-- What a script has written stays when a later command fails. So a lock is removed again whose token
-- cannot be had, because other software keeps something else at the counter: it would be held by nobody.
-- The error is raised by running the command once more: only so does every server tell it in the same
-- words.
--
-- Returns the first token, or false if the lock is held.
local function grant(id, lease, tokens, holder)
  local value = id .. ' ' .. now .. ' ' .. tokens .. ' ' .. time[1] .. ' ' .. time[2] .. ' ' .. holder
  if not redis.call('SET', KEYS[1], value, 'NX', 'PX', lease) then
    return false
  end
  local first = tonumber(now)
  local reserved = now
  if tokens ~= '1' then
    reserved = string.format('%.0f', first + tokens - 1)
  end
  local last = redis.pcall('GETSET', KEYS[2], reserved)
  if type(last) == 'table' then
    redis.call('DEL', KEYS[1])
    redis.call('GETSET', KEYS[2], reserved)
  end
  if last and not tonumber(last) then
    redis.call('SET', KEYS[2], last)
    redis.call('DEL', KEYS[1])
    redis.call('ZREM', KEYS[2], '') -- as above: it is a string, but no number
  end
  if last and tonumber(last) >= first then
    first = tonumber(last) + 1
    redis.call('SET', KEYS[2], string.format('%.0f', first + tokens - 1))
    value = id .. ' ' .. string.format('%.0f', first) .. string.sub(value, 34 + #now)
    redis.call('SET', KEYS[1], value, 'PX', lease)
  end
  return first
end
