-- Shared by the scripts that attempt; needs state.lua and queue.lua.

-- How many arguments describe an attempt: id, lease in ms, tokens, owner, host, then 1 or 0 for
-- each of shared owner, fair, waits.
local PARTS = 8

-- Attempts with the arguments from a place on. Returns '1 token tokens' if granted,
-- '3 n ms' if queued with n waiters before it, or -1, and so many ms left of the hold,
-- '0 ms 0' if neither, '4 0 0' if the next run has to say, because the lock is free and so many dead
-- waiters stand before it that this run could not pass over all of them.
local function attempt(lock, prefix, at)
  local s = lock.s
  local id, lease = ARGV[at], ARGV[at + 1] * 1000
  local shared, fair, waits = ARGV[at + 5] == '1', ARGV[at + 6] == '1', ARGV[at + 7] == '1'
  local waiter = {id, 0, lease, tonumber(ARGV[at + 2]), 0, shared, ARGV[at + 3], ARGV[at + 4]}
  local hold = find(s.h, id)
  local first = s.h[1]
  local queued = -1
  if hold then
    extend(hold, lease)
  elseif first and shared and first[SHARED] and first[OWNER] == waiter[OWNER] then
    remove(lock, id)
    hold = enter(lock, waiter, lease)
  elseif not first and (not fair or s.w == 0) then
    remove(lock, id)
    hold = enter(lock, waiter, lease)
  else
    if waits then
      queued = s.w
      enqueue(lock, waiter)
      if s.w == queued then
        queued = -1
      end
    end
    if not first then
      hold = serve(lock, prefix, nil, {[id] = true})
      if lock.unfinished then
        return '4 0 0'
      end
      if not s.h[1] then
        hold = enter(lock, waiter, lease)
      end
    end
  end
  if hold then
    return '1 ' .. text(hold[TOKEN]) .. ' ' .. text(hold[TOKENS])
  end
  if waits then
    return '3 ' .. queued .. ' ' .. left(lock)
  end
  return '0 ' .. left(lock) .. ' 0'
end
