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
  /** Waiters are not told of a release, they look again every 400 ms. */
  POLLS,
  /** Something is kept for each name for ever. */
  KEEPS_NAMES,
  /** Closing leaves connections and threads behind. */
  STAYS_CONNECTED,
  /** An attempt is never answered. */
  HANGS,
  /** A client's second attempt is never answered. */
  HANGS_LATER,
  /** A repeated attempt is given another token. */
  TOKEN_CHANGES,
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
  /** An interrupt that comes during a command is forgotten. */
  FORGETS_INTERRUPTS,
  /** A waiter whose attempt is repeated stands in the queue twice. */
  QUEUES_TWICE,
  /** Who waits is looked up by a part of its owner's name. */
  MATCHES_SUBSTRINGS,
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
  TELLS_NO_OWNER
}
