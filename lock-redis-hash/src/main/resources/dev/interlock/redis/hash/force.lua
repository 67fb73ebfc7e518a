-- Takes the lock from the hold that has a token, and from those that share it, tells the victims, and
-- hands the lock on.
--
-- KEYS   1 lock, 2 counter of the bucket, 3 waiters that were passed over
-- ARGV   1 prefix of the mailbox channels, 2 one of the tokens of the hold
-- Answer now, 1 if that hold was there or else 0, then 1 if waiters are left that abandon.lua has to see
--        to, or else 0
--
-- Atomic because a script is: who is told is who lost it, and only after that was written, because
-- the write may be refused (see state.lua). The client dies before it arrives: nothing happens;
-- afterwards: it is done. The answer is lost, it runs twice or late, also because a client replays
-- its commands after a reconnect: a successor has other tokens, and is spared. A victim that cannot
-- be told finds out when it renews or releases. What cannot be read, because other software has put
-- it there, has token 0 and is removed: nobody holds the lock then, or waits. What it has put in place
-- of those who were passed over goes with the hold.
requireMaster(KEYS[3])
local function removeForeign()
  if not unlessForeign('ZCARD', KEYS[3]) then
    redis.call('DEL', KEYS[3])
  end
end
local asked = tonumber(ARGV[2])
local lock = loadAny(KEYS[1], KEYS[2], KEYS[3])
if not lock then
  if asked ~= 0 then
    return text(now) .. ' 0 0'
  end
  redis.call('DEL', KEYS[1])
  removeForeign()
  return text(now) .. ' 1 0'
end
local first
for _, hold in ipairs(lock.s.h) do
  if hold[TOKEN] <= asked and asked < hold[TOKEN] + hold[TOKENS] then
    first = first or hold[TOKEN]
  end
end
local victims, others = {}, {}
for _, hold in ipairs(lock.s.h) do
  table.insert(hold[TOKEN] == first and victims or others, hold)
end
if victims[1] then
  lock.s.h = others
  removeForeign()
end
sweepAside(lock)
serve(lock, ARGV[1])
if lock.existed then
  save(lock)
end
local name = string.match(KEYS[1], '}:lock:(.*)')
for _, hold in ipairs(victims) do
  redis.pcall('PUBLISH', ARGV[1] .. clientOf(hold[ID]), 'r' .. hold[ID] .. name)
end
return text(now) .. (victims[1] and ' 1' or ' 0') .. (lock.unfinished and ' 1' or ' 0')
