package dev.interlock.tck.internal.worker;

import java.io.Serializable;
import java.time.Duration;

/**
 * A time in which something stood still, or nearly so: starved of its processor, stopped, or
 * collecting garbage.
 *
 * @param what what happened in that time, for people, such as "this JVM stood still"
 * @param of the run of a rule, or the server, that it belongs to; empty if all run on it
 * @param end when it was seen to go on, by {@link System#nanoTime()}
 * @param nanos for how long it had stood still
 */
public record Stall(String what, String of, long end, long nanos) implements Serializable {

  /** Of what all rules run on. */
  public Stall(String what, long end, long nanos) {
    this(what, "", end, nanos);
  }

  /** The same, of what belongs to one. */
  Stall of(String owner) {
    return new Stall(what, owner, end, nanos);
  }

  /** Returns when it began, by the same clock. */
  long begin() {
    return end - nanos;
  }

  public Duration length() {
    return Duration.ofNanos(nanos);
  }

  @Override
  public String toString() {
    return what + " for " + nanos / 1_000_000 + " ms";
  }
}
