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
core.requireMaster(KEYS[3])
local rare = rarely()
local function removeForeign()
  if not rare.unlessForeign('ZCARD', KEYS[3]) then
    redis.call('DEL', KEYS[3])
  end
end
local asked = tonumber(ARGV[2])
local lock = rare.loadAny(KEYS[1], KEYS[2], KEYS[3])
if not lock then
  if asked ~= 0 then
    return text(now) .. ' 0 0'
  end
  redis.call('DEL', KEYS[1])
  removeForeign()
  return text(now) .. ' 1 0'
end
local victims, first = {}, nil
for entry in rare.each(lock.holds) do
  local hold = core.read(entry)
  if not first and hold.token <= asked and asked < hold.token + hold.tokens then
    first = hold.token
  end
  if hold.token == first then
    victims[#victims + 1] = hold.id
  end
end
for _, id in ipairs(victims) do
  core.leave(lock, id)
end
if victims[1] then
  removeForeign()
end
rare.sweepAside(lock)
core.serve(lock, ARGV[1])
if lock.existed then
  core.save(lock)
end
for _, id in ipairs(victims) do
  redis.pcall('PUBLISH', ARGV[1] .. string.sub(id, 1, 16), 'r' .. id .. rare.nameOf(lock))
end
return text(now) .. (victims[1] and ' 1' or ' 0') .. (lock.unfinished and ' 1' or ' 0')
