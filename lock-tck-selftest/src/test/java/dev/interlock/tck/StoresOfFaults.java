package dev.interlock.tck;

import dev.interlock.tck.teststore.Fault;
import dev.interlock.tck.teststore.StoreServer;
import java.util.Set;

/** Which kind of store, and of processes, a broken provider needs to fail the rules it breaks. */
final class StoresOfFaults {
  private StoresOfFaults() {}

  private static final Set<Fault> NEEDS_QUEUE = Set.of(
      Fault.QUEUES_TWICE,
      Fault.MATCHES_SUBSTRINGS,
      Fault.QUEUE_OF_TWENTY,
      Fault.DEAD_HEAD_BLOCKS,
      Fault.SERVES_THE_LAST,
      Fault.KEEPS_TIMED_OUT,
      Fault.ABANDONS_LATER,
      Fault.ABANDON_FAILED_MEANS_DONE,
      Fault.ABANDON_REMOVES_CLIENT,
      Fault.NO_WAIT_QUEUES,
      Fault.LATE_AFTER_HUNDREDS,
      Fault.ALL_LATE_AFTER_HUNDREDS,
      Fault.UNFAIR_FROM_TEN,
      Fault.UNFAIR_AFTER_EXPIRY,
      Fault.PASSES_AFTER_EXPIRY,
      Fault.UNFAIR_AFTER_FORCE,
      Fault.QUEUE_BY_CLIENT_CLOCK,
      Fault.PLACE_LASTS_FIVE_SECONDS,
      Fault.FIRST_OF_BATCH_DECIDES,
      Fault.FAIR_LEASE_FROM_ARRIVAL,
      Fault.RELEASES_THEN_SERVES,
      Fault.FAIR_WAITERS_POLL,
      Fault.QUEUE_KEEPS_TOKEN,
      Fault.FAIR_LOOKS_THEN_TAKES,
      Fault.KEEPS_QUEUES,
      Fault.QUEUE_SLEEPS_PAST_EXPIRY,
      Fault.PLACE_LASTS_EIGHTEEN_SECONDS,
      Fault.FAIR_WAITERS_SPIN,
      Fault.PLACES_OF_THREE_DIGITS,
      Fault.REWRITES_QUEUE,
      Fault.QUEUE_FORGETS_OTHERS,
      Fault.FAIR_LEASES_FOLLOW_CLOCK,
      Fault.PLACES_BY_NAME,
      Fault.QUEUE_RESERVES_ONE_TOKEN,
      Fault.LEAVER_REWRITES_QUEUE,
      Fault.PLACE_RENEWAL_REWRITES_QUEUE,
      Fault.RELEASE_REWRITES_QUEUE,
      Fault.COUNTS_GRANTS_FROM_MESSAGE,
      Fault.QUEUES_FOLD_NAMES,
      Fault.UNFAIR_AFTER_ABANDON,
      Fault.SINCE_OF_ARRIVAL,
      Fault.INSPECT_TELLS_OWNER_BEFORE,
      Fault.PLACE_HIDES_GRANT,
      Fault.WAITERS_IN_REVERSE,
      Fault.HAND_OFF_PASSES_QUEUE,
      Fault.UNFAIR_FROM_SEVENTEEN_CLIENTS);

  private static final Set<Fault> NEEDS_SHARED_OWNERS = Set.of(
      Fault.OWNER_BEHIND_QUEUE,
      Fault.TELLS_NO_OWNER,
      Fault.FOLDS_OWNERS,
      Fault.CUTS_OWNERS,
      Fault.LATIN_OWNERS,
      Fault.ONE_EXIT_ENDS_ALL,
      Fault.REPEATED_ENTRY_COUNTS,
      Fault.ENTRY_CUTS_OWNERS_LEASES,
      Fault.RENEWS_OWNERS_ENTRIES,
      Fault.TOKEN_LEAVES_WITH_ENTRY,
      Fault.FORCE_ENDS_ONE_ENTRY,
      Fault.TELLS_ONE_OF_OWNER,
      Fault.OWNER_LOOKS_THEN_ENTERS,
      Fault.OWNERS_END_ON_DISCONNECT,
      Fault.OWNER_KEEPS_TOKEN,
      Fault.HIDES_OWNERS_HOLD,
      Fault.TELLS_OF_OWNER_ALWAYS,
      Fault.EXIT_ENDS_ALL_OF_CLIENT,
      Fault.SIXTY_FOUR_ENTRIES,
      Fault.OWNERS_LEASES_FOLLOW_CLOCK,
      Fault.OWNER_RELEASE_REWRITES_ENTRIES,
      Fault.OWNERS_COUNT_APART,
      Fault.UNNAMED_OWNERS_COUNT,
      Fault.RELEASE_COMPARES_OWNERS,
      Fault.FORCE_COMPARES_OWNERS);

