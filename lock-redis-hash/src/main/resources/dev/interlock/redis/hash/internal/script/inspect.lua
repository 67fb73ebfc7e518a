-- Tells who has the lock, all of them. Changes nothing.
--
-- KEYS   1 lock
-- Answer now, and unless it is free the number of waiters, then for each hold, in the order in which they
--        came: ms left, token, start in us, units, capacity, length of the owner's name and of the
--        host's in bytes, then owner and host with no blank before or behind them. Entries of one owner
--        who shares it have one token, and are one hold
--
-- Atomic because a script is: all of it belongs to one moment. It can run at any time, as often as
-- it likes. What other software has put there has no token and no beginning.
local NO_EXPIRY = 36500 * 86400000 -- a hundred years
local rare = rarely()
local lock = rare.loadAny(KEYS[1], '', '')
if not lock then
  local millis = redis.call('PTTL', KEYS[1])
  local owner = 'unknown: set by other software'
  local left = text(millis < 0 and NO_EXPIRY or millis)
  return table.concat({text(now), 0, left, 0, 0, 1, 1, #owner, 0, ''}, ' ') .. owner
end
if lock.holds == '' then
  return text(now)
end
local last, entries = {}, {}
for entry in rare.each(lock.holds) do
  local hold = core.read(entry)
  local token = hold.token
  if not last[token] then
    entries[#entries + 1] = hold
  end
  last[token] = math.max(last[token] or 0, hold.ends)
end
local answer = {text(now) .. ' ' .. text(lock.waits + lock.away) .. ' '}
for _, hold in ipairs(entries) do
  local name, host = rare.owner(hold)
  local numbers = {
    text(math.ceil((last[hold.token] - now) / 1000)), text(hold.token), hold.since, text(hold.units),
    text(hold.capacity), #name, #host, ''
  }
  answer[#answer + 1] = table.concat(numbers, ' ') .. name .. host
end
return table.concat(answer)
