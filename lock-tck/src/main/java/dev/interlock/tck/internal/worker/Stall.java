package dev.interlock.tck.internal.worker;

import java.io.Serializable;
import java.time.Duration;

/**
 * A time in which something stood still: starved of its processor, stopped, or collecting garbage.
 *
 * @param who what stood still, for people
 * @param of the run of a rule, or the server, that it belongs to; empty if all run on it
 * @param end when it was seen to go on, by {@link System#nanoTime()}
 * @param nanos for how long it had stood still
 */
public record Stall(String who, String of, long end, long nanos) implements Serializable {

  /** Of what all rules run on. */
  public Stall(String who, long end, long nanos) {
    this(who, "", end, nanos);
  }

  /** The same, of what belongs to one. */
  Stall of(String owner) {
    return new Stall(who, owner, end, nanos);
  }

  public Duration length() {
    return Duration.ofNanos(nanos);
  }

  @Override
  public String toString() {
    return who + " stood still for " + nanos / 1_000_000 + " ms";
  }
}
