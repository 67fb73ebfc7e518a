-- Tells who stands first in the queue of a lock. Changes nothing.
--
-- KEYS   1 lock
-- ARGV   1 how many at the most
-- Answer now, then for each waiter, in the order of the queue: units, capacity, length of the owner's name
--        and of the host's in bytes, then owner and host with no blank before or behind them. Those who were
--        passed over stand in no queue until their clients speak
--
-- Atomic because a script is: all of it belongs to one moment. It can run at any time, as often as it likes.
-- It looks at those in front, and at WORK tickets or waiters behind it at the most, whoever waits.
local most = tonumber(ARGV[1])
local rare = rarely()
local lock = rare.loadAny(KEYS[1], '', '')
local answer = {text(now) .. ' '}
local function note(entry)
  local waiter = core.read(entry)
  if #answer <= most and waiter.ends > now then
    local name, host = rare.owner(waiter)
    local numbers = {text(waiter.units), text(waiter.capacity), #name, #host, ''}
    answer[#answer + 1] = table.concat(numbers, ' ') .. name .. host
  end
end
if lock then
  for entry in rare.each(lock.front) do
    note(entry)
  end
  local from = lock.from
  while #answer <= most and from < lock.to and core.work > 0 do
    local waiters
    waiters, from = rare.behind(lock, from, most)
    for _, entry in ipairs(waiters) do
      note(entry)
    end
  end
end
return table.concat(answer)
