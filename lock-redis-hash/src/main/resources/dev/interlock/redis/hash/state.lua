-- Shared by all scripts: how the state of a lock is read and written; needs clock.lua.
--
-- The lock's key is a hash:
--   '*'     the header, packed: the holds, each with its id, its end, its tokens; the first waiters
--           of the queue; first and last ticket of the others; how many wait; how far dead ones were
--           looked for; the reserve of fencing tokens; until when the key lives. While it was only
--           granted, and nobody waits, just the hold: see SINGLE
--   '#' n   the waiter with ticket n, packed, unless it stands in the header
--   id      of a waiter with a '#' field: its ticket; of a waiter that was passed over because its
--           client did not listen, or did not come for a grant: 'a' and the waiter, packed
-- The header is read and written once in each step, whatever is done, and holds a few waiters
-- only, so the cost of a step does not depend on how many wait. Waiters that were passed over keep
-- their ticket, and stand in a sorted set by their deadlines, so that dead ones can be removed.
--
-- A JVM may die with thousands of waiters. No step looks at more than WORK of them: one that ends
-- before it has found whom to grant a free lock says so, and whoever sent it goes on.
--
-- A hold ends at its time, whether or not the key is still there. The key lives as long as the last
-- hold or waiter could, and a little more while somebody waits, so that it need not be prolonged in
-- every step.
--
-- All is read before anything is written, and a key that may vanish is written last: on a node of a
-- cluster that gives its slot away, a script may use no key that is not there, so one that emptied
-- a key and then went on with it would end half-way.
local LIFE, SLACK, CLAIM = 15000000, 5000000, 2000000
local MOST_IN_HEADER, RESERVE = 16, 16

-- How many waiters, dead or alive, this run of a script may still look at besides those in the
-- headers and those of its caller. A few thousand values are also more than Lua can pass to a command.
local WORK = 256
local work = WORK

-- Runs a command, and returns nothing if other software keeps something else at its key. Other errors are
-- raised by running it once more: only so does every server tell them in the same words.
local function unlessForeign(...)
  local reply = redis.pcall(...)
  if type(reply) ~= 'table' or not reply.err then
    return reply
  end
  if string.find(reply.err, 'WRONGTYPE', 1, true) then
    return nil
  end
  return redis.call(...)
end

-- The first write of a step that frees a lock or keeps one, and before an answer that a lock is not held
-- or an attempt not there. Changes nothing, but decides what the server allows: one that has become a
-- replica, and may know less than its master, refuses it; one whose memory is full lets it pass, as it
-- needs none, and with it the writes that follow, because only the first write of a script is judged by
-- that. Both are judged before the type of the key.
local function requireMaster(aside)
  unlessForeign('ZREM', aside, '')
end

local function unpackHeader(packed)
  if not packed then
    return {h = {}, f = {}, a = 1, z = 1, w = 0, d = 0, k = 0, t = 0, e = 0}
  end
  if string.sub(packed, 1, 1) ~= SINGLE then
    return cmsgpack.unpack(packed)
  end
  local id, since, lease, token, tokens, shared, length, at =
    string.match(packed, '^.(%x+) (%d+) (%d+) (%d+) (%d+) ([01]) (%d+) ()')
  local host = at + length
  local hold = {
    id, since + lease * 1000, tonumber(token), tonumber(tokens), tonumber(since), shared == '1',
    string.sub(packed, at, host - 1), string.sub(packed, host)
  }
  return {h = {hold}, f = {}, a = 1, z = 1, w = 0, d = 0, k = hold[UNTIL], t = 0, e = 0}
end

local function clientOf(id)
  return string.sub(id, 1, 16)
end

local function nameOf(lock)
  return string.match(lock.key, '}:lock:(.*)')
end

-- Reads a lock and what its hash says of some ids, unless that was found before. The ids are those
-- of the client that runs the script.
local function load(key, counter, aside, ids, found)
  found = found or redis.call('HMGET', key, '*', unpack(ids))
  local lock = {
    key = key, counter = counter, aside = aside, index = {}, put = {}, gone = {}, due = {}, told = {},
    woken = {}
  }
  lock.speaker = ids[1] and clientOf(ids[1])
  lock.existed = found[1]
  lock.s = unpackHeader(found[1])
  for i, id in ipairs(ids) do
    lock.index[id] = found[i + 1]
  end
  return lock
end

local function find(list, id)
  for i, item in ipairs(list) do
    if item[ID] == id then
      return item, i
    end
  end
end

local function put(lock, field, value)
  lock.put[field] = value
  lock.gone[field] = nil
end

local function drop(lock, field)
  lock.put[field] = nil
  lock.gone[field] = true
end

