-- Shared by all scripts: how the state of a lock is read and written; needs clock.lua.
--
-- The lock's key is a hash:
--   '*'     the header, packed: the list of the holds, and what they come to; how many wait, and how many
--           of them stand in front; first and last ticket of the others; how far dead ones were looked
--           for; the reserve of fencing tokens; until when the key lives; when the last step ran, and when
--           the server last seemed to have stood still before one. While it was only granted, and nobody
--           waits, just the hold: see SINGLE
--   'q'     the front: the list of the first waiters of the queue
--   '#' n   the waiter with ticket n, unless it stands in front
--   id      of a waiter with a '#' field: its ticket; of a waiter that was passed over because its
--           client did not listen, or did not come for a grant: 'a' and the waiter
-- The header and the front are read and written once in each step, whatever is done, and the front has a few
-- waiters only, so the cost of a step does not depend on how many wait. Nor does a step read each of those,
-- or each hold, for they are strings in a string, see hold.lua. Waiters that were passed over keep
-- their ticket, and stand in a sorted set by their deadlines, so that dead ones can be removed; it lives as
-- long as the hash.
--
-- A JVM may die with thousands of waiters. No step looks at more than WORK of them: one that ends
-- before it has found whom to grant a free lock says so, and whoever sent it goes on.
--
-- A hold ends at its time, whether or not the key is still there. The key lives as long as the last
-- hold or waiter could, and a little more while somebody waits, so that it need not be prolonged in
-- every step. A step that has seen each hold that is there shortens it again: a longer one may have left.
--
-- All is read before anything is written, and a key that may vanish is written last: on a node of a
-- cluster that gives its slot away, a script may use no key that is not there, so one that emptied
-- a key and then went on with it would end half-way.
--
-- A script makes its functions each time that it runs, which takes longer than most of what they do: the
-- more local names of the script a function uses, the longer. So those of nearly every run and their numbers
-- stand in one table, and those of few runs are made when one is needed, see rare.lua.
local core = {
  -- The first number of a header; nothing else that might be there is read. 1 was a header of tables,
  -- 2 one without its last two times.
  VERSION = 3,
  -- How long a waiter counts as alive that is not heard, and how much longer than needed a key lives.
  LIFE = 15000000, SLACK = 5000000,
  MOST_IN_FRONT = 48,
  -- How many waiters, dead or alive, this run of a script may still look at besides those in the fronts
  -- and those of its caller. A few thousand values are also more than Lua can pass to a command.
  WORK = 256, work = 256,
  -- How many names of fields this run may read besides, where that saves it from looking at more tickets.
  NAMES = 4096, names = 4096,
  -- How long a grant may stay unconfirmed.
  CLAIM = 2000000,
  -- A reserve of tokens is used for so long. A replica that becomes the master may know
  -- of the reserve, but not of what was taken from it last: what it takes must be larger, so a reserve
  -- must be too old by the time that a fail-over is done. A token is the time at which it was reserved.
  FRESH = 50000, RESERVE = 16,
  -- How many waiters one step may grant beyond its WORK, which is meant for those who cannot be granted.
  TOGETHER = 1000,
  -- Who has not refreshed its place for so long may be dead: living clients do it every 2.1 to 2.6
  -- seconds.
  QUIET = 2800000,
  -- Who has not done it for so long is passed over, also if it seems to listen: the connections of a machine
  -- that vanished stay open. It is back in its place when it speaks.
  GONE = 5000000,
  -- Without a step for so long the server is taken to have stood still. Less than GONE; and the only waiter who
  -- lives is not silent for so long, on a slow network either, or its steps would keep the dead in the queue.
  STILL = 4000000,
  -- How many arguments describe an attempt, see attempts.lua.
  PARTS = 8
}

-- Returns the functions that few runs need.
local rarely

