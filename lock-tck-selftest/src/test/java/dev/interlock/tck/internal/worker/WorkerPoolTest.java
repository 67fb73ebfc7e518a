package dev.interlock.tck.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.tck.teststore.Fault;
import dev.interlock.tck.teststore.StoreServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which JVMs a rule gets, and what becomes of them. */
class WorkerPoolTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final WorkerPool pool = WorkerPool.enter();
  private final List<ProcessWorker> workers = new ArrayList<>();
  private StoreServer server;
  private Opener opener;

  @BeforeEach
  void start() throws IOException {
    server = StoreServer.start(Fault.NONE);
    opener = new Opener(server.uri(), null);
  }

  @AfterEach
  void stop() throws IOException {
    workers.forEach(ProcessWorker::close);
    pool.leave();
    server.close();
  }

  @Test
  void aJvmThatARuleHasLeftServesTheNextWithAnotherClient() throws Exception {
    ProcessWorker first = own("first");
    long pid = pid(first);
    Duration lease = Duration.ofMinutes(1);
    first.run(space -> space.keep("kept", space.acquire("orders", lease, lease)));
    ProcessWorker beside = own("beside");
    assertThat(pid(beside)).isNotEqualTo(pid);
    first.close();
    // As all that a rule has opened is, at last.
    first.close();

    ProcessWorker second = own("second");
    assertThat(pid(second)).isEqualTo(pid);
    assertThat(second.label()).isNotEqualTo(first.label());
    assertThat(second.<Boolean>call(space -> space.client().inspect("orders").isEmpty()))
        .as("the client before is closed, and has released what it held")
        .isTrue();
    assertThatThrownBy(() -> second.run(space -> space.lease("kept")))
        .isInstanceOf(NullPointerException.class);
    assertThat(pid(own("third"))).isNotEqualTo(pid);
  }

  @Test
  void aJvmThatWasHarmedOrIsBusyOrHasSettingsOfItsOwnServesNobodyElse() throws Exception {
    ProcessWorker killed = own("kills");
    killed.kill();
    killed.close();
    ProcessWorker paused = own("pauses");
    paused.pause();
    paused.close();
    ProcessWorker busy = own("leaves a task");
    var unused = busy.start(1, space -> {
      Thread.sleep(60_000);
      return 0;
    });
    busy.close();
    ProcessWorker special = fresh("-Da=b");
    special.close();

    assertThat(pid(own("next"))).isNotIn(killed.pid(), paused.pid(), busy.pid(), special.pid());
  }

  @Test
  void whoAsksForAFreshJvmGetsOne() throws Exception {
    ProcessWorker first = own("first");
    long pid = pid(first);
    first.close();
    ProcessWorker fresh = fresh();
    assertThat(pid(fresh)).isNotEqualTo(pid);
    long ofFresh = pid(fresh);
    fresh.close();

    assertThat(List.of(pid(own("second")), pid(own("third")))).containsExactly(pid, ofFresh);
  }

  /** The planned pause is far longer than what a busy machine adds by itself. */
  @Test
  void aRuleAnswersForTheStallsOfItsOwnTimeAlone() throws Exception {
    Duration planned = Duration.ofMillis(2_900);
    long start = System.nanoTime();
    ProcessWorker first = own("first");
    first.pause();
    TimeUnit.SECONDS.sleep(3);
    first.resume();
    first.close();

    ProcessWorker second = own("second");
    assertThat(second.pid()).isEqualTo(first.pid());
    // Once its heart has beaten in this rule.
    TimeUnit.MILLISECONDS.sleep(100);
    // From outside, which is nobody's plan.
    long stopped = System.nanoTime();
    signal("STOP", second.pid());
    TimeUnit.MILLISECONDS.sleep(700);
    signal("CONT", second.pid());
    Optional<Stall> noted = Optional.empty();
    while (noted.isEmpty() && System.nanoTime() - stopped < PATIENCE.toNanos()) {
      TimeUnit.MILLISECONDS.sleep(10);
      noted = longest(stopped, "second", Duration.ofMillis(650));
    }
    assertThat(noted).isPresent();
    assertThat(longest(start, "first", planned)).isEmpty();
    assertThat(longest(start, "second", planned)).isEmpty();
  }

  private static Optional<Stall> longest(long since, String owner, Duration least) {
    return Stalls.instance()
        .longestSince(since, stall -> stall.of().equals(owner))
        .filter(stall -> stall.length().compareTo(least) >= 0);
  }

  private static void signal(String name, long pid) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("/bin/sh", "-c", "kill -" + name + " " + pid).start();
    assertThat(kill.waitFor()).isZero();
  }

  private ProcessWorker own(String owner) {
    return kept(pool.own("X1", owner, opener, PATIENCE));
  }

  private ProcessWorker fresh(String... jvmArguments) {
    return kept(pool.fresh("X1", "fresh", opener, PATIENCE, List.of(jvmArguments)));
  }

  private ProcessWorker kept(ProcessWorker worker) {
    workers.add(worker);
    return worker;
  }

  private static long pid(ProcessWorker worker) throws Exception {
    long told = worker.call(space -> ProcessHandle.current().pid());
    assertThat(told).isEqualTo(worker.pid());
    return told;
  }
}
