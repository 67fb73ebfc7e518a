-- Tells who has the lock. Changes nothing.
--
-- KEYS   1 lock
-- Answer now, and unless it is free ms left, token, start of the hold in us, waiters, length of the
--        owner's name in bytes, then owner and host with no blank between them
--
-- Atomic because a script is: all of it belongs to one moment. It can run at any time, as often as
-- it likes. What other software has put there has no token and no beginning.
local NO_EXPIRY = 36500 * 86400000 -- a hundred years
local lock = loadAny(KEYS[1], '', '')
if not lock then
  local millis = redis.call('PTTL', KEYS[1])
  local owner = 'unknown: set by other software'
  local left = text(millis < 0 and NO_EXPIRY or millis)
  return table.concat({text(now), left, 0, 0, 0, #owner, ''}, ' ') .. owner
end
local hold = lock.s.h[1]
if not hold then
  return text(now)
end
local numbers = {
  text(now), (left(lock)), text(hold[TOKEN]), text(hold[SINCE]), lock.s.w + lock.s.d, #hold[OWNER], ''
}
return table.concat(numbers, ' ') .. hold[OWNER] .. hold[HOST]
