package dev.interlock.testservers;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Looks at servers from the outside. */
public final class TestProcesses {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private TestProcesses() {}

  public static ProcessHandle serverProcess(RedisServer redis) {
    String pid = redis
        .command("INFO", "server")
        .lines()
        .filter(line -> line.startsWith("process_id:"))
        .findFirst()
        .orElseThrow();
    return ProcessHandle.of(Long.parseLong(pid.substring("process_id:".length())))
        .orElseThrow();
  }

  public static Path home(RedisServer redis) {
    return Path.of(
        redis.command("CONFIG", "GET", "dir").lines().skip(1).findFirst().orElseThrow());
  }

  public static void await(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > LIMIT.toNanos()) {
        throw new AssertionError("Not within " + LIMIT.toSeconds() + " s: " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }
}
