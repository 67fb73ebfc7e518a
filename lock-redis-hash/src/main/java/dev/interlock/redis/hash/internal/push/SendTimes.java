package dev.interlock.redis.hash.internal.push;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Finds, for a moment of the server's clock, a reading of {@link System#nanoTime()} that is
 * certainly not later, so that a lease that begins at that moment can be counted here.
 *
 * <p>A script that answered with server time s was sent at t, and ran after that. Something that
 * the server did at g, not before s, therefore happened not before t + (g - s). That holds as long
 * as both clocks run at nearly the same rate between s and g, so only a recent answer is used, and
 * {@value #DRIFT_DIVISOR}th part of the difference is taken off. If the server's clock is set
 * forward just between s and g, the result is too late by that step, but never later than the
 * moment of asking: what is lost then is the time that the message took, for the first seconds of
 * one hold. If it is set back, g lies before s and nothing is answered. Thread-safe.
 */
public final class SendTimes {
  private static final long FRESH_NANOS = 1_000_000_000L;
  private static final long DRIFT_DIVISOR = 500;

  private record Sample(long sentNanos, long serverMicros) {}

  private volatile @Nullable Sample latest;

  public void learn(long sentNanos, long serverMicros) {
    latest = new Sample(sentNanos, serverMicros);
  }

  OptionalLong notLaterThan(long serverMicros) {
    Sample sample = latest;
    long now = System.nanoTime();
    if (sample == null || now - sample.sentNanos() > FRESH_NANOS) {
      return OptionalLong.empty();
    }
    long since = (serverMicros - sample.serverMicros()) * 1_000;
    if (since < 0) {
      return OptionalLong.empty();
    }
    long mapped = sample.sentNanos() + since - since / DRIFT_DIVISOR;
    return OptionalLong.of(mapped - now > 0 ? now : mapped);
  }
}
