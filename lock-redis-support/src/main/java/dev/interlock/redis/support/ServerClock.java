package dev.interlock.redis.support;

import java.time.Duration;

/**
 * What this client knows of the server's clock, for one purpose: to give each command a moment, by
 * the server's clock, after which it must not run any more. A server that was stopped runs later
 * what its clients gave up long ago; such a command then finds that it is too late and does
 * nothing.
 *
 * <p>Leases never depend on this. It is taught by every answer that carries the server's time, the
 * latest one wins, so a step of either clock is forgotten with the next answer. Thread-safe.
 */
public final class ServerClock {
  /** A time that every server is past, with as many digits as its own: scripts compare text. */
  private static final long LONG_AGO_MICROS = 1_000_000_000_000_000L; // September 2001

  // Server time minus System.nanoTime(), in microseconds: never less than it was when learnt.
  private volatile long offsetMicros;

  /** Knows nothing yet: whatever is sent before it has learnt comes too late, and teaches it. */
  public ServerClock() {
    learn(System.nanoTime(), LONG_AGO_MICROS);
  }

  /**
   * Learns from an answer.
   *
   * @param sentNanos {@link System#nanoTime()} before the command was sent
   * @param serverMicros the server's time when it ran the command, in microseconds since 1970
   */
  public void learn(long sentNanos, long serverMicros) {
    offsetMicros = serverMicros - sentNanos / 1_000;
  }

  /**
   * Tells until when a command may run.
   *
   * @param sentNanos {@link System#nanoTime()} before it is sent
   * @param timeout how long the client waits for the answer
   * @return the server's time in microseconds since 1970
   */
  public long notAfterMicros(long sentNanos, Duration timeout) {
    return sentNanos / 1_000 + offsetMicros + timeout.toNanos() / 1_000;
  }
}
