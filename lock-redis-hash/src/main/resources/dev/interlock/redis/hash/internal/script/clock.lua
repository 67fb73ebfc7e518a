-- Shared by all scripts: the time.
--
-- Times are microseconds of the server's clock.

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]

local function text(number)
  return string.format('%.0f', number)
end