  private static final Set<Fault> NEEDS_COUNTED = Set.of(
      Fault.READS_BESIDE_WRITER,
      Fault.READERS_PASS_WAITING_WRITERS,
      Fault.READERS_OVERTAKE_IN_QUEUE,
      Fault.SERVES_ONE_OF_QUEUE,
      Fault.WRITER_WAITS_FOR_ITSELF,
      Fault.READERS_COUNT_APART,
      Fault.REPEATED_READER_COUNTS,
      Fault.COUNTS_HOLDERS,
      Fault.PERMITS_HAVE_NO_LEASE,
      Fault.PERMITS_COME_BACK_TWICE,
      Fault.SMALL_PASSES_LARGE,
      Fault.OWN_SIZE_COUNTS,
      Fault.FIRST_SIZE_COUNTS,
      Fault.RENEWS_ALL_HOLDERS,
      Fault.COUNTS_THEN_TAKES,
      Fault.ONE_EXPIRY_ENDS_ALL,
      Fault.PERMITS_IN_8_BITS,
      Fault.PERMITS_IN_16_BITS,
      Fault.SIXTY_FOUR_HOLDERS,
      Fault.SERVES_THREE,
      Fault.TELLS_CLIENT_ONCE,
      Fault.JOINER_SETS_LEASES,
      Fault.JOINER_SETS_TOKENS,
      Fault.RENEWAL_LOSES_UNITS,
      Fault.FORCE_ENDS_ALL,
      Fault.SERVES_ON_RELEASE_ONLY,
      Fault.BATCH_BY_NAME,
      Fault.RENEWAL_CUTS_OTHERS,
      Fault.EXPIRES_ONE_AT_A_TIME,
      Fault.FORCE_GIVES_ONE_BACK,
      Fault.BESIDE_IS_NOT_CHECKED,
      Fault.INSPECT_TELLS_TEN,
      Fault.FORCE_TAKES_FIRST_HOLDER,
      Fault.KEEPS_SHARED,
      Fault.SHARED_ERROR_MEANS_BUSY,
      Fault.SHARED_LEASES_CAPPED,
      Fault.PERMITS_SHARE_TOKEN,
      Fault.SHARED_FORCE_WAKES_NOBODY,
      Fault.DEAD_WRITER_KEEPS_READERS_OUT,
      Fault.PARTS_FOLLOW_CLOCK,
      Fault.DEAD_WAITER_KEEPS_PERMITS,
      Fault.SHARED_RELEASE_MEANS_DONE,
      Fault.SHARED_UNSENT_MEANS_GONE,
      Fault.SHARED_RENEWALS_GIVE_UP,
      Fault.SHARED_RENEWALS_CAPPED,
      Fault.SHARED_RENEWALS_CAPPED_AND_HIDDEN,
      Fault.SERVES_SIXTEEN,
      Fault.SIZE_STICKS,
      Fault.OWNER_UPGRADES,
      Fault.ABANDON_ENDS_ALL_PARTS,
      Fault.FORCE_ENDS_ALL_PERMITS,
      Fault.LOOKS_AFTER_FIRST_HOLDER,
      Fault.KEEPS_EXPIRED_PARTS,
      Fault.FULL_MEANS_PARTS_STUCK,
      Fault.RELEASE_REWRITES_HOLDERS,
      Fault.RENEWAL_REWRITES_HOLDERS,
      Fault.FORCE_SERVES_NO_PARTS,
      Fault.PARTS_BLOCK_WHEN_HELD,
      Fault.PARTS_QUEUE_TWICE,
      Fault.KEEPS_TIMED_OUT_PERMITS,
      Fault.PART_RENEWALS_RUN_OUT,
      Fault.INSPECT_TELLS_ONE_LEASE,
      Fault.READERS_APART_FROM_PERMITS,
      Fault.RENEWS_EXPIRED_PARTS,
      Fault.FORCE_REWRITES_HOLDERS,
      Fault.PERMITS_COUNT_APART,
      Fault.RENEWAL_LOSES_SIZE,
      Fault.PARTS_PASS_AFTER_EXPIRY,
      Fault.LEAVER_SERVES_NO_PERMITS,
      Fault.PARTS_POLL,
      Fault.INSPECT_TELLS_NO_UNITS,
      Fault.REVOKES_ALL_OF_CLIENT,
      Fault.RENEWS_SIXTY_FOUR_OF_NAME,
      Fault.KEEPS_AWAITED_PARTS,
      Fault.PARTS_RAISE_NO_COUNTER);

  private static final Set<Fault> NEEDS_DURABLE = Set.of(
      Fault.NOT_DURABLE,
      Fault.ORDER_NOT_DURABLE,
      Fault.RENEWALS_NOT_DURABLE,
      Fault.HAND_OFFS_NOT_DURABLE,
      Fault.FORCE_NOT_DURABLE,
      Fault.PART_RENEWALS_NOT_DURABLE,
      Fault.ABANDON_NOT_DURABLE,
      Fault.PART_RELEASES_NOT_DURABLE,
      Fault.DEPARTURES_NOT_DURABLE);

  /** What these break shows itself only between processes: crashes, and clocks that differ. */
  static final Set<Fault> NEEDS_PROCESSES = Set.of(
      Fault.EXPIRES_AFTERWARDS,
      Fault.CLIENT_CLOCK,
      Fault.DEAD_HEAD_BLOCKS,
      Fault.FOLLOWS_CLOCK,
      Fault.HOLDS_FOLLOW_CLOCK,
      Fault.FAIR_LEASES_FOLLOW_CLOCK,
      Fault.OWNERS_LEASES_FOLLOW_CLOCK,
      Fault.QUEUE_BY_CLIENT_CLOCK,
      Fault.SINCE_OF_ARRIVAL,
      Fault.WAKES_THE_DEAD,
      Fault.DEAD_WRITER_KEEPS_READERS_OUT,
      Fault.DEAD_WAITER_KEEPS_PERMITS);

  /** Where a client of the store with this fault connects. */
  static String uri(StoreServer server, Fault fault) {
    if (NEEDS_SHARED_OWNERS.contains(fault)) {
      return server.sharedUri();
    }
    if (NEEDS_COUNTED.contains(fault)) {
      return server.countedUri();
    }
    if (NEEDS_DURABLE.contains(fault)) {
      return server.durableUri();
    }
    return NEEDS_QUEUE.contains(fault) ? server.fairUri() : server.uri();
  }
}
