-- Tells who has the lock. Changes nothing.
--
-- KEYS   1 lock
-- Answer {now} if it is free, else {now, ms left, token, start of the hold in us, owner, host,
--        waiters}
--
-- Atomic because a script is: all of it belongs to one moment. It can run at any time, as often as
-- it likes.
local lock = load(KEYS[1], '', '', {})
expire(lock)
local hold = lock.s.h[1]
if not hold then
  return {now}
end
local ms = left(lock)
return {now, ms, hold[TOKEN], hold[SINCE], hold[OWNER], hold[HOST], lock.s.w + lock.s.d}
