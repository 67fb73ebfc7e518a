-- Tells who has the lock. Changes nothing.
--
-- KEYS   1 lock
-- Answer now, and unless it is free ms left, token, start of the hold in us, waiters, length of the
--        owner's name in bytes, then owner and host with no blank between them
--
-- Atomic because a script is: all of it belongs to one moment. It can run at any time, as often as
-- it likes.
local lock = load(KEYS[1], '', '', {})
expire(lock)
local hold = lock.s.h[1]
if not hold then
  return text(now)
end
local numbers = {
  text(now), (left(lock)), text(hold[TOKEN]), text(hold[SINCE]), lock.s.w + lock.s.d, #hold[OWNER], ''
}
return table.concat(numbers, ' ') .. hold[OWNER] .. hold[HOST]
