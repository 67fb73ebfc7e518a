-- Shared by the scripts that have something left to do once they have freed or granted a lock.
--
-- What a script has written stays when a later command fails. So what is refused afterwards, as by a server
-- whose rights (ACL) were changed, must not look like a step that failed: a released lock would be taken
-- for lost, and a granted one be held by nobody. Who waits looks again by itself. One error is raised, for it
-- tells that the slot is being moved: a script ends half-way then, see RedisErrors.
--
-- Returns what `work` returns; false if it failed.
local function afterwards(work, ...)
  local done, result = pcall(work, ...)
  if done then
    return result
  end
  local why = type(result) == 'table' and result.err or result
  if string.find(tostring(why), 'non local key', 1, true) then
    error(result, 0)
  end
  return false
end
