package dev.interlock.tck.internal.worker;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whether somebody looks at the run in a debugger. Then the kit waits for calls, tests and JVMs as
 * long as that takes, and each JVM that it forks waits for a debugger if a port was named.
 * Thread-safe.
 */
public final class Debugging {
  /** A port, or {@code true} for the JVM of the kit alone. */
  static final String PROPERTY = "interlock.tck.debug";

  private static final System.Logger LOGGER = System.getLogger(Debugging.class.getName());
  private static final Duration UNLIMITED = Duration.ofDays(7);
  private static final AtomicInteger FORKED = new AtomicInteger();

  private Debugging() {}

  /** Returns a limit, or one that is never reached while somebody debugs. */
  public static Duration limit(Duration limit) {
    return asked().isEmpty() ? limit : UNLIMITED;
  }

  /**
   * Returns what makes a forked JVM wait for a debugger. Each gets the next port, from the one that
   * was named on, and the log says which.
   *
   * @throws IllegalArgumentException if what was named is no port
   */
  static List<String> jvmArguments() {
    String asked = asked();
    if (asked.isEmpty() || asked.equals("true")) {
      return List.of();
    }
    int first;
    try {
      first = Integer.parseInt(asked);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          PROPERTY + " is '" + asked + "': it must be a port, or true", e);
    }
    int port = first + FORKED.getAndIncrement();
    LOGGER.log(
        System.Logger.Level.INFO, "A worker JVM waits for a debugger at localhost:{0}", "" + port);
    // Quiet, for its standard output belongs to the kit.
    return List.of(
        "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,quiet=y,address=localhost:" + port);
  }

  private static String asked() {
    return System.getProperty(PROPERTY, "");
  }
}
