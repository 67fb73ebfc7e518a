package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestMysql;
import dev.interlock.testservers.TestRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two JVMs with a job that runs each second: one run for each second, also when one of them is
 * killed halfway. {@code -Dinterlock.test.periods=60} for a longer run.
 *
 * <p>The lock stays for half a second. An instance that a busy machine calls later than that is
 * outside of what such a job promises; seconds in which that happened are not judged.
 */
@Tag("thorough")
@Timeout(300)
class OnceOnlyTest {
  private static final int LATE = 400;
  private static final int PERIODS = Integer.getInteger("interlock.test.periods", 8);

  /** Seconds that must be judged before the kill, and again after it. */
  private static final int ENOUGH = PERIODS / 4;

  @TempDir
  private Path directory;

  private record Run(long at, long token, long process) {
    static Run parse(String line) {
      String[] fields = line.split(" ", -1);
      return new Run(
          Long.parseLong(fields[0]), Long.parseLong(fields[1]), Long.parseLong(fields[2]));
    }

    /** The second that it belongs to. */
    long period() {
      return Math.floorDiv(at, 1000);
    }

    boolean isLate() {
      return Math.floorMod(at, 1000) > LATE;
    }
  }

  @Test
  void one_run_in_each_period_on_redis_also_when_an_instance_is_killed() throws Exception {
    try (RedisServer server = TestRedis.start()) {
      runs(server.uri("redis-hash"));
    }
  }

  @Test
  void one_run_in_each_period_on_mariadb_also_when_an_instance_is_killed() throws Exception {
    try (MysqlServer server = TestMysql.start()) {
      runs(server.uri() + "?schema=create");
    }
  }

  private void runs(String uri) throws Exception {
    List<Process> instances = new ArrayList<>();
    try {
      instances.add(instance(uri));
      instances.add(instance(uri));
      for (Process instance : instances) {
        awaitStarted(instance);
      }
      // An instance that has just started may be slow in its first seconds.
      await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(directory.resolve("runs")));
      long first = now() + 1;
      awaitPeriod(first + PERIODS / 2);
      long before = now();
      Process victim = instances.get(ownerOfLast(instances));
      victim.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
      long after = now();
      awaitPeriod(after + 1 + PERIODS / 2);
      awaitRunAfter(after);
      SortedSet<Long> ofBoth = judged(first, before);
      SortedSet<Long> ofOne = judged(after + 1, after + 1 + PERIODS / 2);
      check(ofBoth, instances);
      check(ofOne, instances);
      assumeTrue(
          Math.min(ofBoth.size(), ofOne.size()) >= ENOUGH, "the machine is too busy to judge");
    } finally {
      instances.forEach(Process::destroyForcibly);
    }
  }

  private int ownerOfLast(List<Process> instances) throws IOException {
    List<Run> runs = read("runs");
    long last = runs.get(runs.size() - 1).process();
    return instances.get(0).pid() == last ? 0 : 1;
  }

  /** Whoever is left runs the job, however late a busy machine lets it. */
  private void awaitRunAfter(long period) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(read("runs"))
            .as("a run after an instance was killed in second %s", period)
            .anyMatch(run -> run.period() > period));
  }

  /**
   * The seconds in which all were called in time.
   *
   * @param first the first of them
   * @param end the one after the last
   */
  private SortedSet<Long> judged(long first, long end) throws IOException {
    Set<Long> late = new HashSet<>();
    Set<Long> called = new HashSet<>();
    for (String file : List.of("triggers", "runs")) {
      for (Run run : read(file)) {
        called.add(run.period());
        if (run.isLate()) {
          late.add(run.period());
        }
      }
    }
    SortedSet<Long> judged = new TreeSet<>();
    for (long period = first; period < end; period++) {
      if (called.contains(period) && !late.contains(period) && !late.contains(period - 1)) {
        judged.add(period);
      }
    }
    System.out.printf("once-only: %d of %d seconds judged%n", judged.size(), end - first);
    return judged;
  }

  private void check(SortedSet<Long> judged, List<Process> instances) throws IOException {
    TreeMap<Long, Integer> counts = new TreeMap<>();
    judged.forEach(period -> counts.put(period, 0));
    Set<Long> tokens = new HashSet<>();
    for (Run run : read("runs")) {
      counts.computeIfPresent(run.period(), (period, count) -> count + 1);
      assertThat(tokens.add(run.token())).as("each run has a token of its own").isTrue();
    }
    assertThat(counts.values())
        .as("runs in each second, by %s: %s", instances, counts)
        .allMatch(count -> count == 1);
  }

  private List<Run> read(String file) throws IOException {
    return Files.readAllLines(directory.resolve(file)).stream().map(Run::parse).toList();
  }

  private static long now() {
    return System.currentTimeMillis() / 1000;
  }

  private static void awaitPeriod(long period) {
    await()
        .pollInterval(Duration.ofMillis(10))
        .atMost(Duration.ofSeconds(PERIODS + 30L))
        // Not at the change of periods, where a run may be under way.
        .until(() -> System.currentTimeMillis() > period * 1000 - 250);
  }

  private Process instance(String uri) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            JobApplication.class.getName(),
            "--interlock.uri=" + uri,
            "--test.directory=" + directory)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static void awaitStarted(Process instance) throws IOException {
    var output = instance.inputReader();
    String line = output.readLine();
    while (line != null && !line.equals("started")) {
      line = output.readLine();
    }
    assertThat(line).as("the instance has started").isNotNull();
  }
}
