package dev.interlock.tck.teststore;

/** What is wrong with the store or its client. */
public enum Fault {
  /** Nothing. */
  NONE,
  /** A release frees the lock whoever holds it. */
  NO_OWNER_CHECK,
  /** The lease is set by a second command: a crash between the two locks for ever. */
  EXPIRES_AFTERWARDS,
  /** The client's wall clock decides when a lease is over. */
  CLIENT_CLOCK,
  /**
   * A holder is known by the name of its thread and how often that asked, which is unique within
   * one client only.
   */
  THREAD_NAME,
  /** A renewal brings back a hold that is gone. */
  RESURRECTS,
  /** The fencing token stays the same. */
  TOKEN_STANDS_STILL,
  /** The lease of the first attempt on a name is used for later ones that ask for far more. */
  FIRST_LEASE_STICKS,
  /** An error of the server is answered as "held by another". */
  ERROR_MEANS_BUSY,
  /** Names are compared without regard to case. */
  FOLDS_NAMES,
  /** Inspection does not see the waiters. */
  BLIND_INSPECT,
  /** A repeated attempt counts as a second entry. */
  REPLAY_COUNTS,
  /** Who gives up stays in the queue. */
  KEEPS_WAITERS,
  /** Waiters are not told of a release, they look again every 250 ms. */
  POLLS,
  /** Something is kept for each name for ever. */
  KEEPS_NAMES,
  /** Closing leaves connections and threads behind. */
  STAYS_CONNECTED,
  /** An attempt is never answered. */
  HANGS,
  /** A client's second attempt is never answered. */
  HANGS_LATER,
  /** An attempt looks in one step whether it waits already, and enters the queue in another. */
  LOOKS_THEN_QUEUES,
  /** A repeated attempt is given another token. */
  TOKEN_CHANGES,
  /** The same of one that holds a part. */
  PART_TOKEN_CHANGES,
  /** The hold of an attempt that was given up is kept alive. */
  RENEWS_ORPHANS,
  /** Every attempt is answered with a new token, and nothing is ever held. */
  ALWAYS_YES,
  /** Nothing is ever granted, and nothing is done. */
  DOES_NOTHING,
  /** The end of any connection of a client frees what the client holds. */
  FREES_ON_DISCONNECT,
  /** A release wakes every waiter. */
  WAKES_ALL,
  /** Waiters look again all the time. */
  SPINS,
  /** Renewals are sent one by one. */
  RENEWS_ONE_BY_ONE,
  /** The counter of tokens is part of the state that can be lost, and begins again at 1. */
  TOKENS_BEGIN_AGAIN,
  /** A subscription that was cut is not made again. */
  DEAF_AFTER_CUT,
  /** A connection on which no answer came is used for the next command. */
  KEEPS_DEAF_CONNECTIONS,
  /** Waiters look again when the lease is over, and not after a subscription was cut. */
  TRUSTS_MESSAGES,
  /** An answer that says "again" is taken for final. */
  GIVES_UP_AT_ONCE,
  /** An attempt that could not be sent is answered as "held by another". */
  CUT_MEANS_BUSY,
  /** A value is compared by its beginning: an earlier holder's release frees the lock. */
  COMPARES_BEGINNINGS,
  /** A lock whose lease is over is taken, and the answer is "held by another". */
  TAKES_AND_SAYS_BUSY,
  /** An attempt looks whether the lock is free in one step, and takes it in another. */
  LOOKS_THEN_TAKES,
  /** An attempt that is not to wait is answered late if the lock is held. */
  BLOCKS_WHEN_HELD,
  /** Renewals from the fourth on are confirmed and not made. */
  FORGETS_RENEWALS,
  /** A renewal is confirmed and not made while more than half of the lease is left. */
  SKIPS_EARLY_RENEWALS,
  /** An attempt whose answer did not come is reported as one that was not made. */
  LOST_MEANS_UNSENT,
  /** A holder hears of no loss: revocations are not passed on, and a release always succeeds. */
  HIDES_LOSSES,
  /** Each grant starts a timer that sends renewals, also after the release. */
  TIMERS_MULTIPLY,
  /** After every hundredth answer the connection is left open, and never used again. */
  LEAKS_CONNECTIONS,
  /** The first three hundred connections that are used are left open, and never used again. */
  HOARDS_CONNECTIONS,
  /** An interrupt that comes during a command is forgotten. */
  FORGETS_INTERRUPTS,
  /** A waiter whose attempt is repeated stands in the queue twice. */
  QUEUES_TWICE,
  /** Who waits is looked up by a part of its owner's name. */
  MATCHES_SUBSTRINGS,
  /** An entry of the queue is one text, whose parts are between bars; what has more is dropped. */
  QUEUE_SPLITS_ENTRIES,
  /** The queue has room for twenty; who comes then must come again. */
  QUEUE_OF_TWENTY,
  /** A waiter at the head of the queue whose client is gone keeps the others waiting. */
  DEAD_HEAD_BLOCKS,
  /** Who came last is served first. */
  SERVES_THE_LAST,
  /** A waiter that gave up keeps its place in the queue. */
  KEEPS_TIMED_OUT,
  /** A forced release takes the lock from whoever has it, whichever hold it was to end. */
  FORCES_ANYBODY,
  /** A renewal that could not be sent, or was not answered, is answered as "gone". */
  UNSENT_MEANS_GONE,
  /** Of a batch of renewals with a lost one among them all are answered as "gone". */
  BATCH_SHARES_ANSWER,
  /** The client's calls go through the common pool of the JVM. */
  NEEDS_COMMON_POOL,
  /** Renewals that are sent together fail together. */
  ONE_FAILS_ALL,
  /** A full store refuses to renew and to release. */
  FULL_MEANS_STUCK,
  /** An abandonment returns before it is done. */
  ABANDONS_LATER,
  /** A shared owner enters beside its hold only while nobody waits. */
  OWNER_BEHIND_QUEUE,
  /** A grant to a shared owner is not told to those who wait as that owner. */
  TELLS_NO_OWNER,
  /** A renewal that the store refused is answered as "gone". */
  REFUSED_MEANS_GONE,
  /**
   * The lease that is sent is corrected by how far the wall clock moved since the client opened.
   */
  FOLLOWS_CLOCK,
  /** The same for renewals only. */
  RENEWALS_FOLLOW_CLOCK,
  /** Leases of two seconds and more are cut to whole seconds. */
  CUTS_TO_SECONDS,
  /** Leases are rounded up to whole seconds. */
  ROUNDS_UP,
  /** No lease is longer than 15 seconds. */
  CAPS_LEASES,
  /** The same, and inspection tells the lease that was asked for. */
  CAPS_AND_HIDES,
  /** Milliseconds of a lease are kept in 32 bits. */
  WRAPS_MILLIS,
  /** A renewal that asks for more than ten seconds gets ten. */
  CAPS_RENEWALS,
  /** Each hundredth hold has no lease of its own: it ends after a second. */
  HUNDREDTH_IS_SHORT,
  /** A release looks for its hold in one step, and frees the name in another. */
  LOOKS_THEN_FREES,
  /** An abandonment looks for its hold in one step, and frees the name in another. */
  LOOKS_THEN_ABANDONS,
  /** A renewal looks for its hold in one step, and prolongs whatever is there in another. */
  LOOKS_THEN_RENEWS,
  /** A forced release compares the token in one step, and frees the name in another. */
  LOOKS_THEN_FORCES,
  /** Whether a lease is over is looked at in one step, and it is replaced in another. */
  LOOKS_THEN_REPLACES,
  /** The fencing token is drawn in a step before the one that takes the lock. */
  DRAWS_TOKEN_FIRST,
  /** A waiter looks whether the lock is free in one step, and notes that it waits in another. */
  LOOKS_THEN_WAITS,
  /** Inspection reads the owner in one step and the token in another. */
  INSPECTS_IN_TWO_STEPS,
  /** Of a batch of renewals with a held one among them all are answered as held. */
  ONE_HELD_ALL_HELD,
  /** Of a batch of renewals only the first hundred are sent, and all are answered as held. */
  HUNDRED_OF_BATCH,
  /** The first and the last of a batch of renewals are taken for one another. */
  SWAPS_ENDS_OF_BATCH,
  /** An expired hold is kept until its name is used again. */
  KEEPS_EXPIRED,
  /** A hold that was ended by force leaves something behind for ever. */
  KEEPS_FORCED,
  /** A name that somebody waited for in vain is kept for ever. */
  KEEPS_AWAITED,
  /** Names are told apart by their hash code. */
  HASHES_NAMES,
  /** Names are told apart by a checksum. */
  CHECKSUMS_NAMES,
  /** Only the last 200 characters of a name count. */
  CUTS_NAMES_IN_FRONT,
  /** Those from the tenth place of the queue on are served in reverse. */
  UNFAIR_FROM_TEN,
  /** After an expiry who came last is served first. */
  UNFAIR_AFTER_EXPIRY,
  /** Who comes when a hold has run out takes the lock, whoever waits. */
  PASSES_AFTER_EXPIRY,
  /** After a forced release who came last is served first. */
  UNFAIR_AFTER_FORCE,
  /** The fencing token does not grow over an expiry. */
  TOKEN_STANDS_OVER_EXPIRY,
  /** The fencing token begins again after 500 holds. */
  TOKEN_WRAPS,
  /** Of the tokens that a hold reserves all but the first are given to the next as well. */
  RESERVES_ONE_TOKEN,
  /** An abandonment frees the lock whoever holds it. */
  ABANDONS_ANYBODY,
  /** A release frees what the same client holds, whichever attempt got it. */
  COMPARES_CLIENTS,
  /** No fault: the server's wall clock is three minutes ahead. */
  CLOCK_AHEAD,
  /** The server tells its local time as if it were that of Greenwich. */
  LOCAL_TIME,
  /** Inspection answers what it found half a second ago. */
  STALE_INSPECT,
  /** A lease ends on the server after nine tenths of its time. */
  ENDS_EARLY,
  /** Each renewal is answered as held, and no loss is told. */
  RENEWS_ANYTHING,
  /** A client whose connections failed is not served again. */
  STAYS_BROKEN,
  /** A client holds two locks at most: a third ends its first. */
  TWO_HOLDS_A_CLIENT,
  /** A release wakes a waiter whose client is gone, and nobody else. */
  WAKES_THE_DEAD,
  /** A release by a shared owner ends all entries of that owner. */
  ONE_EXIT_ENDS_ALL,
  /** An entry of a shared owner that is repeated needs as many releases. */
  REPEATED_ENTRY_COUNTS,
  /** It is said to be durable, and keeps nothing over a restart. */
  NOT_DURABLE,
  /** Holds are there after a restart, and the order of the queue is not. */
  ORDER_NOT_DURABLE,
  /** What was answered to an attempt is answered to its repetition, though the lease is over. */
  REPEATS_ANSWERS,
  /** The password stands in the message that tells that no connection was made. */
  QUOTES_PASSWORD,
  /** The password stands in a cause of the exception that tells that it is wrong. */
  QUOTES_WRONG_PASSWORD,
  /** A reader enters whoever holds the lock. */
  READS_BESIDE_WRITER,
  /** A reader that comes while a writer waits enters beside the readers that are there. */
  READERS_PASS_WAITING_WRITERS,
  /** Readers in the queue are served before a writer in front of them that does not fit. */
  READERS_OVERTAKE_IN_QUEUE,
  /** Only a free lock is given to the first in the queue, and nobody behind it comes in with it. */
  SERVES_ONE_OF_QUEUE,
  /** A writer that asks for the read lock waits for itself. */
  WRITER_WAITS_FOR_ITSELF,
  /** Readers have a counter of tokens of their own, which is ahead. */
  READERS_COUNT_APART,
  /** A repeated attempt of a reader is another reader. */
  REPEATED_READER_COUNTS,
  /** Each holder counts as one, however many permits it has. */
  COUNTS_HOLDERS,
  /** Permits are a number, without a lease: those of a dead client are lost. */
  PERMITS_HAVE_NO_LEASE,
  /** A release of permits that are not held any more gives others' permits back. */
  PERMITS_COME_BACK_TWICE,
  /** Who asks for one permit does not wait behind one who asks for many. */
  SMALL_PASSES_LARGE,
  /** Only the size that the request itself names counts. */
  OWN_SIZE_COUNTS,
  /** Of a semaphore that is held the size counts with which it was. */
  FIRST_SIZE_COUNTS,
  /** A renewal of one holder prolongs the leases of all who hold the lock together. */
  RENEWS_ALL_HOLDERS,
  /** Whether a further holder fits is counted in one step, and it is added in another. */
  COUNTS_THEN_TAKES,
  /** A renewal adds its lease to what is left of the one before. */
  RENEWALS_ADD_UP,
  /** Of a batch of renewals one for each name is made, and answered for all of that name. */
  BATCH_BY_NAME,
  /** Of a long name only the beginning and the end count. */
  CUTS_NAMES_IN_MIDDLE,
  /** Letters of a name that Latin-1 does not have are question marks. */
  LATIN_NAMES,
  /** Accents of a name do not count. */
  FOLDS_ACCENTS,
  /** A name is taken for a pattern: a lock that it matches is another lock's. */
  PATTERN_NAMES,
  /** Names are told apart by another short hash. */
  FNV_NAMES,
  /** Names are kept by the hash that PostgreSQL calls hashtext. */
  LOOKUP3_NAMES,
  /** Names are escaped as in a URL, and cut then. */
  ESCAPES_THEN_CUTS,
  /** A renewal prolongs what the same client holds, whichever attempt got it. */
  RENEWS_BY_CLIENT,
  /** An attempt of a client that holds the lock is granted. */
  CLIENT_REENTERS,
  /** There is room for 500 locks; the one that is held longest makes room. */
  EVICTS_NAMES,
  /** There is room for 500 locks; every other one is busy. */
  REFUSES_NAMES,
  /** Only fifty waiters of a lock are told of a release. */
  NOTES_FIFTY_WAITERS,
  /** A forced release wakes no waiter. */
  FORCE_WAKES_NOBODY,
  /** An abandonment of a hold wakes no waiter. */
  ABANDON_WAKES_NOBODY,
  /** The fencing token does not grow over a forced release. */
  TOKEN_STANDS_OVER_FORCE,
  /** The fencing token begins again after 1,100 holds. */
  TOKEN_WRAPS_LATE,
  /** A renewal's lease is corrected by how far the wall clock moved since the hold began. */
  HOLDS_FOLLOW_CLOCK,
  /** A release that could not be sent, or was not answered, is reported as done. */
  UNSENT_RELEASE_MEANS_DONE,
  /** Inspection that fails answers that the lock is free. */
  FAILED_INSPECT_MEANS_FREE,
  /** After a connection was lost the first answer to a renewal is "gone". */
  GONE_AFTER_RECONNECT,
  /** Names of owners are compared without regard to case. */
  FOLDS_OWNERS,
  /** Of an owner's name the first 64 characters count. */
  CUTS_OWNERS,
  /** Letters of an owner's name that Latin-1 does not have are question marks. */
  LATIN_OWNERS,
  /** The end of one of those who hold a lock together ends all. */
  ONE_EXPIRY_ENDS_ALL,
  /** Permits are kept in eight bits. */
  PERMITS_IN_8_BITS,
  /** Permits are kept in sixteen bits, one of them for the sign. */
  PERMITS_IN_16_BITS,
  /** There is room for 64 who hold a lock together. */
  SIXTY_FOUR_HOLDERS,
  /** One step serves three of the queue at most, and nobody comes for those behind them. */
  SERVES_THREE,
  /** After its renewal a hold counts as one permit. */
  RENEWAL_LOSES_UNITS,
  /** A forced release by the token of one holder ends all who hold the lock together. */
  FORCE_ENDS_ALL,
  /** The queue of a lock that is held is served by releases only. */
  SERVES_ON_RELEASE_ONLY,
  /** A renewal for less than what is left makes the lease shorter. */
  RENEWAL_SHORTENS,
  /** Inspection knows the first 191 characters of a name. */
  INSPECT_CUTS_NAMES,
  /** A client is told of a hundred events. */
  DEAF_AFTER_HUNDRED,
  /** A forced release that could not be sent, or was not answered, is answered as "it was free". */
  FORCE_FAILED_MEANS_FREE,
  /** An attempt for which the store has no room is answered as "held by another". */
  FULL_MEANS_BUSY,
  /** An abandonment that could not be sent, or was not answered, is reported as done. */
  ABANDON_FAILED_MEANS_DONE,
  /** A subscription that was cut is made again once. */
  DEAF_AFTER_SECOND_CUT,
  /** A subscription that was cut is not made again if that fails at first. */
  DEAF_AFTER_FAILED_RECONNECT,
  /** Who gives up takes the other waiters of its client along. */
  ABANDON_REMOVES_CLIENT,
  /** Inspection shows a hold whose lease is over until somebody asks for the lock. */
  INSPECT_SEES_EXPIRED,
  /** Inspection tells the time of the last renewal as the time since when the lock is held. */
  SINCE_OF_RENEWAL,
  /** An attempt that is not to wait leaves a place in the queue. */
  NO_WAIT_QUEUES,
  /** When several of a client are let in together, it is told of one. */
  TELLS_CLIENT_ONCE,
  /** Who comes to hold a lock together with others gives all of them its own lease. */
  JOINER_SETS_LEASES,
  /** Who comes to hold a lock together with others gives all of them its own token. */
  JOINER_SETS_TOKENS,
  /** The first client that has had a lock hundreds of times sends each attempt for it late. */
  LATE_AFTER_HUNDREDS,
  /** Each client that has had a lock hundreds of times sends each attempt for it late. */
  ALL_LATE_AFTER_HUNDREDS,
  /** An entry of a shared owner cuts the leases of that owner's other entries to its own. */
  ENTRY_CUTS_OWNERS_LEASES,
  /** A renewal of an entry of a shared owner prolongs that owner's other entries. */
  RENEWS_OWNERS_ENTRIES,
  /** Once the first entry of a shared owner has ended, further entries have tokens of their own. */
  TOKEN_LEAVES_WITH_ENTRY,
  /** A forced release ends one entry of a shared owner. */
  FORCE_ENDS_ONE_ENTRY,
  /** A grant to a shared owner is told to one of those who wait as that owner. */
  TELLS_ONE_OF_OWNER,
  /** A renewal cuts the leases of those who hold the lock together with it to its own. */
  RENEWAL_CUTS_OTHERS,
  /** An attempt removes one of several holds that have expired. */
  EXPIRES_ONE_AT_A_TIME,
  /** After a forced release of several permits one comes back, the others when the lease ends. */
  FORCE_GIVES_ONE_BACK,
  /** A reader that comes beside a hold of its own is let in though that hold is gone. */
  BESIDE_IS_NOT_CHECKED,
  /** Inspection tells ten of those who hold a lock together. */
  INSPECT_TELLS_TEN,
  /** A forced release without a token ends one of those who hold the lock together. */
  FORCE_TAKES_FIRST_HOLDER,
  /** Of an owner's name inspection tells the first 64 characters. */
  INSPECT_CUTS_OWNERS,
  /** The queue is in the order of the clients' wall clocks. */
  QUEUE_BY_CLIENT_CLOCK,
  /** A place in the queue is lost after five seconds, however often it is renewed. */
  PLACE_LASTS_FIVE_SECONDS,
  /** A renewal raises no token. */
  IGNORES_MIN_TOKEN,
  /** A renewal raises the token of its hold, and the next hold has a smaller one. */
  RAISES_NO_COUNTER,
  /** A counter of tokens that was lost begins at the server's time in milliseconds. */
  TOKENS_COUNT_FROM_MILLIS,
  /** Events go by a channel with the first 63 characters of a lock's name. */
  CUTS_CHANNEL_NAMES,
  /** A client is not told of what its own commands bring about. */
  TELLS_NOT_ITSELF,
  /** A renewal to which the answer is "again" is not repeated. */
  RENEWALS_GIVE_UP,
  /** The kind of the first of a batch of renewals is taken for that of all. */
  FIRST_OF_BATCH_DECIDES,
  /** Something is kept for each name that was shared, for ever. */
  KEEPS_SHARED,
  /** Something is kept for each name that was inspected, for ever. */
  KEEPS_INSPECTED,
  /** Each wait opens a connection that stays open. */
  WAITS_LEAK_CONNECTIONS,
  /** No lease is shorter than a second. */
  RAISES_LEASES,
  /** What a client holds ends when it has had no connection for four seconds. */
  SESSIONS_END,
  /** The counter of a lock's tokens is in the place of another lock's name. */
  TOKENS_AMONG_NAMES,
  /** The lease of who stood in the queue counts from when it came there. */
  FAIR_LEASE_FROM_ARRIVAL,
  /** A release frees the lock in one step, and serves the queue in another. */
  RELEASES_THEN_SERVES,
  /** Whether its owner holds the lock is looked at in one step, and it enters in another. */
  OWNER_LOOKS_THEN_ENTERS,
  /** The fencing token does not grow over an abandonment. */
  TOKEN_STANDS_OVER_ABANDON,
  /** An attempt to share a lock that fails is answered as "held by another". */
  SHARED_ERROR_MEANS_BUSY,
  /** No lease of a part of a lock is longer than 15 seconds. */
  SHARED_LEASES_CAPPED,
  /** Who stands in the queue is told nothing, and looks again every 250 ms. */
  FAIR_WAITERS_POLL,
  /** All who hold permits at the same time have the token of the first. */
  PERMITS_SHARE_TOKEN,
  /** A forced release of who shared a lock serves nobody. */
  SHARED_FORCE_WAKES_NOBODY,
  /** A waiting writer whose client is gone keeps readers out until its place runs out. */
  DEAD_WRITER_KEEPS_READERS_OUT,
  /** Who is granted a lock from its queue has the token of the hold before. */
  QUEUE_KEEPS_TOKEN,
  /** An attempt that keeps the order looks in one step, and takes the lock in another. */
  FAIR_LOOKS_THEN_TAKES,
  /** All of a batch of renewals have the lease of the first. */
  BATCH_HAS_ONE_LEASE,
  /** The end of any connection of a client frees what it holds for named owners. */
  OWNERS_END_ON_DISCONNECT,
  /**
   * The lease of a part of a lock is corrected by how far the wall clock moved since the client
   * opened.
   */
  PARTS_FOLLOW_CLOCK,
  /** It is said to be durable, and a restart takes back what renewals added to a lease. */
  RENEWALS_NOT_DURABLE,
  /** Something is kept for each name that had a queue, for ever. */
  KEEPS_QUEUES,
  /** Renewals of a hold from the hundred and first on are confirmed and not made. */
  RENEWALS_RUN_OUT,
  /** A subscription that was cut is not made again if that fails for two seconds. */
  DEAF_AFTER_OUTAGE,
  /** Who stands in the queue does not look again when the lease of the holder is over. */
  QUEUE_SLEEPS_PAST_EXPIRY,
  /** Each command that fails uses up one of 64 places for commands on the way. */
  FAILURES_USE_UP_PLACES,
  /** A waiter for all permits whose client is gone keeps others out until its place runs out. */
  DEAD_WAITER_KEEPS_PERMITS,
  /** What a client holds ends when it has had no connection for ten seconds. */
  SESSIONS_END_LATE,
  /** A place in the queue is lost after 18 seconds, however often it is renewed. */
  PLACE_LASTS_EIGHTEEN_SECONDS,
  /** A release of a part of a lock that was not answered is reported as done. */
  SHARED_RELEASE_MEANS_DONE,
  /** A renewal of a part of a lock that was not answered is answered as "gone". */
  SHARED_UNSENT_MEANS_GONE,
  /** A renewal of a part of a lock to which the answer is "again" is not repeated. */
  SHARED_RENEWALS_GIVE_UP,
  /** A renewal of a part of a lock that asks for more than ten seconds gets ten. */
  SHARED_RENEWALS_CAPPED,
  /** The same, and inspection tells the lease that was asked for. */
  SHARED_RENEWALS_CAPPED_AND_HIDDEN,
  /** One step serves sixteen of the queue at most, and nobody comes for those behind them. */
  SERVES_SIXTEEN,
  /** A named owner that comes again after its lease has run out has the token that it had. */
  OWNER_KEEPS_TOKEN,
  /** A client that comes again after its lease has run out has the token that it had. */
  CLIENT_KEEPS_TOKEN,
  /** Who stands in the queue looks again all the time. */
  FAIR_WAITERS_SPIN,
  /** The client keeps something of each hold for ever. */
  KEEPS_HOLDS,
  /** Closing asks the server again and again until it answers. */
  CLOSE_AWAITS_ANSWER,
  /** Who keeps a place in the queue is not answered that its owner has the lock. */
  HIDES_OWNERS_HOLD,
  /** Whoever waits as a named owner is answered that it has the lock, and asks for itself. */
  TELLS_OF_OWNER_ALWAYS,
  /** An attempt that is repeated begins no lease anew that goes on for two seconds. */
  REPEAT_KEEPS_LEASE,
  /** The smallest size that was ever named of a semaphore counts for ever. */
  SIZE_STICKS,
  /** A named owner that reads is let write, whoever else reads. */
  OWNER_UPGRADES,
  /** An abandonment of one of those who hold a lock together ends all. */
  ABANDON_ENDS_ALL_PARTS,
  /** A forced release by the token of one holder of permits ends all holders. */
  FORCE_ENDS_ALL_PERMITS,
  /** A waiter looks again when the lease is over that it found first, and not before. */
  LOOKS_AFTER_LEASE_FOUND_FIRST,
  /** One who waits for several holders looks again when the first one's lease is over. */
  LOOKS_AFTER_FIRST_HOLDER,
  /** A name is taken for a path, and made simpler. */
  PATHS,
  /** A plus in a name is a blank. */
  PLUS_IS_BLANK,
  /** Escapes in a name are resolved. */
  UNESCAPES_NAMES,
  /** Names are told apart by the end of a digest. */
  DIGEST_ENDS,
  /** A name that is a number is kept as a number. */
  NUMERIC_NAMES,
  /** Something is kept for each hold that was abandoned, for ever. */
  KEEPS_ABANDONED,
  /** A part of a lock that expired stays until the name is used again. */
  KEEPS_EXPIRED_PARTS,
  /** A counter of tokens that was not used for five seconds begins again at 1. */
  SWEEPS_COUNTERS,
  /** Places in the queue have numbers of three digits. */
  PLACES_OF_THREE_DIGITS,
  /** A client is told of a thousand events. */
  DEAF_AFTER_THOUSAND,
  /** It is said to be durable, and what was granted from the queue is not. */
  HAND_OFFS_NOT_DURABLE,
  /** It is said to be durable, and a restart takes back forced releases. */
  FORCE_NOT_DURABLE,
  /** It is said to be durable, and a restart takes back what renewals added to parts of a lock. */
  PART_RENEWALS_NOT_DURABLE,
  /** A full store refuses to renew and to release parts of a lock. */
  FULL_MEANS_PARTS_STUCK,
  /** The hold after one that was forced out or abandoned has at least the rest of its lease. */
  LEASE_OUTLIVES_HOLD,
  /** A release of a part reads who holds the lock in one step, and writes the others in another. */
  RELEASE_REWRITES_HOLDERS,
  /** A renewal of a part reads who holds the lock in one step, and writes all in another. */
  RENEWAL_REWRITES_HOLDERS,
  /** Who comes into the queue reads it in one step, and writes it in another. */
  REWRITES_QUEUE,
  /** A forced release of a lock serves nobody who waits for a part. */
  FORCE_SERVES_NO_PARTS,
  /** When the queue is served, those who wait beside it are forgotten. */
  QUEUE_FORGETS_OTHERS,
  /** A waiter that was woken and gives up wakes nobody. */
  WOKEN_LEAVER_WAKES_NOBODY,
  /** A waiter without a limit is not noted. */
  ENDLESS_WAITS_ARE_NOT_NOTED,
  /** An attempt for a part that is not to wait is answered late if the lock is held. */
  PARTS_BLOCK_WHEN_HELD,
  /** A waiter for a part whose attempt is repeated stands in the queue twice. */
  PARTS_QUEUE_TWICE,
  /** A waiter for permits that gave up keeps its place in the queue. */
  KEEPS_TIMED_OUT_PERMITS,
  /** The lease of who keeps the order is corrected by how far the wall clock moved. */
  FAIR_LEASES_FOLLOW_CLOCK,
  /** The lease of a named owner is corrected by how far the wall clock moved. */
  OWNERS_LEASES_FOLLOW_CLOCK,
  /** Renewals of a part from the hundred and first on are confirmed and not made. */
  PART_RENEWALS_RUN_OUT,
  /** Inspection begins the lease anew. */
  INSPECT_PROLONGS,
  /** Inspection tells the rest of the first holder's lease for all who hold a lock together. */
  INSPECT_TELLS_ONE_LEASE,
  /** A release by a shared owner ends all entries of that owner's client. */
  EXIT_ENDS_ALL_OF_CLIENT,
  /** There is room for 64 entries of an owner. */
  SIXTY_FOUR_ENTRIES,
  /** Of a batch of places in queues one for each name is renewed, and answered for all. */
  PLACES_BY_NAME,
  /** Readers and holders of permits are counted apart. */
  READERS_APART_FROM_PERMITS,
  /** Of the tokens that a grant from the queue reserves all but the first are given again. */
  QUEUE_RESERVES_ONE_TOKEN,
  /** A renewal brings back a hold that has expired if others still hold the lock. */
  RENEWS_EXPIRED_PARTS,
  /** A release by a shared owner reads its entries in one step, and writes them in another. */
  OWNER_RELEASE_REWRITES_ENTRIES,
  /** A forced release reads who holds the lock in one step, and writes the others in another. */
  FORCE_REWRITES_HOLDERS,
  /** A release that finds an expired hold removes it in another step, whatever is there by then. */
  RELEASE_REMOVES_EXPIRED,
  /** The same of a renewal. */
  RENEWAL_REMOVES_EXPIRED,
  /** The same of an inspection. */
  INSPECT_REMOVES_EXPIRED,
  /** Who leaves the queue reads it in one step, and writes it in another. */
  LEAVER_REWRITES_QUEUE,
  /** Who keeps its place reads the queue in one step, and writes it in another. */
  PLACE_RENEWAL_REWRITES_QUEUE,
  /** A release reads the queue in one step, and writes it in another. */
  RELEASE_REWRITES_QUEUE,
  /** The names of a batch of renewals are sent as one text, with commas between them. */
  BATCH_SPLITS_NAMES,
  /** The lease of a grant from the queue counts from when its message comes. */
  COUNTS_GRANTS_FROM_MESSAGE,
  /** A waiter whose limit is below a second is not noted. */
  BRIEF_WAITS_ARE_NOT_NOTED,
  /** Permits have a counter of tokens of their own, which is ahead. */
  PERMITS_COUNT_APART,
  /** Named owners have a counter of tokens of their own, which is ahead. */
  OWNERS_COUNT_APART,
  /** After an expiry the tokens that the hold had reserved are given again. */
  RESERVED_TOKENS_END_WITH_LEASE,
  /** An attempt that is repeated after its hold has ended has the token that it had. */
  SAME_ATTEMPT_KEEPS_TOKEN,
  /** After its renewal a hold of permits counts on no size. */
  RENEWAL_LOSES_SIZE,
  /** A named owner enters beside a hold that has its name by chance. */
  UNNAMED_OWNERS_COUNT,
  /** Queues are kept under names without regard to case. */
  QUEUES_FOLD_NAMES,
  /** A forced release ends the holds of all names that differ by case. */
  FORCE_FOLDS_NAMES,
  /** Inspection looks names up without regard to case. */
  INSPECT_FOLDS_NAMES,
  /** After an abandonment who came last is served first. */
  UNFAIR_AFTER_ABANDON,
  /** Who comes for a part when a hold has run out takes it, whoever waits. */
  PARTS_PASS_AFTER_EXPIRY,
  /** Who leaves the queue makes no room for those behind it who wait for permits. */
  LEAVER_SERVES_NO_PERMITS,
  /** Who waits for a part is told nothing, and looks again every 250 ms. */
  PARTS_POLL,
  /** It is said to be durable, and a restart takes back abandonments. */
  ABANDON_NOT_DURABLE,
  /** It is said to be durable, and a restart takes back releases of parts. */
  PART_RELEASES_NOT_DURABLE,
  /** Of a grant from the queue inspection tells the time of arrival, by the client's clock. */
  SINCE_OF_ARRIVAL,
  /** Of a grant from the queue inspection tells the owner before. */
  INSPECT_TELLS_OWNER_BEFORE,
  /** Inspection tells neither permits nor sizes. */
  INSPECT_TELLS_NO_UNITS,
  /** Only the lower half of an attempt's id counts. */
  IDS_BY_HALF,
  /** Who keeps its place in the queue is not told that it was granted the lock. */
  PLACE_HIDES_GRANT,
  /** Of a forced release all holds of the victim's client hear. */
  REVOKES_ALL_OF_CLIENT,
  /** At each page but the first a list leaves one lock out. */
  LIST_SKIPS_AT_PAGES,
  /** A list goes on after as many locks as it has looked at, and not after the last one. */
  LIST_BY_OFFSET,
  /** A page without a hold is the last one of a list. */
  LIST_ENDS_AT_EMPTY_PAGE,
  /** What names begin with is taken for a pattern. */
  LIST_PREFIX_IS_PATTERN,
  /** A list tells holds that have expired. */
  LISTS_EXPIRED,
  /** Who came last is told first of those who wait. */
  WAITERS_IN_REVERSE,
  /** An answer that comes too late is taken for that of the next command. */
  LATE_ANSWER_IS_NEXT,
  /** A client that has been told nothing for four seconds is told nothing any more. */
  DEAF_WHEN_IDLE,
  /** A forced release with the token 0 takes the lock from whoever has it. */
  FORCE_ZERO_IS_ANYBODY,
  /** Of a batch of renewals at most 64 of a name are made. */
  RENEWS_SIXTY_FOUR_OF_NAME,
  /** It is said to be durable, and who left the queue is there again after a restart. */
  DEPARTURES_NOT_DURABLE,
  /** A name that somebody waited for a part of in vain is kept for ever. */
  KEEPS_AWAITED_PARTS,
  /** A client that has looked at a lock that it holds answers from memory until its release. */
  INSPECT_REMEMBERS_OWN,
  /** A renewal raises the token of a part, and the next hold has a smaller one. */
  PARTS_RAISE_NO_COUNTER,
  /** What a release takes along is answered as granted, and is not noted. */
  HAND_OFF_IS_NOT_KEPT,
  /** A release that takes an attempt along gives the lock to nobody. */
  HAND_OFF_TO_NOBODY,
  /** What a release takes along is granted before those who stand in the queue. */
  HAND_OFF_PASSES_QUEUE,
  /** Of a client the abandonments from the hundred and first on are confirmed and not made. */
  ABANDONMENTS_RUN_OUT,
  /** Something is kept for each client, for ever. */
  KEEPS_CLIENTS,
  /** Each fifth event is told a second late. */
  FIFTH_EVENT_IS_LATE,
  /** Clients from the seventeenth on that wait for a lock are served in reverse. */
  UNFAIR_FROM_SEVENTEEN_CLIENTS,
  /** A list begins the leases that it tells anew. */
  LIST_PROLONGS,
  /** A late release of a named owner ends what that owner has by then. */
  RELEASE_COMPARES_OWNERS,
  /** A forced release with a token that a named owner had ends what that owner has by then. */
  FORCE_COMPARES_OWNERS,
  /** An abandonment compares only the lower half of an attempt's id. */
  ABANDONS_BY_HALF,
  /** A renewal compares only the lower half of an attempt's id. */
  RENEWS_BY_HALF,
  /** Only the lower half of the id of an attempt for a part counts. */
  PART_IDS_BY_HALF,
  /** A release by a named owner looks for its hold in one step, and frees the name in another. */
  OWNERS_LOOK_THEN_FREE,
  /** The same of a release of a part. */
  PARTS_LOOK_THEN_FREE,
  /** The same of an abandonment of a part. */
  PARTS_LOOK_THEN_ABANDON,
  /** A renewal of a part looks for its hold in one step, and prolongs what is there in another. */
  PARTS_LOOK_THEN_RENEW,
  /** The token of a part is drawn in a step before the one that grants it. */
  PARTS_DRAW_TOKEN_FIRST,
  /** An attempt for a part that finds an expired hold removes it in another step. */
  PARTS_LOOK_THEN_REPLACE,
  /** Parts are kept under names without regard to case. */
  PARTS_FOLD_NAMES,
  /** A list leaves out what is shared. */
  LISTS_NO_PARTS,
  /** A list tells no owners. */
  LIST_TELLS_NO_OWNER,
  /** Inspection tells the first holder's owner for all who hold a lock together. */
  INSPECT_TELLS_ONE_OWNER,
  /** Of those who wait it is not told how much they ask for. */
  WAITERS_HAVE_NO_UNITS,
  /** The lease of a part ends after nine tenths of its time; inspection tells all of it. */
  PARTS_END_EARLY,
  /** The same of a lease that was renewed. */
  RENEWED_LEASES_END_EARLY,
  /** Of the tokens of a hold that is raised all but the first are given again. */
  RAISE_RESERVES_ONE_TOKEN,
  /** A repeated attempt is told as many tokens as it asks for. */
  REPEAT_TELLS_WANTED_TOKENS,
  /** It is said to be durable, and a restart takes back what raised the counter of tokens. */
  RAISES_NOT_DURABLE,
  /** It is said to be durable, and after a restart reserved tokens are given again. */
  RESERVATIONS_NOT_DURABLE,
  /** It is said to be durable, and after a restart each holder has one permit. */
  UNITS_NOT_DURABLE,
  /** It is said to be durable, and after a restart no owner enters beside its hold. */
  OWNERS_NOT_DURABLE,
  /** Those who are granted parts by one step have the token of the first. */
  SERVED_TOGETHER_SHARE_TOKEN,
  /** A forced release serves one of the queue, and nobody comes for those behind it. */
  FORCE_SERVES_ONE,
  /** The same of an expiry. */
  EXPIRY_SERVES_ONE,
  /** A forced release knows a hold by its first token only, also when a renewal has raised it. */
  FORCE_KNOWS_FIRST_TOKEN,
  /** Of a token that a renewal raises 32 bits are kept. */
  RAISES_IN_32_BITS,
  /** Of a client the forced releases after the hundredth are confirmed and not made. */
  FORCES_RUN_OUT,
  /** In a batch of questions looks at locks are answered before its attempts. */
  LOOKS_COME_FIRST,
  /** Of a batch of entries of an owner one for each name is made, and answered for all. */
  OWNERS_BATCH_BY_NAME,
  /** Renewals of named owners are sent one by one. */
  OWNERS_ARE_RENEWED_ONE_BY_ONE,
  /** The same of those who hold a part. */
  PARTS_ARE_RENEWED_ONE_BY_ONE,
  /** When one in the queue is served, all others are woken. */
  QUEUE_WAKES_ALL,
  /** Who has others behind it in the queue is told nothing, and looks again every 250 ms. */
  LINES_POLL,
  /** A waiter that has looked twice looks again after a minute. */
  LOOKS_TWICE,
  /** After a forced release one who waits for a part, and came last, is served first. */
  PARTS_UNFAIR_AFTER_FORCE,
  /** Who comes when a hold has run out takes the lock, if only its own client waits. */
  CLIENT_PASSES_ITSELF,
  /** Attempts that a release names as passed keep their places, and are granted the lock. */
  PASSED_ARE_SERVED,
  /** The same if the hold was gone. */
  PASSED_STAY_AFTER_THE_HOLD,
  /** What a release takes along has the rest of the lease before. */
  HAND_OFF_KEEPS_LEASE,
  /** What a release takes along has the token of the hold before. */
  HAND_OFF_KEEPS_TOKEN,
  /** A writer that reads, too, lets others read. */
  BESIDE_ENDS_WRITING,
  /** There is room for 100 locks that are shared; the one that is held longest makes room. */
  EVICTS_PARTS,
  /** The size that a holder of permits named counts when its lease is over. */
  SIZE_OUTLIVES_EXPIRY,
  /** A client is noted as waiting for 150 locks at the most. */
  NOTES_FEW_NAMES,
  /** An expired hold that was renewed is kept until its name is used again. */
  KEEPS_EXTENDED,
  /** A grant calls the last token before its own one that was not the last. */
  TELLS_EARLIER_TOKEN,
  /** What a release gives to who waits in the same client ends soon; inspection tells the lease. */
  OWN_HAND_OFF_FADES,
  /** The same of what is granted after the expiry of another client's hold. */
  FADES_AFTER_EXPIRY,
  /** The same of what is granted after a forced release. */
  FADES_AFTER_FORCE,
  /** The same of what is granted after an abandonment. */
  FADES_AFTER_ABANDON,
  /** The renewal of a hold that was granted from the queue is answered, and not made. */
  RENEWAL_AFTER_WAIT_IS_VAIN,
  /** A grant names all waiters of its client as those behind it, also if others are between. */
  HEIRS_BEHIND_STRANGERS,
  /** It is said to be durable, and after a restart the sizes that holders named do not count. */
  CAPACITY_NOT_DURABLE,
  /** It is said to be durable, and after a restart each hold has another token. */
  TOKEN_NOT_DURABLE,
  /** It is said to be durable, and after a restart half of each lease is left. */
  RESTART_HALVES_LEASES,
  /** It is said to be durable, and after a restart each lease begins again. */
  RESTART_RENEWS_LEASES,
  /** A client that closes its backend ends what it still holds. */
  CLOSE_ENDS_HOLDS,
  /**
   * The end of an owner's entry, and a forced release, serve the first who waits, whoever holds.
   */
  EXIT_SERVES_STRANGER,
  /** A release serves those in the queue for whom there is room, also behind a larger request. */
  SMALL_OVERTAKES_AT_RELEASE,
  /** Who was served from the queue, and asks for its place, is told of that grant for ever. */
  PLACE_TELLS_OLD_GRANT,
  /** A batch of more than one renewal does not look whether the leases are over. */
  BATCH_REVIVES_EXPIRED,
  /** A forced release serves the first of the queue for all of its lease, dead or alive. */
  FORCE_SERVES_THE_DEAD,
  /** The same of the end of a lease. */
  EXPIRY_SERVES_THE_DEAD,
  /** Who reads beside its writing reads no more when that runs out, or is forced. */
  BESIDE_ENDS_WITH_WRITER,
  /** A waiter counts as alive while its connection is open, and is served for all of its lease. */
  DEAD_MEANS_DISCONNECTED,
  /** Who waits without a place in the queue is told of no release after eight seconds. */
  NOTES_LAST_EIGHT_SECONDS
}
