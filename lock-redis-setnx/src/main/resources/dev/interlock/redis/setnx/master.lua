-- Shared by the scripts that may answer without having changed anything.
--
-- A write that changes nothing and that a replica refuses: a server that was demoted knows less than
-- its master, and must not say that a lock is gone, or whose it is. It needs no memory, so a full
-- server answers.
local function onlyMaster(value)
  if value then
    redis.call('RENAMENX', KEYS[1], KEYS[1])
  else
    redis.call('DEL', KEYS[1])
  end
end
