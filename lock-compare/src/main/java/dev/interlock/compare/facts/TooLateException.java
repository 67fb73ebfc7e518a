package dev.interlock.compare.facts;

import java.time.Duration;

/** The machine stalled: a lease ended before it could be seen what had become of it. */
final class TooLateException extends Exception {
  private static final long serialVersionUID = 1L;

  TooLateException(Duration taken) {
    super("the second server was ready after " + Text.ms(Text.millis(taken.toNanos()))
        + ", when the lease had ended");
  }
}
