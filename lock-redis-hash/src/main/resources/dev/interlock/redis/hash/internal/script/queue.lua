-- Shared by the scripts that grant or queue; needs state.lua and rare.lua.
--
-- A hold takes units of a capacity: 1 of 1 alone, 1 of the largest number as a reader, k of n permits.
-- An attempt is granted when its units, and those of the holds that are there, are not more than the
-- smallest capacity that it or such a hold names.

-- How long it stays at the most as it is, in ms, rounded up: until a hold ends, or until the first waiter,
-- who may be dead and keep others out of a lock that is shared, has been silent for long enough to be passed:
-- if it does not listen, and then in any case.
function core.left(lock)
  if lock.holds == '' then
    return 0
  end
  local at = lock.first
  if lock.capacity > 1 and lock.front ~= '' then
    local heard = tonumber(string.sub(lock.front, 34, 49)) - core.LIFE
    local silent = heard + core.QUIET
    if silent <= now then
      silent = math.max(heard, lock.resumed) + core.GONE
    end
    if silent > now then
      at = math.min(at, silent)
    end
  end
  return math.ceil((at - now) / 1000)
end

-- Whether there is room for an attempt. If it is of an owner who shares, the second result is whether that
-- owner holds the lock.
function core.fits(lock, attempt)
  if attempt.shared then
    return rarely().fits(lock, attempt)
  end
  local units = lock.units + attempt.units
  return units <= lock.capacity and units <= attempt.capacity
end

-- Takes n consecutive fencing tokens, none before first or the server's time. The counter of the
-- bucket holds the last one that was taken; tokens grow also where it was lost or is an older one.
function core.reserve(counter, first, n)
  first = math.max(now, first)
  local last = redis.call('GETSET', counter, text(first + n - 1))
  if last and tonumber(last) >= first then
    first = tonumber(last) + 1
    redis.call('SET', counter, text(first + n - 1))
  end
  return first
end

-- Makes a waiter, or an attempt, a hold, with a token for each of its heirs, from the reserve: while
-- somebody waits, several grants share one. A re-entry of the same owner has the outer hold's token. A grant
-- for less than its lease is claimed.
function core.enter(lock, waiter, lease, heirs, claimed)
  local outer = waiter.shared and rarely().outerOf(lock, waiter)
  local tokens = waiter.tokens
  if outer then
    tokens = 1
  elseif heirs > 0 and heirs >= tokens then
    tokens = 1 + heirs
  end
  if not outer and (lock.token + tokens > lock.reserved or now - lock.token > core.FRESH) then
    local size = lock.waits > 0 and tokens + core.RESERVE or tokens
    lock.token = core.reserve(lock.counter, lock.reserved, size)
    lock.reserved = lock.token + size
  end
  local hold = {
    id = waiter.id, ends = now + lease, token = outer and outer.token or lock.token, tokens = tokens,
    since = text(now), claimed = claimed, rest = waiter.rest, units = waiter.units,
    capacity = waiter.capacity, shared = waiter.shared
  }
  if not outer then
    lock.token = lock.token + tokens
  end
  core.add(lock, hold)
  if waiter.shared and not outer and lock.waits > 0 then
    rarely().wakeSameOwner(lock, hold)
  end
  return hold
end

-- Whether a client listens on this server. The number that PUBLISH answers would come too late:
-- the message goes on to the other nodes of a cluster and to the replicas, and a client that listens on
-- one of them would believe in a grant that is taken back here.
function core.isTold(lock, prefix, whose)
  local deaf = lock.deaf or lock.silent or {}
  lock.deaf = deaf
  if deaf[whose] == nil then
    local listeners = redis.pcall('PUBSUB', 'NUMSUB', prefix .. whose)
    deaf[whose] = not listeners[2] or listeners[2] == 0
  end
  return not deaf[whose]
end

