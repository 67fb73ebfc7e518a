package dev.interlock.tck;

import dev.interlock.tck.internal.worker.SkewAgent;
import dev.interlock.tck.internal.worker.SkewedClock;
import java.time.Duration;

/**
 * The wall clock of a JVM that was started for it, which can be set as an operator or a time server
 * may. Every class outside the JDK sees it that asks {@link System#currentTimeMillis()},
 * {@code Instant}, {@code Clock}, {@code LocalDateTime} or {@code ZonedDateTime}; other processes
 * do not, and {@link System#nanoTime()} goes on as before. Thread-safe; nothing blocks.
 */
public final class TckClock {
  private TckClock() {}

  /**
   * Makes a JVM's wall clock one that can be set.
   *
   * @return an argument for {@code java}, to stand before the main class. The JVM must have the kit
   *     on its class path, and be started by this one while it lives
   * @throws java.io.UncheckedIOException if no temporary file can be written
   */
  public static String argument() {
    return SkewAgent.argument(Duration.ZERO);
  }

  /**
   * Sets the wall clock of this JVM.
   *
   * @param offset how far it is ahead of the machine's from now on; negative if behind
   * @throws IllegalStateException if this JVM was not started with {@link #argument()}
   */
  public static void set(Duration offset) {
    if (!SkewedClock.isInPlace()) {
      throw new IllegalStateException("the wall clock of this JVM cannot be set");
    }
    SkewedClock.setOffset(offset);
  }
}
