-- Shared by the scripts that attempt; needs state.lua and queue.lua.

-- How many arguments describe an attempt: id, lease in ms, tokens, owner, host, 1 or 0 for shared owner,
-- 1 or 0 for fair, or 'units capacity hold' for one that others may hold the lock beside and that need
-- not fit beside this hold, or '-'; then 1 or 0 for waits.
local PARTS = 8

-- Whether an attempt need not queue.
local function mayEnter(lock, waiter, fair, beside)
  local inTurn = not fair or lock.s.w == 0
  if not lock.s.h[1] then
    return inTurn
  end
  if outerOf(lock, waiter) or (beside and find(lock.s.h, beside)) then
    return true
  end
  if not inTurn then
    for _, hold in ipairs(lock.s.h) do
      inTurn = inTurn or isOfSameOwner(hold, waiter)
    end
  end
  return inTurn and fits(lock, waiter)
end

-- Attempts with the arguments from a place on. Returns '1 token tokens' if granted,
-- '3 n ms' if queued with n waiters before it, or -1, and so many ms until a hold ends,
-- '0 ms 0' if neither, '4 0 0' if the next run has to say, because there is room and so many dead
-- waiters stand before it that this run could not pass over all of them.
local function attempt(lock, prefix, at)
  local s = lock.s
  local id, lease = ARGV[at], ARGV[at + 1] * 1000
  local shared, fair, waits = ARGV[at + 5] == '1', ARGV[at + 6] ~= '0', ARGV[at + 7] == '1'
  local waiter = {id, 0, lease, tonumber(ARGV[at + 2]), 0, shared, ARGV[at + 3], ARGV[at + 4]}
  local beside
  if #ARGV[at + 6] > 1 then
    local units, capacity, own = string.match(ARGV[at + 6], '^(%d+) (%d+) (.+)$')
    waiter[CLAIMED], waiter[UNITS], waiter[CAPACITY] = false, tonumber(units), tonumber(capacity)
    beside = own
  end
  local hold = find(s.h, id)
  local queued = -1
  if hold then
    extend(hold, lease)
  elseif mayEnter(lock, waiter, fair, beside) then
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
    if not isWhole(lock) then
      serve(lock, prefix, nil, {[id] = true})
      hold = find(s.h, id)
      if not hold and lock.unfinished then
        return '4 0 0'
      end
      if not hold and s.w == 0 and fits(lock, waiter) then
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
