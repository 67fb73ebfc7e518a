package dev.interlock.mysql.internal.queue;

import java.time.Duration;

/** The times that the protocol rests on. All of them are counted on the server's clock. */
public final class Protocol {
  /** How long a grant to another client stands before it is confirmed or released. */
  public static final long CLAIM_US = 2_000_000;

  /** A client that has not known a connection for this long holds nobody's silence against it. */
  public static final long RETURN_US = 3_000_000;

  /** For how long such a client counts waiters whose entries ran out: as long as these wait on. */
  public static final long OUTAGE_US = 30_000_000;

  /** An entry is not written again before it is this old, so that most re-checks only read. */
  public static final long ENTRY_FRESH_US = 7_000_000;

  /** A waiter that keeps others out is passed over after so long without a sign of life. */
  static final long SILENT_US = 2_000_000;

  /** The entry of such a waiter is written again as soon as it is this old: with every look. */
  public static final long SUMMONED_FRESH_US = 9_500_000;

  /** How long a client goes on listening for grants after its last waiter. */
  public static final Duration LINGER = Duration.ofSeconds(20);

  /** A free lock whose waiters are all dead is cleared by whoever notices it after this. */
  public static final long FORGOTTEN_US = 60_000_000;

  /** A client that stops in the middle of a transaction is cut off by the server after this. */
  public static final int CUT_SECONDS = 2;

  /** To how many waiters a client may pass one grant. */
  public static final int HEIRS = 31;

  private Protocol() {}
}
