-- Makes holds last and keeps waiters alive, of many locks at once; hands on what it finds free. Raises
-- the fencing tokens of holds where they are too small.
--
-- KEYS   for each lock three: lock, counter of the bucket, waiters that were passed over
-- ARGV   1 prefix of the mailbox channels; for each lock: how many items, then for each of them
--        id, lease in ms, 1 if it is believed to wait or else 0, the smallest that its token may be
-- Answer now, then one for each item in order: '1 token tokens' held, '3 ms owner' waiting with so
--        many ms until a hold ends, and 1 if its shared owner has a hold or else 0, '0 0 0' neither,
--        '4 why' this lock failed; the blanks of the reason are bytes 1
--
-- Atomic because a script is, though nothing depends on one lock being renewed with another: one that
-- fails, because other software has put something in its place, leaves the others as they are.
-- The client dies before or after it: holds end with their leases, waiters with their deadlines.
-- The answer is lost, it runs twice or late: a hold only ever lasts longer, and only while it is
-- there; a waiter's deadline moves on, so one that died counts as heard until then; a token only ever grows.
-- One exception: a grant that the client did not hear of may
-- have run out, and is renewed if nobody has taken the lock since; the client never used it.
local rare = rarely()

local function refresh(lock, items)
  local fields = {}
  for _, item in ipairs(items) do
    fields[#fields + 1] = rare.refresh(lock, item.id)
  end
  if fields[1] then
    for i, entry in ipairs(redis.call('HMGET', lock.key, unpack(fields))) do
      entry = lock.fields[fields[i]] or entry -- this step may have moved it there
      if entry then
        lock.fields[fields[i]] = rare.ending(entry, now + core.LIFE)
      end
    end
  end
end

local function holdOf(lock, id)
  local from, next = core.find(lock.holds, id)
  return from and core.read(string.sub(lock.holds, from, next - 2))
end

-- Raises the tokens of a hold, and takes from the counter and from the lock's reserve what is below.
local function raise(lock, hold, least)
  if hold.token >= least then
    return
  end
  hold.token = least
  local last = least + hold.tokens - 1
  if tonumber(redis.call('GET', lock.counter) or '0') < last then
    redis.call('SET', lock.counter, text(last))
  end
  lock.token = math.max(lock.reserved, last + 1)
  lock.reserved = lock.token
end

local function renew(key, items, ids)
  local lock = core.load(KEYS[key], KEYS[key + 1], KEYS[key + 2], ids)
  if not lock.existed then
    return lock
  end
  local awaited, holds = {}, {}
  for _, item in ipairs(items) do
    awaited[item.id] = item
  end
  for entry in rare.each(lock.holds) do
    local item, renewed = awaited[string.sub(entry, 1, 32)], nil
    if item then
      local hold = core.read(entry)
      if item.waits or hold.ends > now then
        rare.extend(lock, hold, item.lease)
        raise(lock, hold, item.least)
        renewed = core.write(hold)
      end
    end
    holds[#holds + 1] = renewed or '\0' .. entry
  end
  lock.holds = table.concat(holds)
  if now >= lock.first then
    rare.expire(lock)
  end
  refresh(lock, items)
  rare.sweepAside(lock)
  core.serve(lock, ARGV[1], nil, awaited)
  if lock.waits > 0 and lock.holds ~= '' then
    rare.sweepQueue(lock)
  end
  core.save(lock)
  return lock
end

local function waiterOf(lock, id)
  local from, next = core.find(lock.front, id)
  if from then
    return core.read(string.sub(lock.front, from, next - 2))
  end
  local index = lock.index[id]
  return core.read(lock.fields['#' .. index] or string.sub(index, 2))
end

-- Whether a waiter's shared owner has a hold. Looks at all holds once for all waiters of the lock.
local function ownerHolds(lock, id)
  if not lock.owners then
    lock.owners = {}
    for entry in rare.each(lock.holds) do
      local hold = core.read(entry)
      if hold.shared then
        lock.owners[rare.owner(hold)] = true
      end
    end
  end
  local waiter = next(lock.owners) and waiterOf(lock, id)
  return waiter and waiter.shared and lock.owners[rare.owner(waiter)]
end

local function answerTo(lock, item)
  local hold = holdOf(lock, item.id)
  if hold then
    return '1 ' .. text(hold.token) .. ' ' .. hold.tokens
  end
  if core.find(lock.front, item.id) or lock.index[item.id] then
    return '3 ' .. core.left(lock) .. (ownerHolds(lock, item.id) and ' 1' or ' 0')
  end
  return '0 0 0'
end

-- Why a lock could not be renewed, as one word: the server's error, or one of these scripts.
local function reason(failure)
  return (string.gsub(tostring(type(failure) == 'table' and failure.err or failure), ' ', '\1'))
end

core.requireMaster(KEYS[3])
local answers = {text(now)}
local at = 2
for key = 1, #KEYS, 3 do
  local items, ids = {}, {}
  for i = 1, tonumber(ARGV[at]) do
    local from = at + 4 * i - 3
    items[i] = {
      id = ARGV[from], lease = ARGV[from + 1] * 1000, waits = ARGV[from + 2] == '1',
      least = tonumber(ARGV[from + 3])
    }
    ids[i] = ARGV[from]
  end
  at = at + 1 + 4 * #items
  local done, lock = pcall(renew, key, items, ids)
  for _, item in ipairs(items) do
    answers[#answers + 1] = done and answerTo(lock, item) or '4 ' .. reason(lock)
  end
end
return table.concat(answers, ' ')
