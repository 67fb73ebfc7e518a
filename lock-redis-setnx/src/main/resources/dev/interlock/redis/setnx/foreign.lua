-- Shared by the scripts that look for waiters.
--
-- Runs a command, and returns false if other software keeps something else at its key. Other errors are
-- raised by running it once more: only so does every server tell them in the same words.
local function unlessForeign(...)
  local reply = redis.pcall(...)
  if type(reply) ~= 'table' or not reply.err then
    return reply
  end
  if string.find(reply.err, 'WRONGTYPE', 1, true) then
    return false
  end
  return redis.call(...)
end
