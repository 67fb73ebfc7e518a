-- Shared by the scripts that compare times.
--
-- The server's time in microseconds as text of 16 digits, which it has until the year 2286: times
-- compare as text, and are put into values, without the cost of numbers. Numbers of this size must
-- never be written by Lua's own conversion, which keeps 14 digits, but with %.0f.
local time = redis.call('TIME')
local now = time[1] .. string.sub('00000' .. time[2], -6)
