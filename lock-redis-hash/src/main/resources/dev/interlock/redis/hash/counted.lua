-- Shared by the scripts that grant or queue: who may hold a lock beside whom; needs state.lua.
--
-- A hold takes units of a capacity: 1 of 1 alone, 1 of the largest number as a reader, k of n permits.
-- An attempt is granted when its units, and those of the holds that are there, are not more than the
-- smallest capacity that it or such a hold names. Holds and waiters that take 1 of 1 do not say so.

-- Holds of an owner who shares them do not count for the attempts of that owner.
local function isOfSameOwner(one, other)
  return one[SHARED] and other[SHARED] and one[OWNER] == other[OWNER]
end

-- Whether a hold lets its owner in once more, with its token, for the same or less.
local function covers(hold, attempt)
  return isOfSameOwner(hold, attempt) and (hold[CAPACITY] or 1) <= (attempt[CAPACITY] or 1)
end

local function outerOf(lock, attempt)
  if attempt[SHARED] then
    for _, hold in ipairs(lock.s.h) do
      if covers(hold, attempt) then
        return hold
      end
    end
  end
end

-- Whether somebody holds the lock alone, so that there is no room for whoever waits.
local function isWhole(lock)
  local first = lock.s.h[1]
  return first and not first[CAPACITY]
end

-- What is taken of a lock: units, and the smallest capacity that a hold names. Without the holds of the
-- owner of an attempt, if there is one.
local function taken(lock, attempt)
  local units, capacity = 0, math.huge
  for _, hold in ipairs(lock.s.h) do
    if not (attempt and isOfSameOwner(hold, attempt)) then
      units = units + (hold[UNITS] or 1)
      capacity = math.min(capacity, hold[CAPACITY] or 1)
    end
  end
  return units, capacity
end

-- Whether there is room for an attempt beside what is taken.
local function fitsInto(attempt, units, capacity)
  return units + (attempt[UNITS] or 1) <= math.min(capacity, attempt[CAPACITY] or 1)
end

local function fits(lock, attempt)
  return fitsInto(attempt, taken(lock, attempt))
end
