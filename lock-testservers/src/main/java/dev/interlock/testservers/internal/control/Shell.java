package dev.interlock.testservers.internal.control;

import dev.interlock.testservers.TestServerException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs short helper programs. */
public final class Shell {
  private static final long LIMIT_SECONDS = 30;

  private Shell() {}

  /** Lets a script find cp, rm and ps even where a test runs with a search path of its own. */
  static ProcessBuilder withUsualPath(ProcessBuilder builder) {
    builder.environment().merge("PATH", "/usr/bin:/bin", (own, usual) -> own + ":" + usual);
    return builder;
  }

  /**
   * Runs a program to its end and returns what it printed. An interrupt does not cut it short.
   *
   * @throws TestServerException if it cannot be run, fails, or takes more than 30 s
   */
  public static String run(String... command) {
    try {
      Process process =
          withUsualPath(new ProcessBuilder(command)).redirectErrorStream(true).start();
      process.getOutputStream().close();
      if (!endsWithin(process, Duration.ofSeconds(LIMIT_SECONDS))) {
        process.destroyForcibly();
        throw new TestServerException(command[0] + " did not end within " + LIMIT_SECONDS + " s.");
      }
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      if (process.exitValue() != 0) {
        throw new TestServerException(
            command[0] + " ended with status " + process.exitValue() + ": " + output);
      }
      return output;
    } catch (IOException e) {
      throw new TestServerException(command[0] + " cannot be run.", e);
    }
  }

  /**
   * Waits for the end of a process. An interrupt does not cut it short. {@link Process#onExit} may
   * never tell: it needs a thread of the common pool, which a test may keep busy.
   */
  static boolean endsWithin(Process process, Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Words as a part of a script. */
  public static String quoted(List<String> words) {
    StringBuilder line = new StringBuilder();
    for (String word : words) {
      line.append('\'').append(word.replace("'", "'\\''")).append("' ");
    }
    return line.toString();
  }
}
