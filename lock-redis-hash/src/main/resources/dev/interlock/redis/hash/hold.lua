-- Shared by all scripts: what a hold is.
--
-- All scripts answer with one string, of numbers and words with a blank between them. A table would
-- cost the server a write to the network for nearly each of its elements.

-- Holds and waiters are arrays with these places. CLAIMED is true for a grant for less than its lease,
-- until its client confirms it; a shorter lease is granted whole, and need not be confirmed. Only what
-- others may hold the lock beside has units and a capacity, see counted.lua.
local ID, UNTIL, TOKEN, TOKENS, SINCE, SHARED, OWNER, HOST, CLAIMED = 1, 2, 3, 4, 5, 6, 7, 8, 9
local UNITS, CAPACITY = 10, 11
local LEASE, TICKET = 3, 5

-- What the header of a lock begins with that is held once while nobody waits: then come the
-- hold's id, start in us, lease in ms, token, tokens, 1 or 0 for shared, the length of the owner's
-- name, all with a blank between them, a blank, owner and host. A packed header never begins like
-- this, and costs more to write.
local SINGLE = 'h'
