-- Takes the lock from whoever has it, tells the victims, and hands the lock on.
--
-- KEYS   1 lock, 2 counter of the bucket, 3 waiters that were passed over
-- ARGV   1 prefix of the mailbox channels
-- Answer now, 1 if it was held or else 0
--
-- Atomic because a script is: who is told is who lost it, and only after that was written, because
-- the write may be refused (see state.lua). The answer is lost, it runs twice or late: it takes the
-- lock from whoever has it then, as an operator asked; the client does not repeat it by itself. A
-- victim that cannot be told finds out when it renews or releases.
local lock = load(KEYS[1], KEYS[2], KEYS[3], {})
expire(lock)
local victims = lock.s.h
lock.s.h = {}
sweep(lock)
serve(lock, ARGV[1])
if lock.existed then
  save(lock)
end
local name = string.match(KEYS[1], '}:lock:(.*)')
for _, hold in ipairs(victims) do
  redis.pcall('PUBLISH', ARGV[1] .. clientOf(hold[ID]), 'r' .. hold[ID] .. name)
end
return text(now) .. (victims[1] and ' 1' or ' 0')
