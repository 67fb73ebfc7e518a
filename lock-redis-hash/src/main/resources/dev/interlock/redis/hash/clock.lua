-- Shared by all scripts: the time, and what the ways of granting have in common; needs hold.lua.
--
-- Times are microseconds of the server's clock.

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
