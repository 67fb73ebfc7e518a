-- Tells who stands first in the queue of a lock. Changes nothing.
--
-- KEYS   1 lock
-- ARGV   1 how many at the most
-- Answer now, then for each waiter, in the order of the queue: units, capacity, length of the owner's name
--        and of the host's in bytes, then owner and host with no blank before or behind them. Those who were
--        passed over stand in no queue until their clients speak
--
-- Atomic because a script is: all of it belongs to one moment. It can run at any time, as often as it likes.
-- It looks at those in the header, and at WORK tickets behind it at the most, whoever waits.
local most = tonumber(ARGV[1])
local lock = loadAny(KEYS[1], '', '')
local answer = {text(now) .. ' '}
local function add(waiters)
  for _, waiter in ipairs(waiters) do
    if #answer <= most and waiter[UNTIL] > now then
      local numbers = {
        text(waiter[UNITS] or 1), text(waiter[CAPACITY] or 1), #waiter[OWNER], #waiter[HOST], ''
      }
      answer[#answer + 1] = table.concat(numbers, ' ') .. waiter[OWNER] .. waiter[HOST]
    end
  end
end
if lock then
  add(lock.s.f)
  local from = lock.s.a
  while #answer <= most and from < lock.s.z and work > 0 do
    local waiters
    waiters, from = behind(lock, from, most)
    add(waiters)
  end
end
return table.concat(answer)