-- Ends the holds whose time is over. Clients that did not come for their grants are silent.
local function expire(lock)
  local holds = lock.s.h
  for i = #holds, 1, -1 do
    local hold = holds[i]
    if hold[UNTIL] <= now then
      table.remove(holds, i)
      if hold[CLAIMED] and clientOf(hold[ID]) ~= lock.speaker then
        lock.silent = lock.silent or {}
        lock.silent[clientOf(hold[ID])] = true
      end
    end
  end
end

-- Reads a lock as it is now. Returns nothing if it cannot be read: other software uses its key.
local function loadAny(key, counter, aside)
  local found = unlessForeign('HMGET', key, '*')
  if not found then
    return nil
  end
  local readable, lock = pcall(function()
    local known = load(key, counter, aside, {}, found)
    expire(known)
    return known
  end)
  return readable and lock or nil
end

-- Makes a hold last, and notes that its client knows of it.
local function extend(hold, lease)
  hold[UNTIL] = math.max(hold[UNTIL], now + lease)
  if hold[CLAIMED] then
    hold[CLAIMED] = false -- not nil: a counted hold would be no array any more
  end
end

-- When the first and the last hold end, unless they are renewed; now if there is none.
local function ends(lock)
  local first, last = nil, now
  for _, hold in ipairs(lock.s.h) do
    first = math.min(first or hold[UNTIL], hold[UNTIL])
    last = math.max(last, hold[UNTIL])
  end
  return first or now, last
end

local function millisTo(time)
  return math.ceil((time - now) / 1000)
end

-- How long it stays at the most as it is: until a hold ends, in ms, rounded up.
local function left(lock)
  return millisTo((ends(lock)))
end

-- Removes waiters that were passed over and are dead, a few at a time. The set of them may outlive the
-- key that counts them, so that some of those in it were never counted in this one.
local function sweepAside(lock)
  local most = math.min(32, work)
  if lock.s.d == 0 or most == 0 then
    return
  end
  local dead = redis.call('ZRANGEBYSCORE', lock.aside, '-inf', text(now), 'LIMIT', 0, most)
  work = work - #dead
  local found = dead[1] and redis.call('HMGET', lock.key, unpack(dead))
  for i, id in ipairs(dead) do
    if lock.due[id] == nil then
      lock.due[id] = false
      if found[i] and string.sub(found[i], 1, 1) == 'a' then
        drop(lock, id)
        lock.s.d = lock.s.d - 1
      end
    end
  end
end

-- Writes who was passed over in this step, and who is no longer.
local function saveAside(lock)
  local come, gone = {}, {}
  for id, deadline in pairs(lock.due) do
    if deadline then
      come[#come + 1] = text(deadline)
      come[#come + 1] = id
    else
      gone[#gone + 1] = id
    end
  end
  if come[1] then
    redis.call('ZADD', lock.aside, unpack(come))
    redis.call('PEXPIRE', lock.aside, 4 * LIFE / 1000)
  end
  if gone[1] then
    redis.call('ZREM', lock.aside, unpack(gone))
  end
end

-- Writes the lock, or removes it if nobody holds it or waits; then tells whom it was handed to, and who
-- may enter beside that.
-- Afterwards, because the write may be refused: the server may have become a replica, or have no
-- memory left. pcall, because a server whose rights (ACL) were changed refuses the channel, which
-- must not look like a step that failed: whoever is not told does not confirm the grant in time.
local function save(lock)
  local s = lock.s
  saveAside(lock)
  if s.w == #s.f then
    s.a = s.z -- nobody is behind the header, so who comes next may stand in it
  end
  local waiting = s.w + s.d > 0
  if not waiting and not s.h[1] then
    if lock.existed then
      redis.call('DEL', lock.key)
    end
    return
  end
  local gone = {}
  for field in pairs(lock.gone) do
    gone[#gone + 1] = field
  end
  if gone[1] then
    redis.call('HDEL', lock.key, unpack(gone))
  end
  local _, need = ends(lock)
  if waiting then
    need = math.max(need, now + LIFE)
  end
  local prolong = need > s.k
  if prolong then
    s.k = waiting and need + SLACK or need
  end
  local fields = {'*', cmsgpack.pack(s)}
  for field, value in pairs(lock.put) do
    fields[#fields + 1] = field
    fields[#fields + 1] = value
  end
  redis.call('HSET', lock.key, unpack(fields))
  if prolong then
    redis.call('PEXPIRE', lock.key, text(millisTo(s.k)))
  end
  for _, told in ipairs(lock.told) do
    redis.pcall('PUBLISH', unpack(told))
  end
  for _, id in ipairs(lock.woken) do
    redis.pcall('PUBLISH', ARGV[1] .. clientOf(id), 'w' .. id .. nameOf(lock))
  end
end
