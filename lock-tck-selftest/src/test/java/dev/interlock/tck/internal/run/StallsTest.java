package dev.interlock.tck.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.tck.TckBackend;
import dev.interlock.tck.internal.worker.ProcessWorker;
import dev.interlock.tck.internal.worker.Stall;
import dev.interlock.tck.internal.worker.Stalls;
import dev.interlock.tck.internal.worker.WorkerMain;
import dev.interlock.tck.internal.worker.WorkerPool;
import dev.interlock.tck.teststore.Fault;
import dev.interlock.tck.teststore.StoreServer;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StallsTest {
  private static final Duration STALL = Duration.ofMillis(1_500);
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private StoreServer server;
  private ServerWatch watch;
  private Target target;

  @BeforeEach
  void start() throws IOException {
    server = StoreServer.start(Fault.NONE);
    target = Target.of(TckBackend.at(server.uri()));
    watch = new ServerWatch(target);
  }

  @AfterEach
  void stop() throws IOException {
    watch.close();
    server.close();
  }

  @Test
  void aServerThatStandsStillIsSeenUnlessARuleMakesIt() throws Exception {
    watch.begin(Duration.ofMillis(1));
    RuleRun.pause(STALL);
    long start = System.nanoTime();
    server.pause();
    RuleRun.pause(STALL);
    server.resume();
    Stall seen = awaitStall(start, ServerWatch.SERVER);
    assertThat(watch.longestSince(start, "", false)).isNotEqualTo(Optional.of(seen));

    watch.suspend();
    long suspended = System.nanoTime();
    server.pause();
    RuleRun.pause(STALL);
    server.resume();
    RuleRun.pause(STALL);
    assertThat(stallOf(ServerWatch.SERVER, suspended)).isEmpty();
    watch.resume();
  }

  @Test
  void aWorkerThatStandsStillIsSeenUnlessARuleStopsIt() throws Exception {
    WorkerPool pool = WorkerPool.enter();
    try (ProcessWorker worker = pool.own("X1", "of X1", target.opener(), LIMIT)) {
      assertThat(worker.<Boolean>call(space -> space.client().inspect("a").isEmpty()))
          .isTrue();
      ProcessHandle process = process();
      long start = System.nanoTime();
      signal("STOP", process);
      RuleRun.pause(STALL);
      signal("CONT", process);
      Stall seen = awaitStall(start, "a worker JVM stood still");
      assertThat(seen.of()).isEqualTo("of X1");

      worker.pause();
      long stopped = System.nanoTime();
      RuleRun.pause(STALL.multipliedBy(2)); // longer than what the machine may stand still
      worker.resume();
      assertThat(worker.<Boolean>call(space -> space.client().inspect("b").isEmpty()))
          .isTrue();
      RuleRun.pause(STALL.dividedBy(3));
      assertThat(stallOf("a worker JVM stood still", stopped)
              .filter(stall -> stall.length().compareTo(STALL) > 0))
          .isEmpty();
    } finally {
      pool.leave();
    }
  }

  @Test
  void whatStoodStillForOneRuleExplainsNothingOfAnother() throws Exception {
    long start = System.nanoTime();
    long year = Duration.ofDays(365).toNanos();
    Stalls.instance()
        .add(new Stall("a worker JVM stood still", "this rule", System.nanoTime(), year));
    assertThat(watch.longestSince(start, "this rule", true).orElseThrow().nanos())
        .isEqualTo(year);
    assertThat(watch.longestSince(start, "another", true).stream())
        .noneSatisfy(stall -> assertThat(stall.nanos()).isEqualTo(year));
    // Nor does what another run saw of its server.
    Stalls.instance().add(new Stall(ServerWatch.SERVER, "its server", System.nanoTime(), 2 * year));
    assertThat(watch.longestSince(start, "this rule", true).orElseThrow().nanos())
        .isEqualTo(year);
  }

  /** Shorter ones are of a busy machine, or not over yet. */
  private Stall awaitStall(long since, String what) throws InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      Optional<Stall> stall = stallOf(what, since);
      if (stall.isPresent() && stall.get().length().compareTo(STALL.dividedBy(2)) > 0) {
        return stall.get();
      }
      assertThat(System.nanoTime()).as(what + " was not seen").isLessThan(end);
      RuleRun.pause(Duration.ofMillis(20));
    }
  }

  private static Optional<Stall> stallOf(String what, long since) {
    return Stalls.instance().longestSince(since, stall -> stall.what().equals(what));
  }

  private static ProcessHandle process() {
    return ProcessHandle.current()
        .children()
        .filter(child -> child.info().commandLine().orElse("").contains(WorkerMain.class.getName()))
        .findFirst()
        .orElseThrow();
  }

  private static void signal(String signal, ProcessHandle process) throws Exception {
    new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
        .start()
        .waitFor();
  }
}
