package dev.interlock.tck.teststore;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** What becomes of leases on their way to the server. */
final class SentLeases {
  private static final int MUCH_LONGER = 5;
  private static final long NO_EXPIRY = Duration.ofDays(1_000).toNanos();
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long CAP = 15 * SECOND;
  private static final long CLOCK_NOISE = TimeUnit.MILLISECONDS.toNanos(200);

  private final Fault fault;
  private final Map<String, Long> firstLeases = new ConcurrentHashMap<>();
  // The clocks when this was made, and by how much they had moved at each grant.
  private final long openedWall = System.currentTimeMillis();
  private final long opened = System.nanoTime();
  private final Map<HoldId, Long> clocks = new ConcurrentHashMap<>();

  SentLeases(Fault fault) {
    this.fault = fault;
  }

  /** What an attempt is to have in the end. */
  long wanted(Attempt attempt) {
    long wanted = attempt.lease().toNanos();
    if (fault == Fault.FIRST_LEASE_STICKS) {
      long first = firstLeases.computeIfAbsent(attempt.name(), name -> wanted);
      return wanted >= MUCH_LONGER * first ? first : wanted;
    }
    return wanted;
  }

  /** What the server is told of the lease of an attempt. */
  long of(Attempt attempt) {
    return switch (fault) {
      case EXPIRES_AFTERWARDS -> NO_EXPIRY;
      case PARTS_FOLLOW_CLOCK -> corrected(attempt, attempt.capacity() != 1);
      case FAIR_LEASES_FOLLOW_CLOCK ->
        corrected(attempt, attempt.fair() && attempt.capacity() == 1);
      case OWNERS_LEASES_FOLLOW_CLOCK -> corrected(attempt, attempt.sharedOwner());
      case SHARED_LEASES_CAPPED ->
        attempt.capacity() == 1 ? wanted(attempt) : Math.min(wanted(attempt), CAP);
      default -> sent(wanted(attempt));
    };
  }

  private long corrected(Attempt attempt, boolean followsClock) {
    return followsClock ? Math.max(1, wanted(attempt) + clockMoved()) : wanted(attempt);
  }

  /** Notes that a hold begins. */
  void granted(HoldId id) {
    if (fault == Fault.HOLDS_FOLLOW_CLOCK) {
      clocks.put(id, clockMoved());
    }
  }

  private long sent(long lease) {
    return switch (fault) {
      case FOLLOWS_CLOCK -> Math.max(1, lease + clockMoved());
      case ENDS_EARLY -> lease - lease / 10;
      case CUTS_TO_SECONDS -> lease >= 2 * SECOND ? lease - lease % SECOND : lease;
      case ROUNDS_UP -> (lease + SECOND - 1) / SECOND * SECOND;
      case RAISES_LEASES -> Math.max(lease, SECOND);
      case CAPS_LEASES -> Math.min(lease, CAP);
      case WRAPS_MILLIS -> Math.max(1, (int) (lease / 1_000_000)) * 1_000_000L;
      default -> lease;
    };
  }

  /** The same of a renewal. */
  long of(Renewal renewal) {
    long lease = renewal.lease().toNanos();
    return switch (fault) {
      case HOLDS_FOLLOW_CLOCK ->
        Math.max(1, lease + clockMoved() - clocks.getOrDefault(renewal.id(), clockMoved()));
      case RENEWALS_FOLLOW_CLOCK -> Math.max(1, lease + clockMoved());
      case CAPS_RENEWALS -> Math.min(lease, CAP * 2 / 3);
      default -> sent(lease);
    };
  }

  private long clockMoved() {
    long wall = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis() - openedWall);
    long moved = wall - (System.nanoTime() - opened);
    return Math.abs(moved) < CLOCK_NOISE ? 0 : moved;
  }
}
