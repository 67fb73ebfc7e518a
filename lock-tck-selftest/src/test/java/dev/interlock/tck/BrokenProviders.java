package dev.interlock.tck;

import dev.interlock.tck.teststore.Fault;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/**
 * Which rules each broken provider fails.
 *
 * <p>What is known to be wrong in other locks, and the provider here that has it, with the rules
 * that find it out:
 *
 * <table>
 *   <caption>Faults of other locks</caption>
 *   <tr><th>fault</th><th>provider</th><th>rules</th></tr>
 *   <tr><td>no expiry, or set after the lock: a crash locks for ever</td>
 *       <td>EXPIRES_AFTERWARDS</td><td>W1</td></tr>
 *   <tr><td>state of a lock changed by separate commands, a count among it</td>
 *       <td>EXPIRES_AFTERWARDS, LOOKS_THEN_TAKES; the engine counts entries</td><td>W1, X1, X6</td></tr>
 *   <tr><td>a waiter queued twice</td><td>QUEUES_TWICE</td><td>E1</td></tr>
 *   <tr><td>identity by thread's, host's or process's name</td><td>THREAD_NAME</td><td>X5</td></tr>
 *   <tr><td>GET then SET</td><td>LOOKS_THEN_TAKES</td><td>X1, X6</td></tr>
 *   <tr><td>release passes when the value has a suffix</td><td>COMPARES_BEGINNINGS</td>
 *       <td>O2, E2</td></tr>
 *   <tr><td>release without having the lock, or without comparing the owner; a stale holder frees
 *       its successor; release of a lock not held is silent</td><td>NO_OWNER_CHECK</td>
 *       <td>O1, O2, E2</td></tr>
 *   <tr><td>needs equal clocks; the application's clock decides</td><td>CLIENT_CLOCK</td>
 *       <td>L5</td></tr>
 *   <tr><td>a repeated command counts twice</td><td>REPLAY_COUNTS</td><td>E1</td></tr>
 *   <tr><td>an orphan of an interrupted or failed attempt, renewed for ever</td>
 *       <td>RENEWS_ORPHANS</td><td>W6, E6</td></tr>
 *   <tr><td>polling every millisecond; a dead queue head that makes others spin</td><td>SPINS</td>
 *       <td>W9, W10</td></tr>
 *   <tr><td>retry without UNWATCH: somebody else's transaction is aborted and reads as busy</td>
 *       <td>ERROR_MEANS_BUSY, GIVES_UP_AT_ONCE</td><td>X3, E4</td></tr>
 *   <tr><td>substring match in the queue</td><td>MATCHES_SUBSTRINGS</td><td>F1</td></tr>
 *   <tr><td>a queue with a capacity of 20</td><td>QUEUE_OF_TWENTY</td><td>F3</td></tr>
 *   <tr><td>polling every 250 ms</td><td>POLLS</td><td>P1</td></tr>
 *   <tr><td>an expired lock updated but reported as not obtained</td><td>TAKES_AND_SAYS_BUSY</td>
 *       <td>L6</td></tr>
 *   <tr><td>exceptions read as "busy"; a deadlock taken for a lost lock</td>
 *       <td>ERROR_MEANS_BUSY, CUT_MEANS_BUSY</td><td>X3, E3, E4, W4</td></tr>
 *   <tr><td>renewal timers that multiply</td><td>TIMERS_MULTIPLY</td><td>M4, N6</td></tr>
 *   <tr><td>a connection left behind now and then</td><td>LEAKS_CONNECTIONS</td><td>M4</td></tr>
 *   <tr><td>hundreds of connections left behind at first</td><td>HOARDS_CONNECTIONS</td><td>M4</td></tr>
 *   <tr><td>renewal that stops by itself, as after a garbage collection</td>
 *       <td>FORGETS_RENEWALS</td><td>N1, W7, M4</td></tr>
 *   <tr><td>a fair queue stuck behind a dead waiter</td><td>DEAD_HEAD_BLOCKS</td><td>F4</td></tr>
 *   <tr><td>an acquire ignores its lease, or uses an earlier one</td><td>FIRST_LEASE_STICKS</td>
 *       <td>L4</td></tr>
 *   <tr><td>tryLock() blocks</td><td>BLOCKS_WHEN_HELD</td><td>W8</td></tr>
 *   <tr><td>the interrupt flag is lost</td><td>FORGETS_INTERRUPTS</td><td>W5</td></tr>
 *   <tr><td>a lease of 500 microseconds returns with nothing held</td>
 *       <td>none: the API refuses it</td><td>L4</td></tr>
 *   <tr><td>re-entry or repetition changes the token</td><td>TOKEN_CHANGES</td><td>E1</td></tr>
 *   <tr><td>interrupted or timed-out waiters leave entries</td>
 *       <td>KEEPS_WAITERS, KEEPS_TIMED_OUT</td><td>W6, W12</td></tr>
 *   <tr><td>a waiter that has left is granted the lock for a moment</td><td>ABANDONS_LATER</td>
 *       <td>W12</td></tr>
 *   <tr><td>a named owner waits behind those who wait for it</td>
 *       <td>OWNER_BEHIND_QUEUE, TELLS_NO_OWNER</td><td>S1</td></tr>
 *   <tr><td>a loss that nobody is told of</td><td>HIDES_LOSSES</td>
 *       <td>M6, L7, O1, O2, E2</td></tr>
 *   <tr><td>keys or rows that pile up</td><td>KEEPS_NAMES</td><td>M3</td></tr>
 *   <tr><td>an operator's command that hits a successor</td><td>FORCES_ANYBODY</td><td>M2</td></tr>
 * </table>
 */
final class BrokenProviders {
  private BrokenProviders() {}

  /** The rules that a provider fails whenever it meets them. */
  static final Map<Fault, Set<String>> EXPECTED = new EnumMap<>(Fault.class);

  /** What a provider breaks too, but not in every run. */
  static final Map<Fault, Set<String>> NOW_AND_THEN = new EnumMap<>(Fault.class);

