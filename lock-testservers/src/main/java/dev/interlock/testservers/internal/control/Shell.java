package dev.interlock.testservers.internal.control;

import dev.interlock.testservers.TestServerException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
      process
          .onExit()
          .completeOnTimeout(process, LIMIT_SECONDS, TimeUnit.SECONDS)
          .join();
      if (process.isAlive()) {
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

  /** Words as a part of a script. */
  public static String quoted(List<String> words) {
    StringBuilder line = new StringBuilder();
    for (String word : words) {
      line.append('\'').append(word.replace("'", "'\\''")).append("' ");
    }
    return line.toString();
  }
}
