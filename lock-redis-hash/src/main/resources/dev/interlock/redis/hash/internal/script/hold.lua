-- Shared by all scripts: what a hold and a waiter are.
--
-- All scripts answer with one string, of numbers and words with a blank between them. A table would
-- cost the server a write to the network for nearly each of its elements.

-- A hold, or a waiter, is kept as one string, an entry:
--   id, 32 digits
--   end in us, 16 digits: of a hold its lease's, of a waiter its deadline
--   then, each with a blank before it: a hold's token, number of tokens and start in us, or a waiter's
--   lease in us, number of tokens and ticket; 1 for a grant for less than its lease until its client
--   confirms it, or else 0; units; capacity; 1 for an owner who shares, or else 0, and behind this the
--   length of the owner's name; and then, after one more blank, owner and host
-- A list of entries has a byte 0 before each of them, and an entry has none. So a script finds an entry
-- in a list, takes it out and puts it elsewhere without reading the others, nor what is in it.
-- A lease that is no longer than the time to confirm is granted whole, and need not be confirmed.

-- What the header of a lock begins with that is held once while nobody waits: then come the
-- hold's id, start in us, lease in ms, token, tokens, 1 or 0 for shared, the length of the owner's
-- name, all with a blank between them, a blank, owner and host. Any other header begins with VERSION,
-- see state.lua, and costs more to write.
local SINGLE = 'h'