  static {
    // Strangers, stale holders and repetitions all release what is not theirs.
    EXPECTED.put(Fault.NO_OWNER_CHECK, Set.of("O1", "O2", "E2"));
    NOW_AND_THEN.put(Fault.NO_OWNER_CHECK, Set.of("X2"));
    EXPECTED.put(Fault.EXPIRES_AFTERWARDS, Set.of("W1"));
    NOW_AND_THEN.put(Fault.EXPIRES_AFTERWARDS, Set.of("X2", "E3", "E5", "E6"));
    EXPECTED.put(Fault.CLIENT_CLOCK, Set.of("L5"));
    EXPECTED.put(Fault.THREAD_NAME, Set.of("X5"));
    EXPECTED.put(Fault.RESURRECTS, Set.of("N3", "L7"));
    NOW_AND_THEN.put(Fault.RESURRECTS, Set.of("X2", "T2"));
    EXPECTED.put(Fault.TOKEN_STANDS_STILL, Set.of("T1", "T2", "T4"));
    EXPECTED.put(Fault.FIRST_LEASE_STICKS, Set.of("L4"));
    EXPECTED.put(Fault.ERROR_MEANS_BUSY, Set.of("X3", "E3", "E4"));
    EXPECTED.put(Fault.FOLDS_NAMES, Set.of("X4"));
    EXPECTED.put(Fault.BLIND_INSPECT, Set.of("M1"));
    EXPECTED.put(Fault.FORCES_ANYBODY, Set.of("M2"));
    EXPECTED.put(Fault.REPLAY_COUNTS, Set.of("E1"));
    NOW_AND_THEN.put(Fault.REPLAY_COUNTS, Set.of("W3"));
    EXPECTED.put(Fault.KEEPS_WAITERS, Set.of("W6", "W10", "W12"));
    EXPECTED.put(Fault.POLLS, Set.of("P1"));
    // Clients may ask at the moment of a release without having been told of it.
    NOW_AND_THEN.put(Fault.POLLS, Set.of("W10"));
    EXPECTED.put(Fault.KEEPS_NAMES, Set.of("M3"));
    EXPECTED.put(Fault.STAYS_CONNECTED, Set.of("E7"));
    EXPECTED.put(Fault.FREES_ON_DISCONNECT, Set.of("X2"));
    EXPECTED.put(Fault.WAKES_ALL, Set.of("W10"));
    EXPECTED.put(Fault.SPINS, Set.of("W9", "W10"));
    EXPECTED.put(Fault.RENEWS_ONE_BY_ONE, Set.of("N6"));
    EXPECTED.put(Fault.TOKENS_BEGIN_AGAIN, Set.of("T2"));
    EXPECTED.put(Fault.DEAF_AFTER_CUT, Set.of("P2"));
    NOW_AND_THEN.put(Fault.DEAF_AFTER_CUT, Set.of("W3", "E5"));
    EXPECTED.put(Fault.TRUSTS_MESSAGES, Set.of("W3"));
    NOW_AND_THEN.put(Fault.TRUSTS_MESSAGES, Set.of("P2", "E5", "X2", "W2"));
    EXPECTED.put(Fault.KEEPS_DEAF_CONNECTIONS, Set.of("W11"));
    // A reply that is swallowed, or a server that stands still, leaves such a connection too.
    NOW_AND_THEN.put(Fault.KEEPS_DEAF_CONNECTIONS, Set.of("X2", "E3", "E5"));
    EXPECTED.put(Fault.GIVES_UP_AT_ONCE, Set.of("E4"));
    NOW_AND_THEN.put(Fault.GIVES_UP_AT_ONCE, Set.of("E5"));
    EXPECTED.put(Fault.CUT_MEANS_BUSY, Set.of("E3", "W4"));
    EXPECTED.put(Fault.TOKEN_CHANGES, Set.of("E1"));
    EXPECTED.put(Fault.PART_TOKEN_CHANGES, Set.of("E1"));
    EXPECTED.put(Fault.RENEWS_ORPHANS, Set.of("W6", "E6"));
    // In the crowds of X1 and T1 an attempt may be granted whose waiter has got the lock from its
    // own
    // client meanwhile.
    NOW_AND_THEN.put(
        Fault.RENEWS_ORPHANS, Set.of("X1", "X2", "T1", "L2", "W3", "W5", "E1", "E2", "E3", "E5"));
    EXPECTED.put(Fault.COMPARES_BEGINNINGS, Set.of("O2", "E2"));
    NOW_AND_THEN.put(Fault.COMPARES_BEGINNINGS, Set.of("X2"));
    EXPECTED.put(Fault.TAKES_AND_SAYS_BUSY, Set.of("L6"));
    EXPECTED.put(Fault.LOOKS_THEN_TAKES, Set.of("X1", "X6"));
    NOW_AND_THEN.put(
        Fault.LOOKS_THEN_TAKES,
        Set.of("X2", "L1", "L7", "T1", "T4", "M5", "M6", "W3", "W5", "W6", "E5"));
    EXPECTED.put(Fault.BLOCKS_WHEN_HELD, Set.of("W8"));
    EXPECTED.put(Fault.FORGETS_RENEWALS, Set.of("N1", "W7", "M4"));
    EXPECTED.put(Fault.SKIPS_EARLY_RENEWALS, Set.of("L4"));
    EXPECTED.put(Fault.LOST_MEANS_UNSENT, Set.of("E3"));
    EXPECTED.put(Fault.HIDES_LOSSES, Set.of("M6", "E2", "L7", "O1", "O2"));
    EXPECTED.put(Fault.TIMERS_MULTIPLY, Set.of("M4", "N6"));
    EXPECTED.put(Fault.LEAKS_CONNECTIONS, Set.of("M4"));
    EXPECTED.put(Fault.HOARDS_CONNECTIONS, Set.of("M4"));
    EXPECTED.put(Fault.FORGETS_INTERRUPTS, Set.of("W5"));
    EXPECTED.put(Fault.QUEUES_TWICE, Set.of("E1"));
    EXPECTED.put(Fault.MATCHES_SUBSTRINGS, Set.of("F1"));
    EXPECTED.put(Fault.QUEUE_SPLITS_ENTRIES, Set.of("F1"));
    EXPECTED.put(Fault.QUEUE_OF_TWENTY, Set.of("F3"));
    EXPECTED.put(Fault.DEAD_HEAD_BLOCKS, Set.of("F4"));
    EXPECTED.put(Fault.SERVES_THE_LAST, Set.of("F1", "F2", "F3", "F4", "F5"));
    EXPECTED.put(Fault.KEEPS_TIMED_OUT, Set.of("W6", "W12"));
    EXPECTED.put(Fault.UNSENT_MEANS_GONE, Set.of("N7"));
    NOW_AND_THEN.put(Fault.UNSENT_MEANS_GONE, Set.of("W7", "E5", "X2"));
    EXPECTED.put(Fault.BATCH_SHARES_ANSWER, Set.of("N8"));
    EXPECTED.put(Fault.NEEDS_COMMON_POOL, Set.of("A1"));
    // A waiter that was interrupted just before a release is granted the lock all the same, and
    // others wait for as long as the store waits for it, which is about as long as W5 allows.
    NOW_AND_THEN.put(Fault.KEEPS_TIMED_OUT, Set.of("F4", "W5"));
    EXPECTED.put(Fault.ONE_FAILS_ALL, Set.of("E9"));
    EXPECTED.put(Fault.FULL_MEANS_STUCK, Set.of("E10"));
    EXPECTED.put(Fault.ABANDONS_LATER, Set.of("W12"));
    EXPECTED.put(Fault.OWNER_BEHIND_QUEUE, Set.of("S1"));
    EXPECTED.put(Fault.TELLS_NO_OWNER, Set.of("S1"));
    EXPECTED.put(Fault.REFUSED_MEANS_GONE, Set.of("E3"));
    EXPECTED.put(Fault.FOLLOWS_CLOCK, Set.of("L5"));
    EXPECTED.put(Fault.RENEWALS_FOLLOW_CLOCK, Set.of("L5"));
    EXPECTED.put(Fault.CUTS_TO_SECONDS, Set.of("L4"));
    EXPECTED.put(Fault.ROUNDS_UP, Set.of("L4"));
    EXPECTED.put(Fault.CAPS_LEASES, Set.of("L4", "M1"));
    EXPECTED.put(Fault.CAPS_AND_HIDES, Set.of("L4"));
    EXPECTED.put(Fault.WRAPS_MILLIS, Set.of("L4"));
    EXPECTED.put(Fault.CAPS_RENEWALS, Set.of("L4"));
    EXPECTED.put(Fault.HUNDREDTH_IS_SHORT, Set.of("L4"));
    EXPECTED.put(Fault.LOOKS_THEN_FREES, Set.of("O2"));
    EXPECTED.put(Fault.LOOKS_THEN_ABANDONS, Set.of("E2"));
    EXPECTED.put(Fault.LOOKS_THEN_RENEWS, Set.of("N3", "O2"));
    EXPECTED.put(Fault.LOOKS_THEN_FORCES, Set.of("M2"));
    EXPECTED.put(Fault.LOOKS_THEN_REPLACES, Set.of("X1"));
    EXPECTED.put(Fault.DRAWS_TOKEN_FIRST, Set.of("T1"));
    EXPECTED.put(Fault.LOOKS_THEN_WAITS, Set.of("W3"));
    EXPECTED.put(Fault.INSPECTS_IN_TWO_STEPS, Set.of("M1"));
    EXPECTED.put(Fault.ONE_HELD_ALL_HELD, Set.of("N8"));
    EXPECTED.put(Fault.HUNDRED_OF_BATCH, Set.of("N8"));
    EXPECTED.put(Fault.SWAPS_ENDS_OF_BATCH, Set.of("N8"));
    EXPECTED.put(Fault.KEEPS_EXPIRED, Set.of("M3"));
    EXPECTED.put(Fault.KEEPS_FORCED, Set.of("M3"));
    EXPECTED.put(Fault.KEEPS_AWAITED, Set.of("M3"));
    EXPECTED.put(Fault.HASHES_NAMES, Set.of("X4"));
    EXPECTED.put(Fault.CHECKSUMS_NAMES, Set.of("X4"));
    EXPECTED.put(Fault.CUTS_NAMES_IN_FRONT, Set.of("X4"));
    EXPECTED.put(Fault.UNFAIR_FROM_TEN, Set.of("F1"));
    EXPECTED.put(Fault.UNFAIR_AFTER_EXPIRY, Set.of("F1"));
    EXPECTED.put(Fault.UNFAIR_AFTER_FORCE, Set.of("F1"));
    EXPECTED.put(Fault.TOKEN_STANDS_OVER_EXPIRY, Set.of("T1"));
    EXPECTED.put(Fault.TOKEN_WRAPS, Set.of("T1"));
    EXPECTED.put(Fault.RESERVES_ONE_TOKEN, Set.of("T1"));
    EXPECTED.put(Fault.ABANDONS_ANYBODY, Set.of("O1"));
    EXPECTED.put(Fault.COMPARES_CLIENTS, Set.of("O2", "E2"));
    EXPECTED.put(Fault.STALE_INSPECT, Set.of("M1"));
    EXPECTED.put(Fault.LOCAL_TIME, Set.of("M1"));
    EXPECTED.put(Fault.ENDS_EARLY, Set.of("L1"));
    EXPECTED.put(Fault.RENEWS_ANYTHING, Set.of("N2", "N4"));
    EXPECTED.put(Fault.STAYS_BROKEN, Set.of("E5"));
    EXPECTED.put(Fault.TWO_HOLDS_A_CLIENT, Set.of("M5"));
    EXPECTED.put(Fault.WAKES_THE_DEAD, Set.of("W2"));
    EXPECTED.put(Fault.ONE_EXIT_ENDS_ALL, Set.of("S2"));
    EXPECTED.put(Fault.PASSES_AFTER_EXPIRY, Set.of("F2"));
    EXPECTED.put(Fault.REPEATED_ENTRY_COUNTS, Set.of("S3"));
    EXPECTED.put(Fault.NOT_DURABLE, Set.of("D1"));
    EXPECTED.put(Fault.ORDER_NOT_DURABLE, Set.of("D2"));
    EXPECTED.put(Fault.REPEATS_ANSWERS, Set.of("L2"));
    EXPECTED.put(Fault.QUOTES_PASSWORD, Set.of("E8"));
    EXPECTED.put(Fault.QUOTES_WRONG_PASSWORD, Set.of("E8"));
    EXPECTED.put(Fault.READS_BESIDE_WRITER, Set.of("R1"));
    EXPECTED.put(Fault.READERS_PASS_WAITING_WRITERS, Set.of("R2"));
    EXPECTED.put(Fault.READERS_OVERTAKE_IN_QUEUE, Set.of("R2"));
    EXPECTED.put(Fault.SERVES_ONE_OF_QUEUE, Set.of("R2", "C3"));
    EXPECTED.put(Fault.WRITER_WAITS_FOR_ITSELF, Set.of("R3"));
    EXPECTED.put(Fault.READERS_COUNT_APART, Set.of("R4"));
    EXPECTED.put(Fault.REPEATED_READER_COUNTS, Set.of("R5"));
    EXPECTED.put(Fault.COUNTS_HOLDERS, Set.of("C1", "C2"));
    EXPECTED.put(Fault.PERMITS_HAVE_NO_LEASE, Set.of("C2"));
    EXPECTED.put(Fault.PERMITS_COME_BACK_TWICE, Set.of("C2"));
    EXPECTED.put(Fault.SMALL_PASSES_LARGE, Set.of("C3"));
    EXPECTED.put(Fault.OWN_SIZE_COUNTS, Set.of("C4"));
    EXPECTED.put(Fault.FIRST_SIZE_COUNTS, Set.of("C4"));
    EXPECTED.put(Fault.RENEWS_ALL_HOLDERS, Set.of("R5", "C2"));
    EXPECTED.put(Fault.COUNTS_THEN_TAKES, Set.of("R1", "C1"));
    EXPECTED.put(Fault.RENEWALS_ADD_UP, Set.of("L4"));
    EXPECTED.put(Fault.BATCH_BY_NAME, Set.of("N8"));
    EXPECTED.put(Fault.CUTS_NAMES_IN_MIDDLE, Set.of("X4"));
    EXPECTED.put(Fault.LATIN_NAMES, Set.of("X4"));
    EXPECTED.put(Fault.FOLDS_ACCENTS, Set.of("X4"));
    EXPECTED.put(Fault.PATTERN_NAMES, Set.of("X4"));
    EXPECTED.put(Fault.FNV_NAMES, Set.of("X4"));
    EXPECTED.put(Fault.LOOKUP3_NAMES, Set.of("X4"));
    EXPECTED.put(Fault.ESCAPES_THEN_CUTS, Set.of("X4"));
    EXPECTED.put(Fault.RENEWS_BY_CLIENT, Set.of("O1", "O2"));
    EXPECTED.put(Fault.CLIENT_REENTERS, Set.of("X5", "X6"));
    NOW_AND_THEN.put(Fault.CLIENT_REENTERS, Set.of("X1", "O2"));
    EXPECTED.put(Fault.EVICTS_NAMES, Set.of("X1"));
    EXPECTED.put(Fault.REFUSES_NAMES, Set.of("X1"));
    EXPECTED.put(Fault.NOTES_FIFTY_WAITERS, Set.of("W3"));
    EXPECTED.put(Fault.FORCE_WAKES_NOBODY, Set.of("W3"));
    EXPECTED.put(Fault.ABANDON_WAKES_NOBODY, Set.of("W3"));
    EXPECTED.put(Fault.TOKEN_STANDS_OVER_FORCE, Set.of("T1"));
    EXPECTED.put(Fault.TOKEN_WRAPS_LATE, Set.of("T1"));
    EXPECTED.put(Fault.HOLDS_FOLLOW_CLOCK, Set.of("L5"));
    EXPECTED.put(Fault.UNSENT_RELEASE_MEANS_DONE, Set.of("E3"));
    EXPECTED.put(Fault.FAILED_INSPECT_MEANS_FREE, Set.of("E3"));
    EXPECTED.put(Fault.GONE_AFTER_RECONNECT, Set.of("N7"));
    EXPECTED.put(Fault.FOLDS_OWNERS, Set.of("S1"));
    EXPECTED.put(Fault.CUTS_OWNERS, Set.of("S1"));
    EXPECTED.put(Fault.LATIN_OWNERS, Set.of("S1"));
    EXPECTED.put(Fault.ONE_EXPIRY_ENDS_ALL, Set.of("C2", "R5"));
    EXPECTED.put(Fault.PERMITS_IN_8_BITS, Set.of("C1"));
    EXPECTED.put(Fault.PERMITS_IN_16_BITS, Set.of("C1"));
    EXPECTED.put(Fault.SIXTY_FOUR_HOLDERS, Set.of("R1", "C1"));
    EXPECTED.put(Fault.SERVES_THREE, Set.of("R2", "C3"));
    EXPECTED.put(Fault.RENEWAL_LOSES_UNITS, Set.of("C1"));
    EXPECTED.put(Fault.FORCE_ENDS_ALL, Set.of("M2"));
    EXPECTED.put(Fault.SERVES_ON_RELEASE_ONLY, Set.of("R5"));
    EXPECTED.put(Fault.RENEWAL_SHORTENS, Set.of("L4"));
    EXPECTED.put(Fault.INSPECT_CUTS_NAMES, Set.of("X4"));
    EXPECTED.put(Fault.DEAF_AFTER_HUNDRED, Set.of("P1"));
    EXPECTED.put(Fault.FORCE_FAILED_MEANS_FREE, Set.of("E3"));
    EXPECTED.put(Fault.FULL_MEANS_BUSY, Set.of("E10"));
    EXPECTED.put(Fault.ABANDON_FAILED_MEANS_DONE, Set.of("E3", "E6"));
    EXPECTED.put(Fault.DEAF_AFTER_SECOND_CUT, Set.of("P2"));
    EXPECTED.put(Fault.DEAF_AFTER_FAILED_RECONNECT, Set.of("P2"));
    EXPECTED.put(Fault.ABANDON_REMOVES_CLIENT, Set.of("F4"));
    EXPECTED.put(Fault.INSPECT_SEES_EXPIRED, Set.of("M1", "N3"));
    EXPECTED.put(Fault.SINCE_OF_RENEWAL, Set.of("M1"));
    EXPECTED.put(Fault.NO_WAIT_QUEUES, Set.of("W8"));
    EXPECTED.put(Fault.TELLS_CLIENT_ONCE, Set.of("R2", "C3"));
    EXPECTED.put(Fault.JOINER_SETS_LEASES, Set.of("R5", "C2"));
    EXPECTED.put(Fault.JOINER_SETS_TOKENS, Set.of("R1", "M2"));
    EXPECTED.put(Fault.LATE_AFTER_HUNDREDS, Set.of("F2"));
    EXPECTED.put(Fault.ALL_LATE_AFTER_HUNDREDS, Set.of("F2"));
    EXPECTED.put(Fault.ENTRY_CUTS_OWNERS_LEASES, Set.of("S2"));
    EXPECTED.put(Fault.RENEWS_OWNERS_ENTRIES, Set.of("S2"));
    EXPECTED.put(Fault.TOKEN_LEAVES_WITH_ENTRY, Set.of("S2"));
    EXPECTED.put(Fault.FORCE_ENDS_ONE_ENTRY, Set.of("M2"));
    EXPECTED.put(Fault.TELLS_ONE_OF_OWNER, Set.of("S1"));
    EXPECTED.put(Fault.RENEWAL_CUTS_OTHERS, Set.of("R5", "C2"));
    EXPECTED.put(Fault.EXPIRES_ONE_AT_A_TIME, Set.of("R5", "C2"));
    EXPECTED.put(Fault.FORCE_GIVES_ONE_BACK, Set.of("C2"));
    EXPECTED.put(Fault.BESIDE_IS_NOT_CHECKED, Set.of("R3"));
    EXPECTED.put(Fault.INSPECT_TELLS_TEN, Set.of("R1", "C1"));
    EXPECTED.put(Fault.FORCE_TAKES_FIRST_HOLDER, Set.of("M2"));
    EXPECTED.put(Fault.INSPECT_CUTS_OWNERS, Set.of("M1"));
    EXPECTED.put(Fault.QUEUE_BY_CLIENT_CLOCK, Set.of("L5"));
    EXPECTED.put(Fault.PLACE_LASTS_FIVE_SECONDS, Set.of("F1"));
    EXPECTED.put(Fault.IGNORES_MIN_TOKEN, Set.of("T1"));
    EXPECTED.put(Fault.RAISES_NO_COUNTER, Set.of("T1"));
    EXPECTED.put(Fault.TOKENS_COUNT_FROM_MILLIS, Set.of("T2"));
    EXPECTED.put(Fault.CUTS_CHANNEL_NAMES, Set.of("W3"));
    EXPECTED.put(Fault.TELLS_NOT_ITSELF, Set.of("W3"));
    EXPECTED.put(Fault.RENEWALS_GIVE_UP, Set.of("E4"));
    EXPECTED.put(Fault.FIRST_OF_BATCH_DECIDES, Set.of("N8"));
    EXPECTED.put(Fault.KEEPS_SHARED, Set.of("M3"));
    EXPECTED.put(Fault.KEEPS_INSPECTED, Set.of("M3"));
    EXPECTED.put(Fault.WAITS_LEAK_CONNECTIONS, Set.of("M4"));
    EXPECTED.put(Fault.RAISES_LEASES, Set.of("L4"));
    EXPECTED.put(Fault.SESSIONS_END, Set.of("X2"));
    EXPECTED.put(Fault.TOKENS_AMONG_NAMES, Set.of("X4"));
    EXPECTED.put(Fault.FAIR_LEASE_FROM_ARRIVAL, Set.of("L4"));
    EXPECTED.put(Fault.RELEASES_THEN_SERVES, Set.of("F2"));
    EXPECTED.put(Fault.OWNER_LOOKS_THEN_ENTERS, Set.of("S1"));
    EXPECTED.put(Fault.TOKEN_STANDS_OVER_ABANDON, Set.of("T1"));
    EXPECTED.put(Fault.SHARED_ERROR_MEANS_BUSY, Set.of("E3"));
    EXPECTED.put(Fault.SHARED_LEASES_CAPPED, Set.of("L4"));
    EXPECTED.put(Fault.FAIR_WAITERS_POLL, Set.of("P1"));
    EXPECTED.put(Fault.PERMITS_SHARE_TOKEN, Set.of("C1"));
    EXPECTED.put(Fault.SHARED_FORCE_WAKES_NOBODY, Set.of("R5", "C2"));
    EXPECTED.put(Fault.DEAD_WRITER_KEEPS_READERS_OUT, Set.of("W2"));
    EXPECTED.put(Fault.QUEUE_KEEPS_TOKEN, Set.of("T1"));
    EXPECTED.put(Fault.FAIR_LOOKS_THEN_TAKES, Set.of("X1"));
    NOW_AND_THEN.put(Fault.FAIR_LOOKS_THEN_TAKES, Set.of("F2"));
    EXPECTED.put(Fault.BATCH_HAS_ONE_LEASE, Set.of("N8"));
    EXPECTED.put(Fault.OWNERS_END_ON_DISCONNECT, Set.of("X2"));
    EXPECTED.put(Fault.PARTS_FOLLOW_CLOCK, Set.of("L5"));
    EXPECTED.put(Fault.RENEWALS_NOT_DURABLE, Set.of("D1"));
    EXPECTED.put(Fault.KEEPS_QUEUES, Set.of("M3"));
    EXPECTED.put(Fault.RENEWALS_RUN_OUT, Set.of("N1"));
    EXPECTED.put(Fault.DEAF_AFTER_OUTAGE, Set.of("P2"));
    EXPECTED.put(Fault.QUEUE_SLEEPS_PAST_EXPIRY, Set.of("L6"));
    EXPECTED.put(Fault.FAILURES_USE_UP_PLACES, Set.of("E3", "E5"));
    EXPECTED.put(Fault.DEAD_WAITER_KEEPS_PERMITS, Set.of("W2"));
    EXPECTED.put(Fault.SESSIONS_END_LATE, Set.of("N7"));
    EXPECTED.put(Fault.PLACE_LASTS_EIGHTEEN_SECONDS, Set.of("F1"));
    EXPECTED.put(Fault.SHARED_RELEASE_MEANS_DONE, Set.of("E3"));
    EXPECTED.put(Fault.SHARED_UNSENT_MEANS_GONE, Set.of("E3", "N7"));
    EXPECTED.put(Fault.SHARED_RENEWALS_GIVE_UP, Set.of("E4"));
    EXPECTED.put(Fault.SHARED_RENEWALS_CAPPED, Set.of("L4"));
    EXPECTED.put(Fault.SHARED_RENEWALS_CAPPED_AND_HIDDEN, Set.of("L4"));
    EXPECTED.put(Fault.SERVES_SIXTEEN, Set.of("R2", "C3"));
    EXPECTED.put(Fault.OWNER_KEEPS_TOKEN, Set.of("T1"));
    EXPECTED.put(Fault.CLIENT_KEEPS_TOKEN, Set.of("T1"));
    EXPECTED.put(Fault.FAIR_WAITERS_SPIN, Set.of("W9"));
    EXPECTED.put(Fault.KEEPS_HOLDS, Set.of("M4"));
    EXPECTED.put(Fault.CLOSE_AWAITS_ANSWER, Set.of("E7"));
    EXPECTED.put(Fault.HIDES_OWNERS_HOLD, Set.of("S1"));
    EXPECTED.put(Fault.TELLS_OF_OWNER_ALWAYS, Set.of("W9"));
    EXPECTED.put(Fault.REPEAT_KEEPS_LEASE, Set.of("L4"));
    EXPECTED.put(Fault.SIZE_STICKS, Set.of("C4"));
    EXPECTED.put(Fault.OWNER_UPGRADES, Set.of("R3"));
    EXPECTED.put(Fault.ABANDON_ENDS_ALL_PARTS, Set.of("R5", "C2"));
    EXPECTED.put(Fault.FORCE_ENDS_ALL_PERMITS, Set.of("M2"));
    EXPECTED.put(Fault.LOOKS_AFTER_LEASE_FOUND_FIRST, Set.of("L6"));
    EXPECTED.put(Fault.LOOKS_AFTER_FIRST_HOLDER, Set.of("L6"));
    EXPECTED.put(Fault.PATHS, Set.of("X4"));
    EXPECTED.put(Fault.PLUS_IS_BLANK, Set.of("X4"));
    EXPECTED.put(Fault.UNESCAPES_NAMES, Set.of("X4"));
    EXPECTED.put(Fault.DIGEST_ENDS, Set.of("X4"));
    EXPECTED.put(Fault.NUMERIC_NAMES, Set.of("X4"));
    EXPECTED.put(Fault.KEEPS_ABANDONED, Set.of("M3"));
    EXPECTED.put(Fault.KEEPS_EXPIRED_PARTS, Set.of("M3"));
    EXPECTED.put(Fault.SWEEPS_COUNTERS, Set.of("T1"));
    EXPECTED.put(Fault.PLACES_OF_THREE_DIGITS, Set.of("F1"));
    EXPECTED.put(Fault.DEAF_AFTER_THOUSAND, Set.of("P1"));
    EXPECTED.put(Fault.HAND_OFFS_NOT_DURABLE, Set.of("D1"));
    EXPECTED.put(Fault.FORCE_NOT_DURABLE, Set.of("D1"));
    EXPECTED.put(Fault.PART_RENEWALS_NOT_DURABLE, Set.of("D1"));
    EXPECTED.put(Fault.FULL_MEANS_PARTS_STUCK, Set.of("E10"));
    EXPECTED.put(Fault.LEASE_OUTLIVES_HOLD, Set.of("L4"));
    EXPECTED.put(Fault.RELEASE_REWRITES_HOLDERS, Set.of("R5"));
    EXPECTED.put(Fault.RENEWAL_REWRITES_HOLDERS, Set.of("R5"));
    EXPECTED.put(Fault.REWRITES_QUEUE, Set.of("F1"));
    EXPECTED.put(Fault.FORCE_SERVES_NO_PARTS, Set.of("W3"));
    EXPECTED.put(Fault.QUEUE_FORGETS_OTHERS, Set.of("W3"));
    EXPECTED.put(Fault.WOKEN_LEAVER_WAKES_NOBODY, Set.of("W3"));
    EXPECTED.put(Fault.ENDLESS_WAITS_ARE_NOT_NOTED, Set.of("W3"));
    EXPECTED.put(Fault.PARTS_BLOCK_WHEN_HELD, Set.of("W8"));
    EXPECTED.put(Fault.PARTS_QUEUE_TWICE, Set.of("E1"));
    EXPECTED.put(Fault.LOOKS_THEN_QUEUES, Set.of("E1"));
    EXPECTED.put(Fault.KEEPS_TIMED_OUT_PERMITS, Set.of("W6"));
    EXPECTED.put(Fault.FAIR_LEASES_FOLLOW_CLOCK, Set.of("L5"));
    EXPECTED.put(Fault.OWNERS_LEASES_FOLLOW_CLOCK, Set.of("L5"));
    EXPECTED.put(Fault.PART_RENEWALS_RUN_OUT, Set.of("N1"));
    EXPECTED.put(Fault.INSPECT_PROLONGS, Set.of("M1"));
    EXPECTED.put(Fault.INSPECT_TELLS_ONE_LEASE, Set.of("M1"));
    EXPECTED.put(Fault.EXIT_ENDS_ALL_OF_CLIENT, Set.of("S2"));
    EXPECTED.put(Fault.SIXTY_FOUR_ENTRIES, Set.of("S2"));
    EXPECTED.put(Fault.PLACES_BY_NAME, Set.of("N8"));
    EXPECTED.put(Fault.READERS_APART_FROM_PERMITS, Set.of("C1"));
    EXPECTED.put(Fault.QUEUE_RESERVES_ONE_TOKEN, Set.of("T1"));
    EXPECTED.put(Fault.RENEWS_EXPIRED_PARTS, Set.of("N3"));
    EXPECTED.put(Fault.OWNER_RELEASE_REWRITES_ENTRIES, Set.of("S2"));
    EXPECTED.put(Fault.FORCE_REWRITES_HOLDERS, Set.of("R5", "C2"));
    EXPECTED.put(Fault.RELEASE_REMOVES_EXPIRED, Set.of("O2"));
    EXPECTED.put(Fault.RENEWAL_REMOVES_EXPIRED, Set.of("N3"));
    EXPECTED.put(Fault.INSPECT_REMOVES_EXPIRED, Set.of("M1"));
    EXPECTED.put(Fault.LEAVER_REWRITES_QUEUE, Set.of("F1"));
    EXPECTED.put(Fault.PLACE_RENEWAL_REWRITES_QUEUE, Set.of("F1"));
    EXPECTED.put(Fault.RELEASE_REWRITES_QUEUE, Set.of("F1"));
    EXPECTED.put(Fault.BATCH_SPLITS_NAMES, Set.of("N8"));
    EXPECTED.put(Fault.COUNTS_GRANTS_FROM_MESSAGE, Set.of("L1"));
    EXPECTED.put(Fault.BRIEF_WAITS_ARE_NOT_NOTED, Set.of("W3"));
    EXPECTED.put(Fault.PERMITS_COUNT_APART, Set.of("T1"));
    EXPECTED.put(Fault.OWNERS_COUNT_APART, Set.of("T1"));
    EXPECTED.put(Fault.RESERVED_TOKENS_END_WITH_LEASE, Set.of("T1"));
    EXPECTED.put(Fault.SAME_ATTEMPT_KEEPS_TOKEN, Set.of("T1"));
    EXPECTED.put(Fault.RENEWAL_LOSES_SIZE, Set.of("C4"));
    EXPECTED.put(Fault.UNNAMED_OWNERS_COUNT, Set.of("S1"));
    EXPECTED.put(Fault.QUEUES_FOLD_NAMES, Set.of("W3"));
    EXPECTED.put(Fault.FORCE_FOLDS_NAMES, Set.of("X4"));
    EXPECTED.put(Fault.INSPECT_FOLDS_NAMES, Set.of("X4"));
    EXPECTED.put(Fault.UNFAIR_AFTER_ABANDON, Set.of("F1"));
    EXPECTED.put(Fault.PARTS_PASS_AFTER_EXPIRY, Set.of("F2"));
    EXPECTED.put(Fault.LEAVER_SERVES_NO_PERMITS, Set.of("C3"));
    EXPECTED.put(Fault.PARTS_POLL, Set.of("P1"));
    EXPECTED.put(Fault.ABANDON_NOT_DURABLE, Set.of("D1"));
    EXPECTED.put(Fault.PART_RELEASES_NOT_DURABLE, Set.of("D1"));
    EXPECTED.put(Fault.SINCE_OF_ARRIVAL, Set.of("M1", "L5"));
    EXPECTED.put(Fault.INSPECT_TELLS_OWNER_BEFORE, Set.of("M1"));
    EXPECTED.put(Fault.INSPECT_TELLS_NO_UNITS, Set.of("M1"));
    EXPECTED.put(Fault.IDS_BY_HALF, Set.of("O1"));
    EXPECTED.put(Fault.PLACE_HIDES_GRANT, Set.of("W3"));
    EXPECTED.put(Fault.REVOKES_ALL_OF_CLIENT, Set.of("M2"));
    EXPECTED.put(Fault.LIST_SKIPS_AT_PAGES, Set.of("M1"));
    EXPECTED.put(Fault.LIST_BY_OFFSET, Set.of("M1"));
    EXPECTED.put(Fault.LIST_ENDS_AT_EMPTY_PAGE, Set.of("M1"));
    EXPECTED.put(Fault.LIST_PREFIX_IS_PATTERN, Set.of("M1"));
    EXPECTED.put(Fault.LISTS_EXPIRED, Set.of("M1"));
    EXPECTED.put(Fault.WAITERS_IN_REVERSE, Set.of("M1"));
    EXPECTED.put(Fault.LATE_ANSWER_IS_NEXT, Set.of("E3"));
    EXPECTED.put(Fault.DEAF_WHEN_IDLE, Set.of("P2"));
    EXPECTED.put(Fault.FORCE_ZERO_IS_ANYBODY, Set.of("M2"));
    EXPECTED.put(Fault.RENEWS_SIXTY_FOUR_OF_NAME, Set.of("N8"));
    EXPECTED.put(Fault.DEPARTURES_NOT_DURABLE, Set.of("D2"));
    EXPECTED.put(Fault.KEEPS_AWAITED_PARTS, Set.of("M3"));
    EXPECTED.put(Fault.INSPECT_REMEMBERS_OWN, Set.of("M1"));
    EXPECTED.put(Fault.PARTS_RAISE_NO_COUNTER, Set.of("T1"));
    EXPECTED.put(Fault.HAND_OFF_IS_NOT_KEPT, Set.of("X1", "W3"));
    // Whoever waits is granted by its own client's release what nobody holds.
    NOW_AND_THEN.put(Fault.HAND_OFF_IS_NOT_KEPT, Set.of("L4", "N1"));
    EXPECTED.put(Fault.HAND_OFF_TO_NOBODY, Set.of("W3"));
    // Where threads of a client compete, they wait until their time or the lease is over.
    NOW_AND_THEN.put(Fault.HAND_OFF_TO_NOBODY, Set.of("X1", "W7", "L4"));
    EXPECTED.put(Fault.HAND_OFF_PASSES_QUEUE, Set.of("F2"));
    EXPECTED.put(Fault.ABANDONMENTS_RUN_OUT, Set.of("W12"));
    EXPECTED.put(Fault.KEEPS_CLIENTS, Set.of("M3"));
    EXPECTED.put(Fault.FIFTH_EVENT_IS_LATE, Set.of("P1"));
    EXPECTED.put(Fault.UNFAIR_FROM_SEVENTEEN_CLIENTS, Set.of("F3"));
    EXPECTED.put(Fault.LIST_PROLONGS, Set.of("M1"));
    EXPECTED.put(Fault.RELEASE_COMPARES_OWNERS, Set.of("S3"));
    EXPECTED.put(Fault.FORCE_COMPARES_OWNERS, Set.of("M2"));
    EXPECTED.put(Fault.ABANDONS_BY_HALF, Set.of("O1"));
    EXPECTED.put(Fault.RENEWS_BY_HALF, Set.of("O1"));
    EXPECTED.put(Fault.PART_IDS_BY_HALF, Set.of("O1"));
    EXPECTED.put(Fault.OWNERS_LOOK_THEN_FREE, Set.of("O2"));
    EXPECTED.put(Fault.PARTS_LOOK_THEN_FREE, Set.of("O2"));
    EXPECTED.put(Fault.PARTS_LOOK_THEN_ABANDON, Set.of("E2"));
    EXPECTED.put(Fault.PARTS_LOOK_THEN_RENEW, Set.of("N3"));
    EXPECTED.put(Fault.PARTS_DRAW_TOKEN_FIRST, Set.of("T1"));
    EXPECTED.put(Fault.PARTS_LOOK_THEN_REPLACE, Set.of("R1", "C1"));
    EXPECTED.put(Fault.PARTS_FOLD_NAMES, Set.of("X4"));
    EXPECTED.put(Fault.LISTS_NO_PARTS, Set.of("M1"));
    EXPECTED.put(Fault.LIST_TELLS_NO_OWNER, Set.of("M1"));
    EXPECTED.put(Fault.INSPECT_TELLS_ONE_OWNER, Set.of("M1"));
    EXPECTED.put(Fault.WAITERS_HAVE_NO_UNITS, Set.of("M1"));
    EXPECTED.put(Fault.PARTS_END_EARLY, Set.of("L1"));
    EXPECTED.put(Fault.RENEWED_LEASES_END_EARLY, Set.of("L1"));
    EXPECTED.put(Fault.RAISE_RESERVES_ONE_TOKEN, Set.of("T1"));
    EXPECTED.put(Fault.FORCE_KNOWS_FIRST_TOKEN, Set.of("T1"));
    EXPECTED.put(Fault.RAISES_IN_32_BITS, Set.of("T1"));
    EXPECTED.put(Fault.REPEAT_TELLS_WANTED_TOKENS, Set.of("T1"));
    EXPECTED.put(Fault.TELLS_EARLIER_TOKEN, Set.of("T1"));
    EXPECTED.put(Fault.RAISES_NOT_DURABLE, Set.of("T2"));
    EXPECTED.put(Fault.RESERVATIONS_NOT_DURABLE, Set.of("T2"));
    EXPECTED.put(Fault.UNITS_NOT_DURABLE, Set.of("D1"));
    EXPECTED.put(Fault.OWNERS_NOT_DURABLE, Set.of("D1"));
    EXPECTED.put(Fault.CAPACITY_NOT_DURABLE, Set.of("D1"));
    EXPECTED.put(Fault.TOKEN_NOT_DURABLE, Set.of("D1"));
    EXPECTED.put(Fault.SERVED_TOGETHER_SHARE_TOKEN, Set.of("R4", "C1"));
    EXPECTED.put(Fault.FORCE_SERVES_ONE, Set.of("R2", "C3"));
    EXPECTED.put(Fault.EXPIRY_SERVES_ONE, Set.of("R2", "C3"));
    EXPECTED.put(Fault.FORCES_RUN_OUT, Set.of("M2"));
    EXPECTED.put(Fault.OWNERS_BATCH_BY_NAME, Set.of("N8"));
    EXPECTED.put(Fault.LOOKS_COME_FIRST, Set.of("N8"));
    EXPECTED.put(Fault.OWNERS_ARE_RENEWED_ONE_BY_ONE, Set.of("N6"));
    EXPECTED.put(Fault.PARTS_ARE_RENEWED_ONE_BY_ONE, Set.of("N6"));
    EXPECTED.put(Fault.QUEUE_WAKES_ALL, Set.of("W10"));
    EXPECTED.put(Fault.LINES_POLL, Set.of("P1"));
    EXPECTED.put(Fault.LOOKS_TWICE, Set.of("L6"));
    EXPECTED.put(Fault.PARTS_UNFAIR_AFTER_FORCE, Set.of("F1"));
    EXPECTED.put(Fault.CLIENT_PASSES_ITSELF, Set.of("F2"));
    EXPECTED.put(Fault.PASSED_ARE_SERVED, Set.of("W12"));
    EXPECTED.put(Fault.PASSED_STAY_AFTER_THE_HOLD, Set.of("W12"));
    EXPECTED.put(Fault.HAND_OFF_KEEPS_LEASE, Set.of("L4"));
    EXPECTED.put(Fault.HAND_OFF_KEEPS_TOKEN, Set.of("T1"));
    EXPECTED.put(Fault.BESIDE_ENDS_WRITING, Set.of("R3"));
    EXPECTED.put(Fault.EVICTS_PARTS, Set.of("X1"));
    EXPECTED.put(Fault.SIZE_OUTLIVES_EXPIRY, Set.of("C4"));
    EXPECTED.put(Fault.NOTES_FEW_NAMES, Set.of("W3"));
    EXPECTED.put(Fault.KEEPS_EXTENDED, Set.of("M3"));
    EXPECTED.put(Fault.OWN_HAND_OFF_FADES, Set.of("L4"));
    EXPECTED.put(Fault.FADES_AFTER_EXPIRY, Set.of("L4"));
    EXPECTED.put(Fault.FADES_AFTER_FORCE, Set.of("L4"));
    EXPECTED.put(Fault.FADES_AFTER_ABANDON, Set.of("L4"));
    EXPECTED.put(Fault.CLOSE_ENDS_HOLDS, Set.of("L4"));
    EXPECTED.put(Fault.RENEWAL_AFTER_WAIT_IS_VAIN, Set.of("L4", "N1"));
    EXPECTED.put(Fault.HEIRS_BEHIND_STRANGERS, Set.of("F1"));
    EXPECTED.put(Fault.RESTART_HALVES_LEASES, Set.of("D1"));
    EXPECTED.put(Fault.RESTART_RENEWS_LEASES, Set.of("D1"));
    EXPECTED.put(Fault.EXIT_SERVES_STRANGER, Set.of("S2", "M2"));
    EXPECTED.put(Fault.SMALL_OVERTAKES_AT_RELEASE, Set.of("C3"));
    EXPECTED.put(Fault.PLACE_TELLS_OLD_GRANT, Set.of("N3"));
    EXPECTED.put(Fault.BATCH_REVIVES_EXPIRED, Set.of("N3"));
    EXPECTED.put(Fault.FORCE_SERVES_THE_DEAD, Set.of("W2"));
    EXPECTED.put(Fault.EXPIRY_SERVES_THE_DEAD, Set.of("W2"));
    EXPECTED.put(Fault.BESIDE_ENDS_WITH_WRITER, Set.of("R3"));
    EXPECTED.put(Fault.DEAD_MEANS_DISCONNECTED, Set.of("W2"));
    EXPECTED.put(Fault.NOTES_LAST_EIGHT_SECONDS, Set.of("L4"));
  }
}
