-- Shared by the scripts that attempt; needs state.lua and queue.lua.

-- The arguments that describe an attempt, PARTS of them: id, lease in ms, tokens, owner, host, 1 or 0 for
-- shared owner, 1 or 0 for fair, or 'units capacity hold' for one that others may hold the lock beside and that need
-- not fit beside this hold, or '-'; then 1 or 0 for waits.

-- Whether an attempt need not queue.
function core.mayEnter(lock, waiter, fair, beside)
  local inTurn = not fair or lock.waits == 0
  if lock.holds == '' then
    return inTurn
  end
  if (waiter.shared and rarely().outerOf(lock, waiter)) or (beside and core.find(lock.holds, beside)) then
    return true
  end
  local room, own = core.fits(lock, waiter)
  return room and (inTurn or own)
end

-- Queues a waiter, or refreshes it where it stands, up to its deadline. The waiters with '#' fields
-- are refreshed by renew.lua, many at a time; a repeated attempt of one leaves it as it is.
function core.enqueue(lock, waiter)
  local index = lock.index[waiter.id]
  if index or core.find(lock.front, waiter.id) then
    rarely().refresh(lock, waiter.id)
    return
  end
  waiter.ends, waiter.since = now + core.LIFE, lock.to
  lock.waits = lock.waits + 1
  lock.to = lock.to + 1
  if lock.from == lock.to - 1 and lock.listed < core.MOST_IN_FRONT then
    lock.from = lock.to
    lock.front = lock.front .. core.write(waiter)
    lock.listed = lock.listed + 1
  else
    rarely().putBehind(lock, string.sub(core.write(waiter), 2))
  end
end

-- Attempts with the arguments from a place on. Returns '1 token tokens' if granted,
-- '3 n ms' if queued with n waiters before it, or -1, and so many ms until a hold ends,
-- '0 ms 0' if neither, '4 0 0' if the next run has to say, because there is room and so many dead
-- waiters stand before it that this run could not pass over all of them.
function core.attempt(lock, prefix, at)
  local id, names = ARGV[at], ARGV[at + 3] .. ARGV[at + 4]
  local fair, waits = ARGV[at + 6] ~= '0', ARGV[at + 7] == '1'
  local units, capacity, beside = '1', '1', nil
  if #ARGV[at + 6] > 1 then
    units, capacity, beside = string.match(ARGV[at + 6], '^(%d+) (%d+) (.+)$')
  end
  if string.find(names, '[%z\1]') then
    names = rarely().escape(names)
  end
  local waiter = {
    id = id, ends = 0, token = ARGV[at + 1] * 1000, tokens = ARGV[at + 2] + 0, since = 0, claimed = false,
    rest = units .. ' ' .. capacity .. ' ' .. ARGV[at + 5] .. #ARGV[at + 3] .. ' ' .. names,
    units = units + 0, capacity = capacity + 0, shared = ARGV[at + 5] == '1'
  }
  local from, next = core.find(lock.holds, id)
  local granted = from and core.read(string.sub(lock.holds, from, next - 2))
  local queued = -1
  if granted then
    rarely().extend(lock, granted, waiter.token)
    lock.holds = string.sub(lock.holds, 1, from - 2) .. core.write(granted) .. string.sub(lock.holds, next - 1)
  elseif core.mayEnter(lock, waiter, fair, beside) then
    core.remove(lock, id)
    granted = core.enter(lock, waiter, waiter.token, 0, false)
  else
    if waits then
      queued = lock.waits
      core.enqueue(lock, waiter)
      if lock.waits == queued then
        queued = -1
      end
    end
    -- Once is enough for a run: who comes behind all others changes nothing for them.
    if (not lock.served or lock.unfinished) and lock.capacity > 1 then
      core.serve(lock, prefix, nil, {[id] = true})
      from, next = core.find(lock.holds, id)
      if from then
        granted = core.read(string.sub(lock.holds, from, next - 2))
      elseif lock.unfinished then
        return '4 0 0'
      elseif lock.waits == 0 and core.fits(lock, waiter) then
        granted = core.enter(lock, waiter, waiter.token, 0, false)
      end
    end
  end
  if granted then
    return '1 ' .. text(granted.token) .. ' ' .. granted.tokens
  end
  if waits then
    return '3 ' .. queued .. ' ' .. core.left(lock)
  end
  return '0 ' .. core.left(lock) .. ' 0'
end
