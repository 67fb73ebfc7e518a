-- Gives a hold up and hands the lock to the next waiter; then attempts for waiters of the same
-- client, in the order of the arguments, behind all who waited before.
--
-- KEYS   1 lock, 2 counter of the bucket, 3 waiters that were passed over
-- ARGV   1 prefix of the mailbox channels, 2 server time in us after which it must not attempt,
--        3 hold id, 4 1 if the first attempt is only to be made if the hold was there, else 0,
--        5.. the attempts, see attempts.lua
-- Answer {now, 1 if the hold was there or else 0, grant, answers to the attempts...}; the grant is
--        {} or {id, token, tokens, lease in ms} of a waiter of the same client; an attempt that
--        was not made is answered {2}
--
-- Atomic because a script is: there is no moment in which the lock is free while somebody waits
-- who can be told.
-- The client dies before it arrives: the hold ends with its lease. It dies afterwards: another
-- client's waiter was told by its mailbox; a waiter of the dead client holds the lock for one lease
-- at the most. The answer is lost: a waiter of this client that got the lock finds out when it is
-- refreshed. It runs twice: the second run does not find the hold and hands nothing on; the
-- attempts are the same ones, see attempt.lua. It runs late: a hold that is still there is to be
-- freed, but ARGV[2] keeps attempts that were given up from being made.
local client = string.sub(ARGV[3], 1, 16)
local ids = {ARGV[3]}
for at = 5, #ARGV, PARTS do
  ids[#ids + 1] = ARGV[at]
end
local lock = load(KEYS[1], KEYS[2], KEYS[3], ids, found)
expire(lock)
local _, place = find(lock.s.h, ARGV[3])
local answer = {now, place and 1 or 0, {}}
if place then
  table.remove(lock.s.h, place)
  sweep(lock)
  local hold = serve(lock, ARGV[1], client)
  if hold then
    answer[3] = {hold[ID], hold[TOKEN], hold[TOKENS], math.floor((hold[UNTIL] - now) / 1000)}
  end
end
for at = 5, #ARGV, PARTS do
  local skipped = now > tonumber(ARGV[2]) or (at == 5 and ARGV[4] == '1' and not place)
  answer[#answer + 1] = skipped and {2} or attempt(lock, ARGV[1], at)
end
if place or ARGV[5] then
  save(lock)
end
return answer
