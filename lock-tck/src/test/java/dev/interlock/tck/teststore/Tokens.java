package dev.interlock.tck.teststore;

import dev.interlock.tck.teststore.Wire.Request;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;

/** The fencing tokens of the {@link Store}. Not thread-safe. */
final class Tokens {
  private static final int UNTIL_WRAP = 500;
  private static final int LONGER_UNTIL_WRAP = 1_100;
  private static final int AHEAD = 1_000;

  private final Fault fault;
  // Which one an attempt was given, for a fault.
  private final Map<String, Long> firstOf = new HashMap<>();
  private final SweptCounters counters = new SweptCounters();
  private long last;
  // Of an attempt that has drawn its token before, else 0.
  private long drawn;
  private long count;
  // What a restart takes the counter back to, for a fault.
  private long durable;

  Tokens(Fault fault) {
    this.fault = fault;
    lose();
  }

  /** They begin as those of a server that knows of no earlier ones. */
  void lose() {
    last = switch (fault) {
      case TOKENS_BEGIN_AGAIN -> 0;
      // So few that they have room in them, and kept elsewhere.
      case RAISES_IN_32_BITS -> last;
      case TOKENS_COUNT_FROM_MILLIS -> System.currentTimeMillis();
      // So many that one who has a few in a millisecond, and loses them, begins beyond them.
      default -> ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    };
  }

  /** Loses what is not durable. */
  void crash() {
    if (fault == Fault.RAISES_NOT_DURABLE || fault == Fault.RESERVATIONS_NOT_DURABLE) {
      last = durable;
    }
  }

  long draw() {
    return ++last;
  }

  long last() {
    return last;
  }

  /** Has the next grant take a token that was drawn before; 0 if it is to draw its own. */
  void drawn(long token) {
    drawn = token;
  }

  /** Takes those of a grant, and returns the first. */
  long take(Request request, Lock lock) {
    if (fault == Fault.TOKEN_STANDS_STILL) {
      return 1;
    }
    if (countsApart(request)) {
      return last + AHEAD + ++count;
    }
    long token = next(request, lock);
    int reserved = fault == Fault.RESERVES_ONE_TOKEN ? 1 : request.tokens();
    last = Math.max(last, token + reserved - 1);
    durable = fault == Fault.RESERVATIONS_NOT_DURABLE ? token : last;
    if (fault == Fault.SAME_ATTEMPT_KEEPS_TOKEN) {
      firstOf.putIfAbsent(request.id(), token);
    }
    return token;
  }

  /** Notes that one was granted the lock from its queue. */
  void served(Held granted) {
    last = fault == Fault.QUEUE_RESERVES_ONE_TOKEN ? granted.token : last;
    drawn = 0;
  }

  private boolean countsApart(Request request) {
    return switch (fault) {
      case READERS_COUNT_APART -> request.capacity() != 1;
      case PERMITS_COUNT_APART -> request.isForPermits();
      case OWNERS_COUNT_APART -> request.shared();
      default -> false;
    };
  }

  private long next(Request request, Lock lock) {
    if (drawn != 0) {
      return drawn;
    }
    if ((fault == Fault.TOKEN_STANDS_OVER_EXPIRY && lock.expiredToken != 0)
        || lock.comesAgain(request)) {
      return lock.expiredToken;
    }
    if (lock.keepsToken()) {
      return lock.expiredToken;
    }
    if (fault == Fault.RESERVED_TOKENS_END_WITH_LEASE
        && lock.end == Lock.End.EXPIRED
        && lock.expired != null) {
      return lock.expired.token + 1;
    }
    Long before = firstOf.get(request.id());
    if (before != null) {
      return before;
    }
    return switch (fault) {
      case SWEEPS_COUNTERS -> counters.draw(request.name(), request.tokens());
      case TOKEN_WRAPS_LATE -> 1 + ++count % LONGER_UNTIL_WRAP;
      case TOKEN_WRAPS -> 1 + ++count % UNTIL_WRAP;
      default -> last + 1;
    };
  }

  /** The entries of one owner have one token. */
  void raise(Lock lock, Held own, long least) {
    long before = own.token;
    long token = fault == Fault.RAISES_IN_32_BITS ? least & 0xFFFF_FFFFL : least;
    lock.holders().filter(hold -> hold.token == before).forEach(hold -> {
      hold.raisedBy += fault == Fault.FORCE_KNOWS_FIRST_TOKEN ? token - before : 0;
      hold.token = token;
    });
    if (fault == Fault.SWEEPS_COUNTERS) {
      counters.raise(own.request.name(), token + own.tokens - 1);
    }
    boolean part = fault == Fault.PARTS_RAISE_NO_COUNTER && own.request.capacity() != 1;
    if (fault != Fault.RAISES_NO_COUNTER && !part) {
      int reserved = fault == Fault.RAISE_RESERVES_ONE_TOKEN ? 1 : own.tokens;
      last = Math.max(last, token + reserved - 1);
    }
  }
}
