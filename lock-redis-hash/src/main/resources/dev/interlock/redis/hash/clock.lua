-- Shared by all scripts: the time, and what the ways of granting have in common.
--
-- Times are microseconds of the server's clock.

-- Holds and waiters are arrays with these places.
local ID, UNTIL, TOKEN, TOKENS, SINCE, SHARED, OWNER, HOST = 1, 2, 3, 4, 5, 6, 7, 8
local LEASE, TICKET = 3, 5

-- What the header of a lock begins with that is held once while nobody waits: then comes the
-- hold's id, then the hold, packed. A packed header never begins like this.
local SINGLE = 'h'

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]

local function text(number)
  return string.format('%.0f', number)
end

-- Takes n consecutive fencing tokens, none before first or the server's time. The counter of the
-- bucket holds the last one that was taken; tokens grow also where it was lost or is an older one.
local function reserve(counter, first, n)
  first = math.max(now, first)
  local last = redis.call('GETSET', counter, text(first + n - 1))
  if last and tonumber(last) >= first then
    first = tonumber(last) + 1
    redis.call('SET', counter, text(first + n - 1))
  end
  return first
end
