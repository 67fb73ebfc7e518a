-- Gives a hold up, removes those to whom its client has passed the lock on meanwhile, and hands the
-- lock to the next waiter; then attempts for waiters of the same client, in the order of the
-- arguments, behind all who waited before.
--
-- KEYS   1 lock, 2 counter of the bucket, 3 waiters that were passed over
-- ARGV   1 prefix of the mailbox channels, 2 server time in us after which it must not attempt,
--        3 hold id, 4 1 if the first attempt is only to be made if the hold was there, else 0,
--        5 to how many the lock was passed on, 6.. their ids, then the attempts, see attempts.lua
-- Answer now or 0, 1 if the hold was there or else 0, 1 if the lock is free and waiters are left that
--        abandon.lua has to see to or else 0, the grant to a waiter of the same client: its id or
--        '-', token, tokens, lease in ms, how many heirs and their ids; then the answers to the
--        attempts, '2 0 0' for one that was not made
--
-- Atomic because a script is: there is no moment in which the lock is free while somebody waits
-- who can be told.
-- The client dies before it arrives: the hold ends with its lease. It dies afterwards: another
-- client's waiter was told by its mailbox; a waiter of the dead client holds the lock for one lease
-- at the most. The answer is lost: a waiter of this client that got the lock finds out when it is
-- refreshed. It runs twice: the second run finds neither the hold nor those to whom it was passed,
-- whose ids belong to nobody else, and hands nothing on; the attempts are the same ones, see
-- attempt.lua. It runs late: a hold that is still there is to be freed, but ARGV[2] keeps attempts
-- that were given up from being made.
local client = string.sub(ARGV[3], 1, 16)
local attempts = 6 + ARGV[5]
local ids = {ARGV[3]}
for at = 6, attempts - 1 do
  ids[#ids + 1] = ARGV[at]
end
for at = attempts, #ARGV, core.PARTS do
  ids[#ids + 1] = ARGV[at]
end
core.requireMaster(KEYS[3])
local lock = core.load(KEYS[1], KEYS[2], KEYS[3], ids, found)
if now >= lock.first then
  rarely().expire(lock)
end

local held = core.leave(lock, ARGV[3])
local changed = held
for at = 6, attempts - 1 do
  -- One who had the lock without the server may hold it if the grant was taken away.
  local gone = core.leave(lock, ARGV[at]) or core.remove(lock, ARGV[at])
  changed = changed or gone
end
local answer = {text(now), held and '1' or '0', '0', '-', '0', '0', '0', '0'}
if changed then
  if lock.away > 0 then
    rarely().sweepAside(lock)
  end
  local hold, heirs = core.serve(lock, ARGV[1], held and client)
  if hold then
    answer[4], answer[5], answer[6] = hold.id, text(hold.token), hold.tokens
    answer[7] = text(math.floor((hold.ends - now) / 1000))
    answer[8] = #heirs
    for _, id in ipairs(heirs) do
      answer[#answer + 1] = id
    end
  end
end
for at = attempts, #ARGV, core.PARTS do
  local skipped = now > tonumber(ARGV[2]) or (at == attempts and ARGV[4] == '1' and not held)
  answer[#answer + 1] = skipped and '2 0 0' or core.attempt(lock, ARGV[1], at)
end
if lock.unfinished and lock.capacity > 1 then
  answer[3] = '1'
end
if changed or ARGV[attempts] then
  core.save(lock)
end
return table.concat(answer, ' ')
