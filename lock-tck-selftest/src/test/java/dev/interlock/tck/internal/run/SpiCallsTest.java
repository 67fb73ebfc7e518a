package dev.interlock.tck.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.Effort;
import dev.interlock.tck.RuleInfo;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.Rules;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.internal.history.History;
import dev.interlock.tck.internal.history.Hold;
import dev.interlock.tck.internal.worker.ProcessWorker;
import dev.interlock.tck.internal.worker.Worker;
import dev.interlock.tck.internal.worker.WorkerPool;
import dev.interlock.tck.teststore.Fault;
import dev.interlock.tck.teststore.StoreServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A rule that fails tells the calls at the SPI of all its clients, in whatever JVM they are. */
class SpiCallsTest {
  private static final Duration LEASE = Duration.ofSeconds(20);

  /** Tests of a rule. */
  public static final class Samples {
    private Samples() {}

    @Rule(value = "X3", check = "nothing")
    public static void failsAfterAWorker(RuleRun run) throws Exception {
      Worker worker = run.worker();
      Duration lease = LEASE;
      worker.run(space -> space.acquire("orders", lease, lease).release());
      DirectBackend direct = run.direct();
      direct.attempt("orders", direct.newId(), LEASE);
      run.expect(false, "so it is", "it is not");
    }

    @Rule(value = "X3", check = "nothing")
    public static void failsBesideAStoppedWorker(RuleRun run) throws Exception {
      ProcessWorker worker = run.ownWorker();
      assertThat(run.client().tryAcquire(LockRequest.of("orders").withLease(LEASE)))
          .isPresent();
      worker.pause();
      run.expect(false, "so it is", "it is not");
    }

    @Rule(value = "X3", check = "nothing")
    public static void failsForAHistory(RuleRun run) throws Exception {
      LockClient client = run.client();
      Hold first = hold(client, "orders", "a");
      Hold second = hold(client, "orders", "b");
      hold(client, "others", "c");
      hold(client, "orders", "d");
      Hold overlapping =
          new Hold("orders", "a", first.token(), first.acquired(), second.until(), Hold.NEVER);
      run.judge(History.ofOverlaps(List.of(overlapping, second)), "no overlap");
    }

    private static Hold hold(LockClient client, String name, String owner) {
      Optional<Lease> lease = client.tryAcquire(LockRequest.of(name).withLease(LEASE));
      Hold hold = Hold.begin(owner, lease.orElseThrow(), true);
      lease.orElseThrow().release();
      return hold;
    }
  }

  private StoreServer server;
  private WorkerPool pool;

  @BeforeEach
  void start() throws IOException {
    server = StoreServer.start(Fault.NONE);
    pool = WorkerPool.enter();
  }

  @AfterEach
  void stop() throws IOException {
    pool.leave();
    server.close();
  }

  private String calls(String test) {
    StallSource none = (since, run, whole) -> Optional.empty();
    RuleExecutor executor = new RuleExecutor(
        Target.of(TckBackend.at(server.uri())), Effort.QUICK, 7, pool, Archive.NONE, none);
    RuleTest sample = Stream.of(Samples.class.getDeclaredMethods())
        .filter(method -> method.getName().equals(test))
        .map(method -> new RuleTest(method.getAnnotation(Rule.class), method))
        .findFirst()
        .orElseThrow();
    RuleInfo rule = Rules.find("X3").orElseThrow();
    RuleResult result = executor.execute(rule, List.of(sample));
    assertThat(result.evidence().message()).contains("happened: ");
    return String.join("\n", result.evidence().history());
  }

  @Test
  void thoseOfWorkersAndOfTheKitAreInOneOrder() {
    assertThat(calls("failsAfterAWorker"))
        .containsSubsequence(
            "calls at the SPI",
            "tck-X3-",
            " attempt(orders id=",
            "granted, token ",
            " release(orders, ",
            "direct-1 on tck-rule attempt(orders id=",
            "granted, token ");
  }

  @Test
  void aWorkerThatStandsStillIsNotWaitedFor() {
    assertThat(calls("failsBesideAStoppedWorker"))
        .containsSubsequence("calls at the SPI", "client-1 on ", "granted, token ");
  }

  @Test
  void ofAHistoryThoseOnItsLockUntilTheViolationAreTold() {
    String calls = calls("failsForAHistory");
    String spi = calls.substring(calls.indexOf("calls at the SPI"));
    assertThat(spi.lines().filter(line -> line.contains(" attempt(orders "))).hasSize(2);
    assertThat(spi).doesNotContain("others");
  }
}
