package dev.interlock.mysql;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/** The times that the protocol rests on. All of them are counted on the server's clock. */
final class Protocol {
  /** How long a grant to another client stands before it is confirmed or released. */
  static final long CLAIM_US = 2_000_000;

  /** How long a waiter stays in the queue without a sign of life. */
  static final long ENTRY_US = 10_000_000;

  /** A client that has not known a connection for this long holds nobody's silence against it. */
  static final long RETURN_US = 3_000_000;

  /** For how long such a client counts waiters whose entries ran out: as long as these wait on. */
  static final long OUTAGE_US = 30_000_000;

  /** An entry is not written again before it is this old, so that most re-checks only read. */
  static final long ENTRY_FRESH_US = 7_000_000;

  /**
   * The time between two re-checks of a waiter, up to a quarter more for a common tick. Bounds the
   * cost of a lost message, and is how a waiter learns that its owner was granted the lock in
   * another client: within a second (rule S1).
   */
  static final Duration RECHECK = Duration.ofMillis(750);

  /** The same for a client that cannot be told of a grant. */
  static final Duration POLL = Duration.ofMillis(100);

  /** How long a client goes on listening for grants after its last waiter. */
  static final Duration LINGER = Duration.ofSeconds(20);

  /** A free lock whose waiters are all dead is cleared by whoever notices it after this. */
  static final long FORGOTTEN_US = 60_000_000;

  /** A client that stops in the middle of a transaction is cut off by the server after this. */
  static final int CUT_SECONDS = 2;

  /** To how many waiters a client may pass one grant. */
  static final int HEIRS = 31;

  private Protocol() {}

  /** How long the entry of a waiter stays without a sign of life. */
  static long stayUs(Duration patience) {
    return Math.min(ENTRY_US, micros(patience) + 1_000_000);
  }

  static long micros(Duration duration) {
    return TimeUnit.SECONDS.toMicros(duration.getSeconds()) + duration.getNano() / 1_000;
  }

  static Duration ofMicros(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }
}
