-- Shared by all scripts; needs state.lua, and is a part of rare.lua: what is about waiters that do not stand
-- in front, behind it or aside.

local function addBehind(rare)
  -- Fills the set of those who were passed over again, which somebody has removed: an operator, or a server
  -- that evicts. Not while there are too many fields to look at; those beyond MOST_NOTED are found when the
  -- others are gone.
  local function findAside(lock)
    local MOST_NOTED = 2048
    local fields = 2 * (lock.waits - lock.listed) + lock.away
    if fields > core.names then
      return
    end
    core.names = core.names - fields
    local ids = {}
    for _, field in ipairs(redis.call('HKEYS', lock.key)) do
      if #field == 32 and lock.due[field] == nil and #ids < MOST_NOTED then
        ids[#ids + 1] = field
      end
    end
    local found = ids[1] and redis.call('HMGET', lock.key, unpack(ids))
    for i, id in ipairs(ids) do
      if found[i] and string.sub(found[i], 1, 1) == 'a' then
        lock.due[id] = rare.deadlineOf(string.sub(found[i], 2))
      end
    end
  end

  -- Removes waiters that were passed over and are dead, a few at a time. The set of them may outlive the
  -- key that counts them, so that some of those in it were never counted in this one.
  function rare.sweepAside(lock)
    local most = math.min(32, core.work)
    if lock.away == 0 or most == 0 then
      return
    end
    lock.due = lock.due or {}
    local due = lock.due
    local dead = redis.call('ZRANGEBYSCORE', lock.aside, '-inf', text(now), 'LIMIT', 0, most)
    core.work = core.work - #dead
    if not dead[1] and redis.call('ZCARD', lock.aside) == 0 then
      findAside(lock)
    end
    local found = dead[1] and redis.call('HMGET', lock.key, unpack(dead))
    for i, id in ipairs(dead) do
      if due[id] == nil then
        due[id] = false
        if found[i] and string.sub(found[i], 1, 1) == 'a' then
          lock.fields[id] = false
          lock.away = lock.away - 1
        end
      end
    end
  end

  -- Writes who was passed over in this step, and who is no longer.
  function rare.saveAside(lock)
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
    end
    if gone[1] then
      redis.call('ZREM', lock.aside, unpack(gone))
    end
  end

  -- What is in some fields, as it is after this step so far. Holes are those who left.
  local function entries(lock, fields)
    local waiters = {}
    local found = fields[1] and redis.call('HMGET', lock.key, unpack(fields))
    for i, field in ipairs(fields) do
      local entry = lock.fields[field]
      if entry == nil then
        entry = found[i]
      end
      if entry then
        waiters[#waiters + 1] = entry
      end
    end
    return waiters
  end

  -- The waiters with tickets from one on, before another one.
  function rare.between(lock, from, to)
    local fields = {}
    for ticket = from, to - 1 do
      fields[#fields + 1] = '#' .. text(ticket)
    end
    return entries(lock, fields)
  end

  -- The tickets from one on that somebody has, in order, where many have left and few are there: those can be
  -- looked at, and the tickets between them cannot. Nothing where they are too many for that.
  local function ticketsTaken(lock, from)
    local fields, tickets = 2 * (lock.waits - lock.listed) + lock.away, lock.to - from
    if tickets <= core.WORK then
      return nil
    end
    if fields <= core.work - core.MOST_IN_FRONT then
      core.work = core.work - fields
    elseif fields <= math.min(core.names, tickets / 8) then
      core.names = core.names - fields
    else
      return nil
    end
    local taken = {}
    local function note(field)
      local ticket = tonumber(string.match(field, '^#(%d+)$'))
      if ticket and ticket >= from then
        taken[#taken + 1] = ticket
      end
    end
    for _, field in ipairs(redis.call('HKEYS', lock.key)) do
      if lock.fields[field] == nil then
        note(field)
      end
    end
    for field, value in pairs(lock.fields) do
      if value then
        note(field)
      end
    end
    table.sort(taken)
    return taken
  end

  -- The waiters behind the front with so many tickets from one on, or so many waiters. Returns them, and
  -- the ticket after the last one.
  function rare.behind(lock, from, most)
    local taken = ticketsTaken(lock, from)
    most = math.min(most, core.work)
    if most <= 0 then
      return {}, from
    end
    if not taken then
      local to = math.min(from + most, lock.to)
      core.work = core.work - (to - from)
      return rare.between(lock, from, to), to
    end
    local fields = {}
    for i = 1, math.min(most, #taken) do
      fields[i] = '#' .. text(taken[i])
    end
    core.work = core.work - #fields
    return entries(lock, fields), #fields < #taken and taken[#fields] + 1 or lock.to
  end

  local function ticketOf(entry)
    return string.match(entry, '^ %d+ %d+ (%d+)', 49)
  end

  -- Removes the fields of a waiter from behind the front.
  local function dropBehind(lock, entry)
    local id = string.sub(entry, 1, 32)
    lock.fields['#' .. ticketOf(entry)] = false
    lock.fields[id] = false
    lock.index[id] = false
  end

  function rare.putBehind(lock, entry)
    local id, ticket = string.sub(entry, 1, 32), ticketOf(entry)
    lock.fields['#' .. ticket] = entry
    lock.fields[id] = ticket
    lock.index[id] = ticket
  end

  -- Brings waiters to the front if there is none and others wait.
  function rare.fill(lock)
    while lock.front == '' and lock.from < lock.to and core.work > 0 do
      local waiters
      waiters, lock.from = rare.behind(lock, lock.from, core.MOST_IN_FRONT)
      for _, entry in ipairs(waiters) do
        dropBehind(lock, entry)
        lock.front = lock.front .. '\0' .. entry
      end
      lock.listed = #waiters
    end
  end

  -- Removes dead waiters while the lock is held, so that few are left to be passed over when it is
  -- released. Each time it goes on where it stopped. They are dead once they have been silent for a LIFE
  -- after their deadline: when the server is back after an outage, the holder may be heard before them.
  function rare.sweepQueue(lock)
    local function isDead(entry)
      return rare.deadlineOf(entry) + core.LIFE <= now
    end
    for entry in rare.each(lock.front) do
      if isDead(entry) then
        core.remove(lock, string.sub(entry, 1, 32))
      end
    end
    if lock.waits > lock.listed then
      local from = math.max(lock.swept, lock.from)
      local waiters, after = rare.behind(lock, from < lock.to and from or lock.from, core.WORK)
      for _, entry in ipairs(waiters) do
        if isDead(entry) then
          dropBehind(lock, entry)
          lock.waits = lock.waits - 1
        end
      end
      lock.swept = after
    end
  end

  -- Takes a waiter out that does not stand in front. Returns true if it was there.
  function rare.remove(lock, id)
    local index = lock.index[id]
    lock.fields[id] = false
    lock.index[id] = false
    if string.sub(index, 1, 1) == 'a' then
      lock.due = lock.due or {}
      if lock.due[id] ~= false then
        lock.away = lock.away - 1
      end
      lock.due[id] = false
      return true
    end
    lock.fields['#' .. index] = false
    lock.waits = lock.waits - 1
    return true
  end

  -- Puts a waiter that was passed over back in its place: mostly among the first, where it may take the
  -- room of the last of them, which goes behind the front then.
  function rare.comeBack(lock, id)
    local entry = rare.ending(string.sub(lock.index[id], 2), now + core.LIFE)
    rare.remove(lock, id)
    lock.waits = lock.waits + 1
    lock.served = false -- it may be the first, and fit
    local ticket = tonumber(ticketOf(entry))
    if ticket >= lock.from then
      rare.putBehind(lock, entry)
      return
    end
    local before = 0
    for other in rare.each(lock.front) do
      if tonumber(ticketOf(other)) > ticket then
        break
      end
      before = before + 1 + #other
    end
    lock.front = string.sub(lock.front, 1, before) .. '\0' .. entry .. string.sub(lock.front, before + 1)
    lock.listed = lock.listed + 1
    if lock.listed > core.MOST_IN_FRONT then
      local first, last = string.match(lock.front, '^(.*)%z(%Z+)$')
      lock.front, lock.listed = first, core.MOST_IN_FRONT
      lock.from = tonumber(ticketOf(last))
      rare.putBehind(lock, last)
    end
  end

  -- Moves the deadline of a waiter on that stands in front, or brings it back that was passed over.
  -- Returns its field if it has one, and is to be moved on by the caller.
  function rare.refresh(lock, id)
    local from = core.find(lock.front, id)
    local index = lock.index[id]
    if from then
      lock.front = string.sub(lock.front, 1, from + 31) .. string.format('%016.0f', now + core.LIFE)
        .. string.sub(lock.front, from + 48)
    elseif index and string.sub(index, 1, 1) == 'a' then
      rare.comeBack(lock, id)
    elseif index then
      return '#' .. index
    end
  end

  -- Sets a waiter aside, until its client speaks.
  function rare.pass(lock, entry)
    local id = string.sub(entry, 1, 32)
    lock.fields[id] = 'a' .. entry
    lock.index[id] = 'a' .. entry
    lock.away = lock.away + 1
    lock.due = lock.due or {}
    lock.due[id] = rare.deadlineOf(entry)
  end

  -- Sets aside those of the first waiters whose client let a grant run out without a word, though the
  -- server believes in its connection: each of them would cost the others as long again.
  function rare.passSilent(lock)
    for entry in rare.each(lock.front) do
      if lock.silent[string.sub(entry, 1, 16)] then
        core.remove(lock, string.sub(entry, 1, 32))
        rare.pass(lock, entry)
      end
    end
  end

  -- How many waiters behind those in front are looked at for the owner of a new hold.
  local MOST_WOKEN = 64

  -- Has waiters of a shared owner woken who may enter beside its new hold: they stand behind others, and
  -- ask again. They look again by themselves, so those far behind and lost messages cost a delay only.
  function rare.wakeSameOwner(lock, hold)
    local function note(entry)
      if rare.covers(hold, core.read(entry)) then
        local id = string.sub(entry, 1, 32)
        local message = 'w' .. id .. rare.nameOf(lock)
        lock.told[#lock.told + 1] = {ARGV[1] .. string.sub(id, 1, 16), message}
      end
    end
    for entry in rare.each(lock.front) do
      note(entry)
    end
    local behind = rare.between(lock, lock.from, math.min(lock.from + MOST_WOKEN, lock.to))
    for _, entry in ipairs(behind) do
      note(entry)
    end
  end
end
