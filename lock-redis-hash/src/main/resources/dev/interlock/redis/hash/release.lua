-- Gives a hold up and hands the lock to the next waiter; then attempts for waiters of the same
-- client, in the order of the arguments, behind all who waited before.
--
-- KEYS   1 lock, 2 counter of the bucket, 3 waiters that were passed over
-- ARGV   1 prefix of the mailbox channels, 2 server time in us after which it must not attempt,
--        3 hold id, 4 1 if the first attempt is only to be made if the hold was there, else 0,
--        5.. the attempts, see attempts.lua
-- Answer now or 0, 1 if the hold was there or else 0, the grant to a waiter of the same client: its
--        id or '-', token, tokens, lease in ms; then the answers to the attempts, '2 0 0' for one
--        that was not made
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
local answer = {text(now), place and '1' or '0', '-', '0', '0', '0'}
if place then
  table.remove(lock.s.h, place)
  sweep(lock)
  local hold = serve(lock, ARGV[1], client)
  if hold then
    answer[3], answer[4], answer[5] = hold[ID], text(hold[TOKEN]), text(hold[TOKENS])
    answer[6] = text(math.floor((hold[UNTIL] - now) / 1000))
  end
end
for at = 5, #ARGV, PARTS do
  local skipped = now > tonumber(ARGV[2]) or (at == 5 and ARGV[4] == '1' and not place)
  answer[#answer + 1] = skipped and '2 0 0' or attempt(lock, ARGV[1], at)
end
if place or ARGV[5] then
  save(lock)
end
return table.concat(answer, ' ')