-- The first write of a step that frees a lock or keeps one, and before an answer that a lock is not held
-- or an attempt not there. Changes nothing, but decides what the server allows: one that has become a
-- replica, and may know less than its master, refuses it; one whose memory is full lets it pass, as it
-- needs none, and with it the writes that follow, because only the first write of a script is judged by
-- that. Both are judged before the type of the key, which may be that of other software.
function core.requireMaster(aside)
  local reply = redis.pcall('ZREM', aside, '')
  if type(reply) == 'table' and reply.err and not string.find(reply.err, 'WRONGTYPE', 1, true) then
    redis.call('ZREM', aside, '') -- only so does every server tell the error in the same words
  end
end

-- Where an entry stands in a list: its first byte, and the first of the next one.
function core.find(list, id)
  local from = string.find(list, '\0' .. id, 1, true)
  if from then
    return from + 1, (string.find(list, '\0', from + 1, true) or #list + 1) + 1
  end
end

-- What is in an entry: CLAIMED is whether its grant is to be confirmed, REST all from the units on.
function core.read(entry)
  local token, tokens, since, claimed, rest, units, capacity, shared =
    string.match(entry, '^ (%d+) (%d+) (%d+) (%d) ((%d+) (%d+) (%d).*)$', 49)
  return {
    id = string.sub(entry, 1, 32), ends = tonumber(string.sub(entry, 33, 48)),
    token = tonumber(token), tokens = tonumber(tokens), since = since, claimed = claimed == '1',
    rest = rest, units = tonumber(units), capacity = tonumber(capacity), shared = shared == '1'
  }
end

-- The entry for it, with a byte 0 before it. A waiter's lease stands in the place of a hold's token, its
-- ticket in that of the start.
function core.write(item)
  return '\0' .. item.id .. string.format('%016.0f %.0f ', item.ends, item.token) .. item.tokens .. ' '
    .. item.since .. (item.claimed and ' 1 ' or ' 0 ') .. item.rest
end

-- Adds a hold to what all come to: when the first of them may end, what they take, the smallest capacity that
-- one of them names, and how many do.
function core.count(lock, hold)
  if hold.ends < lock.first then
    lock.first = hold.ends
  end
  if hold.ends > lock.last then
    lock.last = hold.ends
  end
  lock.units = lock.units + hold.units
  if hold.capacity < lock.capacity then
    lock.capacity, lock.least = hold.capacity, 1
  elseif hold.capacity == lock.capacity then
    lock.least = lock.least + 1
  end
end

-- Adds a hold to the list, and counts it.
function core.add(lock, hold)
  lock.holds = lock.holds .. core.write(hold)
  core.count(lock, hold)
end

-- Ends a hold. Returns true if it was there. The first of the others may end later than is noted then, so
-- somebody looks again too early, once.
function core.leave(lock, id)
  local from, next = core.find(lock.holds, id)
  if not from then
    return false
  end
  local units, capacity = string.match(lock.holds, '^ %d+ %d+ %d+ %d (%d+) (%d+)', from + 48)
  lock.holds = string.sub(lock.holds, 1, from - 2) .. string.sub(lock.holds, next - 1)
  lock.units = lock.units - units
  if capacity + 0 == lock.capacity then
    lock.least = lock.least - 1
    if lock.holds == '' then
      lock.first, lock.capacity = math.huge, math.huge
      lock.last, lock.counted = 0, true
    elseif lock.least == 0 then
      rarely().expire(lock) -- counts them
    end
  end
  return true
end

-- Takes a waiter out, wherever it stands. Returns true if it was there.
function core.remove(lock, id)
  local from, next = core.find(lock.front, id)
  if not from then
    return lock.index[id] and rarely().remove(lock, id) or false
  end
  lock.front = string.sub(lock.front, 1, from - 2) .. string.sub(lock.front, next - 1)
  lock.listed = lock.listed - 1
  lock.waits = lock.waits - 1
  return true
end

-- Reads a lock and what its hash says of some ids, unless that was found before. The ids are those
-- of the client that runs the script.
function core.load(key, counter, aside, ids, found)
  found = found or redis.call('HMGET', key, '*', 'q', unpack(ids))
  local header = found[1]
  local version, holds, first, units, capacity, least, listed, waits, away, from, to, swept, lives, token,
    reserved, stepped, resumed = core.VERSION, '', math.huge, 0, math.huge, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0
  local single = header and string.sub(header, 1, 1) == SINGLE
  if header and not single then
    version, holds, first, units, capacity, least, listed, waits, away, from, to, swept, lives, token,
      reserved, stepped, resumed = cmsgpack.unpack(header)
    if version ~= core.VERSION then
      error('not a lock of this version')
    end
  end
  -- Nobody could be heard while the server stood still, and the times from before its clock was set back tell
  -- nothing: those who wait get as long again to speak. A shorter gap may also be that of the only waiter who
  -- lives and is late each time: it counts once in a while, and gives the others time for one refresh.
  local gap = now - stepped
  if gap < 0 or gap > core.STILL then
    resumed = now
  elseif gap > core.QUIET and now - resumed > 2 * core.GONE then
    resumed = now - core.GONE + core.QUIET
  end
  local front = found[2] or ''
  local lock = {
    key = key, counter = counter, aside = aside, existed = header, index = {}, fields = {}, told = {},
    holds = holds, first = first, last = 0, units = units, capacity = capacity, least = least,
    front = front, found = front, listed = listed, waits = waits, away = away, from = from, to = to,
    swept = swept, lives = lives, token = token, reserved = reserved,
    resumed = resumed,
    speaker = ids[1] and string.sub(ids[1], 1, 16)
  }
  if single then
    rarely().readSingle(lock, header)
  end
  for i, id in ipairs(ids) do
    lock.index[id] = found[i + 2]
  end
  return lock
end

-- Writes the lock, or removes it if nobody holds it or waits; then tells whom it was handed to, and who
-- may enter beside that.
-- Afterwards, because the write may be refused: the server may have become a replica, or have no
-- memory left. pcall, because a server whose rights (ACL) were changed refuses the channel, which
-- must not look like a step that failed: whoever is not told does not confirm the grant in time.
function core.save(lock)
  if lock.due then
    rarely().saveAside(lock)
  end
  if lock.waits == lock.listed then
    lock.from = lock.to -- nobody is behind the front, so who comes next may stand in it
  end
  local waiting = lock.waits + lock.away > 0
  if not waiting and lock.holds == '' then
    if lock.existed then
      redis.call('DEL', lock.key)
    end
    return
  end
  local need = waiting and math.max(lock.last, now + core.LIFE) or lock.last
  local lives = waiting and need + core.SLACK or need
  local moves = need > lock.lives or (lock.counted and lives < lock.lives)
  if moves then
    lock.lives = lives
  end
  local header = cmsgpack.pack(
    core.VERSION, lock.holds, lock.first, lock.units, lock.capacity, lock.least, lock.listed, lock.waits,
    lock.away, lock.from, lock.to, lock.swept, lock.lives, lock.token, lock.reserved,
    now, lock.resumed)
  if next(lock.fields) then
    rarely().saveFields(lock, header)
  elseif lock.front ~= lock.found then
    redis.call('HSET', lock.key, '*', header, 'q', lock.front)
  else
    redis.call('HSET', lock.key, '*', header)
  end
  if moves then
    redis.call('PEXPIRE', lock.key, text(math.ceil((lock.lives - now) / 1000)))
  end
  if lock.away > 0 and (moves or lock.due) then
    -- Dead ones among those are found by this key, so it lives as long. pcall, because it may be gone.
    redis.pcall('PEXPIRE', lock.aside, text(math.ceil((lock.lives - now) / 1000)))
  end
  for _, told in ipairs(lock.told) do
    redis.pcall('PUBLISH', unpack(told))
  end
end