-- Has a client told of a grant once the lock is saved.
function core.tell(lock, prefix, hold, heirs)
  local message = 'h' .. hold.id .. text(hold.token) .. ' ' .. hold.tokens .. ' '
    .. math.floor((hold.ends - now) / 1000) .. ' ' .. hold.since .. ' '
    .. #heirs .. ' ' .. table.concat(heirs) .. string.match(lock.key, '}:lock:(.*)')
  lock.told[#lock.told + 1] = {prefix .. string.sub(hold.id, 1, 16), message}
end

-- The ids of those who are now first in the queue, as far as the front goes, while they are of one
-- client and take as much of the lock: it may pass the lock on to them by itself, in this order. None if
-- there is room for the first of them anyway. They keep their places until its release says who has had the
-- lock. One that wants permits may be granted some that others give back meanwhile: its client passes them
-- on, or gives them back.
function core.heirsOf(lock, heir)
  local ids, whose, from = {}, string.sub(heir.id, 1, 16), 2
  local taken = lock.units + heir.units
  while from <= #lock.front do
    local id, ends = string.sub(lock.front, from, from + 31), string.sub(lock.front, from + 32, from + 47)
    local units, capacity = string.match(lock.front, '^ %d+ %d+ %d+ %d (%d+) (%d+)', from + 48)
    local all = taken + units
    units, capacity = tonumber(units), tonumber(capacity)
    local room = all <= capacity and all <= heir.capacity and all <= lock.capacity
    if room or units ~= heir.units or capacity ~= heir.capacity or string.sub(id, 1, 16) ~= whose
        or tonumber(ends) <= now then
      break
    end
    ids[#ids + 1] = id
    from = (string.find(lock.front, '\0', from, true) or #lock.front) + 1
  end
  return ids
end

-- Grants what is free of a lock to the first waiter that is alive and can be told, and then to those
-- behind it, until one does not fit. If it has to pass over more than one step may, the lock is
-- unfinished, and the next step goes on. The first waiter of the client that runs this script is told
-- by the answer and gets its whole lease; its hold and heirs are returned. One of the ids whose answer
-- the script awaits gets its whole lease too, without heirs. All others get the time to confirm, and a
-- message. One that does not fit is passed over as well if it cannot be told: it may be dead, and the
-- holders may stay; but not while somebody holds the lock alone, for then nobody fits. So is one that was
-- not heard for too long, whether it fits or not: of those who vanished with one machine each would
-- else be granted the lock in vain.
function core.serve(lock, prefix, client, awaited)
  local together = core.TOGETHER
  local own, heirsOfOwn
  lock.unfinished, lock.served = false, true
  if lock.silent then
    rarely().passSilent(lock)
  end
  while lock.waits > 0 and lock.capacity > 1 do
    if lock.front == '' then
      rarely().fill(lock)
    end
    if lock.front == '' then
      lock.unfinished = lock.from < lock.to
      if not lock.unfinished then
        lock.waits = 0 -- the fields of those who wait were lost
      end
      break
    end
    local behind = string.find(lock.front, '\0', 2, true) or #lock.front + 1
    local entry = string.sub(lock.front, 2, behind - 1)
    local waiter = core.read(entry)
    local id, whose, lease = waiter.id, string.sub(entry, 1, 16), waiter.token
    local alive = waiter.ends > now
    local room = core.fits(lock, waiter)
    -- Who has refreshed its place lately is alive, also if its mailbox is down. A deadline further off than
    -- a LIFE was written before the server's clock was set back, and tells nothing.
    local heard = whose == lock.speaker and now
      or waiter.ends <= now + core.LIFE and waiter.ends - core.LIFE or 0
    local isHeard = heard + core.QUIET > now
    local isGone = math.max(heard, lock.resumed) + core.GONE <= now
    if alive and not room and (isHeard or (not isGone and core.isTold(lock, prefix, whose))) then
      break
    end
    lock.front = string.sub(lock.front, behind)
    lock.listed = lock.listed - 1
    lock.waits = lock.waits - 1
    local granted = alive and room
    if granted and awaited and awaited[id] then
      core.enter(lock, waiter, lease, 0, false)
    elseif granted and whose == client and not own then
      heirsOfOwn = core.heirsOf(lock, waiter)
      own = core.enter(lock, waiter, lease, #heirsOfOwn, false)
    elseif granted and not isGone and core.isTold(lock, prefix, whose) then
      local heirs = core.heirsOf(lock, waiter)
      local hold = core.enter(lock, waiter, math.min(lease, core.CLAIM), #heirs, lease > core.CLAIM)
      lock.last = math.max(lock.last, now + lease) -- its client will confirm it
      core.tell(lock, prefix, hold, heirs)
    else
      granted = false
    end
    if granted and together > 0 then
      together = together - 1
      core.work = core.work + 1
    elseif alive and not granted then
      rarely().pass(lock, entry)
    end
  end
  return own, heirsOfOwn
end
