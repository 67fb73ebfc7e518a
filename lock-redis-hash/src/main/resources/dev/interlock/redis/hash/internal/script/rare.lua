-- Shared by all scripts; needs state.lua and behind.lua: what few runs need. That is all about waiters that
-- do not stand in front, about holds that end by themselves or that their owners share, and about what other
-- software keeps in the place of a lock.
--
-- Most runs would take longer to make these functions than for all else, so they are made when one of them
-- is first needed.
local made
function rarely()
  if made then
    return made
  end
  local rare = {}
  made = rare

  -- Each entry of a list, in its order.
  function rare.each(list)
    return string.gmatch(list, '%z(%Z+)')
  end
  local each = rare.each

  function rare.deadlineOf(entry)
    return tonumber(string.sub(entry, 33, 48))
  end

  -- The same entry with another end.
  function rare.ending(entry, at)
    return string.sub(entry, 1, 32) .. string.format('%016.0f', at) .. string.sub(entry, 49)
  end

  -- The owner and the host of what read() returns.
  function rare.owner(item)
    local length, names = string.match(item.rest, '^%d+ %d+ %d(%d+) (.*)$')
    names = string.gsub(names, '\1(.)', {z = '\0', o = '\1'})
    return string.sub(names, 1, length), string.sub(names, length + 1)
  end

  -- Names in which there is no byte 0.
  function rare.escape(names)
    return (string.gsub(names, '[%z\1]', {['\0'] = '\1z', ['\1'] = '\1o'}))
  end

  -- Runs a command, and returns nothing if other software keeps something else at its key. Other errors are
  -- raised by running it once more: only so does every server tell them in the same words.
  function rare.unlessForeign(...)
    local reply = redis.pcall(...)
    if type(reply) ~= 'table' or not reply.err then
      return reply
    end
    if string.find(reply.err, 'WRONGTYPE', 1, true) then
      return nil
    end
    return redis.call(...)
  end

  -- Reads a header that is just a hold.
  function rare.readSingle(lock, header)
    local id, since, lease, token, tokens, shared, length, at =
      string.match(header, '^.(%x+) (%d+) (%d+) (%d+) (%d+) ([01]) (%d+) ()')
    lock.lives = since + lease * 1000
    core.add(lock, {
      id = id, ends = lock.lives, token = tonumber(token), tokens = tonumber(tokens), since = since,
      claimed = false, rest = '1 1 ' .. shared .. length .. ' ' .. rare.escape(string.sub(header, at)),
      units = 1, capacity = 1
    })
  end

  -- Ends the holds whose time is over, and counts the others anew. Clients that did not come for their grants are
  -- silent. A list made longer hold by hold would cost as much as the square of how many there are.
  function rare.expire(lock)
    local left = {}
    lock.first, lock.units, lock.capacity, lock.least = math.huge, 0, math.huge, 0
    lock.counted = true
    for entry in each(lock.holds) do
      local hold = core.read(entry)
      if hold.ends > now then
        left[#left + 1] = '\0' .. entry
        core.count(lock, hold)
      elseif hold.claimed and string.sub(hold.id, 1, 16) ~= lock.speaker then
        lock.silent = lock.silent or {}
        lock.silent[string.sub(hold.id, 1, 16)] = true
      end
    end
    lock.holds = table.concat(left)
  end

  -- Reads a lock as it is now. Returns nothing if it cannot be read: other software uses its key.
  function rare.loadAny(key, counter, aside)
    local found = rare.unlessForeign('HMGET', key, '*', 'q')
    if not found then
      return nil
    end
    local readable, lock = pcall(function()
      local known = core.load(key, counter, aside, {}, found)
      if now >= known.first then
        rare.expire(known)
      end
      return known
    end)
    return readable and lock or nil
  end

  -- Makes a hold last, and notes that its client knows of it.
  function rare.extend(lock, hold, lease)
    hold.ends = math.max(hold.ends, now + lease)
    hold.claimed = false
    lock.last = math.max(lock.last, hold.ends)
  end

  -- Holds of an owner who shares them do not count for the attempts of that owner.
  local function isOfSameOwner(one, other)
    return one.shared and other.shared and rare.owner(one) == rare.owner(other)
  end

  -- Whether a hold lets its owner in once more, with its token, for the same or less.
  function rare.covers(hold, attempt)
    return isOfSameOwner(hold, attempt) and hold.capacity <= attempt.capacity
  end

  -- The hold that lets an attempt of its owner in.
  function rare.outerOf(lock, attempt)
    for entry in each(lock.holds) do
      local hold = core.read(entry)
      if rare.covers(hold, attempt) then
        return hold
      end
    end
  end

  -- Whether there is room for an attempt of an owner who shares, and whether that owner holds the lock.
  function rare.fits(lock, attempt)
    local units, capacity, own = attempt.units, attempt.capacity, false
    for entry in each(lock.holds) do
      local hold = core.read(entry)
      if isOfSameOwner(hold, attempt) then
        own = true
      else
        units = units + hold.units
        capacity = math.min(capacity, hold.capacity)
      end
    end
    return units <= capacity, own
  end

  -- Writes the fields besides the header that have changed, in the place of save.
  function rare.saveFields(lock, header)
    local gone, fields = {}, {'*', header, 'q', lock.front}
    for field, value in pairs(lock.fields) do
      if value then
        fields[#fields + 1] = field
        fields[#fields + 1] = value
      else
        gone[#gone + 1] = field
      end
    end
    if gone[1] then
      redis.call('HDEL', lock.key, unpack(gone))
    end
    redis.call('HSET', lock.key, unpack(fields))
  end

  function rare.nameOf(lock)
    return string.match(lock.key, '}:lock:(.*)')
  end

  addBehind(rare)
  return rare
end
