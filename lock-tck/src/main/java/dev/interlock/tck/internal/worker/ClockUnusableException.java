package dev.interlock.tck.internal.worker;

import java.io.Serial;

/** The JVMs of this host do not share a monotonic clock, so histories cannot be compared. */
public final class ClockUnusableException extends RuntimeException {
  @Serial
  private static final long serialVersionUID = 1L;

  ClockUnusableException() {
    super("System.nanoTime() of a worker JVM does not lie between two readings of this one");
  }
}
