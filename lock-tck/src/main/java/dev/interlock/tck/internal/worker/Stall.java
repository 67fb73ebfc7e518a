package dev.interlock.tck.internal.worker;

import java.io.Serializable;
import java.time.Duration;

/**
 * A time in which something stood still: starved of its processor, stopped, or collecting garbage.
 *
 * @param who what stood still, for people
 * @param end when it was seen to go on, by {@link System#nanoTime()}
 * @param nanos for how long it had stood still
 */
public record Stall(String who, long end, long nanos) implements Serializable {

  public Duration length() {
    return Duration.ofNanos(nanos);
  }

  @Override
  public String toString() {
    return who + " stood still for " + nanos / 1_000_000 + " ms";
  }
}
