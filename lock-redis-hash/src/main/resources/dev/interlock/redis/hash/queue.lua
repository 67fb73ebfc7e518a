-- Shared by the scripts that grant or queue; needs state.lua and counted.lua.

-- A reserve of tokens is used for so long, in microseconds. A replica that becomes the master may know
-- of the reserve, but not of what was taken from it last: what it takes must be larger, so a reserve
-- must be too old by the time that a fail-over is done. A token is the time at which it was reserved.
local FRESH = 50000

-- Takes n consecutive fencing tokens. While somebody waits, several grants share a reserve.
local function take(lock, n)
  local s = lock.s
  if s.t + n > s.e or now - s.t > FRESH then
    local size = s.w > 0 and n + RESERVE or n
    s.t = reserve(lock.counter, s.e, size)
    s.e = s.t + size
  end
  local token = s.t
  s.t = s.t + n
  return token
end

-- How many waiters behind those in the header are looked at for the owner of a new hold.
local MOST_WOKEN = 64

-- Has waiters of a shared owner woken who may enter beside its new hold: they stand behind others, and
-- ask again. They look again by themselves, so those far behind and lost messages cost a delay only.
local function wakeSameOwner(lock, hold)
  local s = lock.s
  local function note(waiter)
    if covers(hold, waiter) then
      lock.woken[#lock.woken + 1] = waiter[ID]
    end
  end
  for _, waiter in ipairs(s.f) do
    note(waiter)
  end
  local fields = {}
  for ticket = s.a, math.min(s.a + MOST_WOKEN, s.z) - 1 do
    fields[#fields + 1] = '#' .. text(ticket)
  end
  local found = fields[1] and redis.call('HMGET', lock.key, unpack(fields)) or {}
  for i, field in ipairs(fields) do
    local packed = lock.put[field] or (not lock.gone[field] and found[i])
    if packed then
      note(cmsgpack.unpack(packed))
    end
  end
end

-- Makes a waiter, or an attempt, a hold, with a token for each of its heirs. A re-entry of the same
-- owner has the outer hold's token.
local function enter(lock, waiter, lease, heirs)
  local outer = outerOf(lock, waiter)
  local tokens = outer and 1 or math.max(waiter[TOKENS], heirs and 1 + #heirs or 1)
  local token = outer and outer[TOKEN] or take(lock, tokens)
  local hold = {
    waiter[ID], now + lease, token, tokens, now, waiter[SHARED], waiter[OWNER], waiter[HOST]
  }
  if waiter[CAPACITY] then
    hold[CLAIMED], hold[UNITS], hold[CAPACITY] = false, waiter[UNITS], waiter[CAPACITY]
  end
  table.insert(lock.s.h, hold)
  if hold[SHARED] and not outer then
    wakeSameOwner(lock, hold)
  end
  return hold
end

-- The first ticket from one on that somebody has, where many have left and few are there: those can be
-- looked at, and the tickets between them cannot.
local function skipHoles(lock, from)
  local s = lock.s
  local fields = 2 * (s.w - #s.f) + s.d
  if s.z - from <= WORK or fields > work - MOST_IN_HEADER then
    return from
  end
  work = work - fields
  local first = s.z
  local function note(field)
    local ticket = tonumber(string.match(field, '^#(%d+)$'))
    if ticket and ticket >= from and ticket < first then
      first = ticket
    end
  end
  for _, field in ipairs(redis.call('HKEYS', lock.key)) do
    if not lock.gone[field] then
      note(field)
    end
  end
  for field in pairs(lock.put) do
    note(field)
  end
  return first
end

-- The waiters behind the header with so many tickets from one on. Holes are those who left. Returns
-- them, and the ticket after the last one.
local function behind(lock, from, most)
  from = skipHoles(lock, from)
  local last = math.min(from + math.min(most, work), lock.s.z) - 1
  if last < from then
    return {}, from
  end
  work = work - (last + 1 - from)
  local fields, waiters = {}, {}
  for ticket = from, last do
    fields[#fields + 1] = '#' .. text(ticket)
  end
  local found = redis.call('HMGET', lock.key, unpack(fields))
  for i, field in ipairs(fields) do
    local packed = lock.put[field] or (not lock.gone[field] and found[i])
    if packed then
      waiters[#waiters + 1] = cmsgpack.unpack(packed)
    end
  end
  return waiters, last + 1
end

-- Removes the fields of a waiter from behind the header.
local function dropBehind(lock, waiter)
  drop(lock, '#' .. text(waiter[TICKET]))
  drop(lock, waiter[ID])
  lock.index[waiter[ID]] = false
end

local function putBehind(lock, waiter)
  local ticket = text(waiter[TICKET])
  put(lock, '#' .. ticket, cmsgpack.pack(waiter))
  put(lock, waiter[ID], ticket)
  lock.index[waiter[ID]] = ticket
end

-- Brings waiters into the header if there is none and others wait.
local function fill(lock)
  local s = lock.s
  while not s.f[1] and s.a < s.z and work > 0 do
    s.f, s.a = behind(lock, s.a, MOST_IN_HEADER)
    for _, waiter in ipairs(s.f) do
      dropBehind(lock, waiter)
    end
  end
end

-- Removes dead waiters while the lock is held, so that few are left to be passed over when it is
-- released. Each time it goes on where it stopped. They are dead once they have been silent for a LIFE
-- after their deadline: when the server is back after an outage, the holder may be heard before them.
local function sweepQueue(lock)
  local s = lock.s
  local function isDead(waiter)
    return waiter[UNTIL] + LIFE <= now
  end
  for place = #s.f, 1, -1 do
    if isDead(s.f[place]) then
      table.remove(s.f, place)
      s.w = s.w - 1
    end
  end
  if s.w > #s.f then
    local from = math.max(s.c or 0, s.a)
    local waiters, after = behind(lock, from < s.z and from or s.a, WORK)
    for _, waiter in ipairs(waiters) do
      if isDead(waiter) then
        dropBehind(lock, waiter)
        s.w = s.w - 1
      end
    end
    s.c = after
  end
end

-- Takes a waiter out, wherever it stands. Returns true if it was there.
local function remove(lock, id)
  local s = lock.s
  local _, place = find(s.f, id)
  local index = lock.index[id]
  if place then
    table.remove(s.f, place)
  elseif not index then
    return false
  else
    drop(lock, id)
    lock.index[id] = false
    if string.sub(index, 1, 1) == 'a' then
      if lock.due[id] ~= false then
        s.d = s.d - 1
      end
      lock.due[id] = false
      return true
    end
    drop(lock, '#' .. index)
  end
  s.w = s.w - 1
  return true
end

-- Puts a waiter that was passed over back in its place: mostly among the first, where it may take the
-- room of the last of them, which goes behind the header then.
local function comeBack(lock, id)
  local s = lock.s
  local waiter = cmsgpack.unpack(string.sub(lock.index[id], 2))
  remove(lock, id)
  waiter[UNTIL] = now + LIFE
  s.w = s.w + 1
  if waiter[TICKET] >= s.a then
    putBehind(lock, waiter)
    return
  end
  local place = 1
  while s.f[place] and s.f[place][TICKET] < waiter[TICKET] do
    place = place + 1
  end
  table.insert(s.f, place, waiter)
  if #s.f > MOST_IN_HEADER then
    local last = table.remove(s.f)
    s.a = last[TICKET]
    putBehind(lock, last)
  end
end

-- Queues a waiter, or refreshes it where it stands, up to its deadline. The waiters with '#' fields
-- are refreshed by renew.lua, many at a time; a repeated attempt of one leaves it as it is.
local function enqueue(lock, waiter)
  local s = lock.s
  local id = waiter[ID]
  local index = lock.index[id]
  if index and string.sub(index, 1, 1) == 'a' then
    comeBack(lock, id)
    return
  end
  local known = find(s.f, id)
  if known then
    known[UNTIL] = now + LIFE
  elseif not index then
    waiter[UNTIL] = now + LIFE
    waiter[TICKET] = s.z
    s.w = s.w + 1
    s.z = s.z + 1
    if s.a == s.z - 1 and #s.f < MOST_IN_HEADER then
      s.a = s.z
      table.insert(s.f, waiter)
    else
      putBehind(lock, waiter)
    end
  end
end

-- Sets a waiter aside, until its client speaks.
local function pass(lock, waiter)
  local s = lock.s
  local packed = 'a' .. cmsgpack.pack(waiter)
  put(lock, waiter[ID], packed)
  lock.index[waiter[ID]] = packed
  s.d = s.d + 1
  lock.due[waiter[ID]] = waiter[UNTIL]
end

-- Whether a client does not listen on this server. The number that PUBLISH answers would come too late:
-- the message goes on to the other nodes of a cluster and to the replicas, and a client that listens on
-- one of them would believe in a grant that is taken back here.
local function isDeaf(prefix, whose)
  local listeners = redis.pcall('PUBSUB', 'NUMSUB', prefix .. whose)
  return not listeners[2] or listeners[2] == 0
end

-- Has a client told of a grant once the lock is saved.
local function tell(lock, prefix, hold, heirs)
  local message = 'h' .. hold[ID] .. text(hold[TOKEN]) .. ' ' .. text(hold[TOKENS]) .. ' '
    .. text(math.floor((hold[UNTIL] - now) / 1000)) .. ' ' .. text(now) .. ' '
    .. #heirs .. ' ' .. table.concat(heirs) .. nameOf(lock)
  table.insert(lock.told, {prefix .. clientOf(hold[ID]), message})
end

-- The ids of those who are now first in the queue, as far as the header goes, while they are of one
-- client and take as much of the lock: it may pass the lock on to them by itself, in this order. They
-- keep their places until its release says who has had the lock. One that wants permits may be granted
-- some that others give back meanwhile: its client passes them on, or gives them back.
local function heirsOf(lock, heir)
  local ids = {}
  local whose = clientOf(heir[ID])
  for i, waiter in ipairs(lock.s.f) do
    local asMuch = waiter[UNITS] == heir[UNITS] and waiter[CAPACITY] == heir[CAPACITY]
    if not asMuch or clientOf(waiter[ID]) ~= whose or waiter[UNTIL] <= now then
      break
    end
    ids[i] = waiter[ID]
  end
  return ids
end

-- Sets aside those of the first waiters whose client let a grant run out without a word, though the
-- server believes in its connection: each of them would cost the others as long again.
local function passSilent(lock)
  local s = lock.s
  for place = #s.f, 1, -1 do
    if lock.silent[clientOf(s.f[place][ID])] then
      pass(lock, table.remove(s.f, place))
      s.w = s.w - 1
    end
  end
end

-- How many waiters one step may grant beyond its WORK, which is meant for those who cannot be granted.
local TOGETHER = 1000

-- Who has not refreshed its place for so long, in microseconds, may be dead: living clients do it every
-- 2.1 to 2.6 seconds.
local QUIET = 2800000

-- Grants what is free of a lock to the first waiter that is alive and can be told, and then to those
-- behind it, until one does not fit. If it has to pass over more than one step may, the lock is
-- unfinished, and the next step goes on. The first waiter of the client that runs this script is told
-- by the answer and gets its whole lease; its hold and heirs are returned. One of the ids whose answer
-- the script awaits gets its whole lease too, without heirs. All others get the time to confirm, and a
-- message. One that does not fit is passed over as well if it cannot be told: it may be dead, and the
-- holders may stay.
local function serve(lock, prefix, client, awaited)
  local s = lock.s
  local deaf = lock.silent or {}
  local together = TOGETHER
  local own, heirsOfOwn
  local units, capacity = taken(lock)
  -- Adding up all holds for each of many readers would take a time that grows with their square.
  local function hasRoom(waiter)
    if waiter[SHARED] then
      return fits(lock, waiter)
    end
    return fitsInto(waiter, units, capacity)
  end
  -- None if there is room for the next one anyway.
  local function heirs(waiter)
    local left = math.min(capacity, waiter[CAPACITY] or 1)
    local behind = s.f[1]
    if behind and fitsInto(behind, units + (waiter[UNITS] or 1), left) then
      return {}
    end
    return heirsOf(lock, waiter)
  end
  local function isTold(whose)
    deaf[whose] = deaf[whose] or isDeaf(prefix, whose)
    return not deaf[whose]
  end
  local function grant(waiter)
    local id = waiter[ID]
    local whose = clientOf(id)
    if awaited and awaited[id] then
      enter(lock, waiter, waiter[LEASE])
      return true
    end
    if whose == client and not own then
      heirsOfOwn = heirs(waiter)
      own = enter(lock, waiter, waiter[LEASE], heirsOfOwn)
      return true
    end
    if not isTold(whose) then
      return false
    end
    local after = heirs(waiter)
    local hold = enter(lock, waiter, math.min(waiter[LEASE], CLAIM), after)
    if waiter[LEASE] > CLAIM then
      hold[CLAIMED] = true
    end
    tell(lock, prefix, hold, after)
    return true
  end
  lock.unfinished = false
  if lock.silent then
    passSilent(lock)
  end
  while s.w > 0 and not isWhole(lock) do
    fill(lock)
    local waiter = s.f[1]
    if not waiter then
      lock.unfinished = s.a < s.z
      if not lock.unfinished then
        s.w = 0 -- the fields of those who wait were lost
      end
      break
    end
    local alive = waiter[UNTIL] > now
    local room = hasRoom(waiter)
    -- Who has refreshed its place lately is alive, also if its mailbox is down.
    local isHeard = clientOf(waiter[ID]) == lock.speaker or waiter[UNTIL] > now + LIFE - QUIET
    if alive and not room and (isHeard or isTold(clientOf(waiter[ID]))) then
      break
    end
    table.remove(s.f, 1)
    s.w = s.w - 1
    if alive and room and grant(waiter) then
      units = units + (waiter[UNITS] or 1)
      capacity = math.min(capacity, waiter[CAPACITY] or 1)
      if together > 0 then
        together = together - 1
        work = work + 1
      end
    elseif alive then
      pass(lock, waiter)
    end
  end
  return own, heirsOfOwn
end
