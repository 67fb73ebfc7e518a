package dev.interlock.bench.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.SectionClient;
import dev.interlock.measure.SectionLock;
import dev.interlock.measure.Statistics;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class HandOffRunTest {
  private static final BenchPlan PLAN = new BenchPlan(
      "test", 1, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO);

  private final Progress progress = new Progress(new PrintWriter(new StringWriter()));

  @Test
  void timeCountsFromTheReleaseAndNotFromTheRequest() throws Exception {
    // From the request it would be no less than the 10 ms for which the holder keeps the lock.
    List<HandOffResult> results = measureUntil(
        all -> all.get(0).latency().p50Micros() < 10_000,
        () -> measure(
            subject("quick", Subject.Kind.PEER, new OneHolder(0)),
            subject("slow", Subject.Kind.OURS, new OneHolder(30))));

    HandOffResult quick = results.get(0);
    HandOffResult slow = results.get(1);
    assertThat(quick.handOffs()).isEqualTo(10);
    assertThat(quick.latency().p50Micros()).isLessThan(10_000);
    assertThat(quick.toBestPeer()).isEqualTo(new Statistics.Ratio(1, 1, 1));
    assertThat(slow.latency().p50Micros()).isGreaterThan(30_000);
    assertThat(slow.toBestPeer()).isNotNull();
    assertThat(slow.toBestPeer().median()).isGreaterThan(1);
  }

  /** Always 10 ms after the request, it would be told 90 ms late each time. */
  @Test
  void aLockThatIsPolledIsReleasedAtAnyMomentOfAPoll() throws Exception {
    HandOffResult polled = measureUntil(
            all -> all.get(0).latency().p50Micros() < 80_000,
            () -> measure(subject("polled", Subject.Kind.PEER, new Polled())))
        .get(0);

    assertThat(polled.latency().p50Micros()).isBetween(15_000.0, 80_000.0);
  }

  /** Three times at most: a busy machine may be slow once. */
  private static List<HandOffResult> measureUntil(
      Predicate<List<HandOffResult>> good, Callable<List<HandOffResult>> measurement)
      throws Exception {
    List<HandOffResult> results = measurement.call();
    for (int i = 1; i < 3 && !good.test(results); i++) {
      results = measurement.call();
    }
    return results;
  }

  @Test
  void aWaiterThatHasTheLockBeforeItsReleaseIsAFailure() throws InterruptedException {
    try (OpenSubjects open = open(subject("broken", Subject.Kind.OURS, new NoLock()))) {
      assertThat(new HandOffRun(open, PLAN, "test:", progress).measure()).isEmpty();

      assertThat(open.failures()).singleElement().satisfies(failure -> {
        assertThat(failure.subject()).isEqualTo("broken");
        assertThat(failure.where()).isEqualTo("hand-off");
        assertThat(failure.message()).contains("before it was released");
      });
    }
  }

  @Test
  void aLockThatNeverComesIsAFailureAndTheOthersAreMeasured() throws InterruptedException {
    try (OpenSubjects open = open(
        subject("stuck", Subject.Kind.OURS, new NeverAgain()),
        subject("sound", Subject.Kind.OURS, new OneHolder(0)))) {
      Duration longestWait = Duration.ofMillis(200);

      List<HandOffResult> results =
          new HandOffRun(open, PLAN, "test:", progress, longestWait).measure();

      assertThat(results).extracting(HandOffResult::id).containsExactly("sound");
      assertThat(open.failures())
          .extracting(OpenSubjects.Failure::message)
          .containsExactly("the waiter did not have the lock 200 ms after its release");
    }
  }

  private List<HandOffResult> measure(Subject... subjects) throws InterruptedException {
    try (OpenSubjects open = open(subjects)) {
      List<HandOffResult> results = new HandOffRun(open, PLAN, "test:", progress).measure();
      assertThat(open.failures()).isEmpty();
      return results;
    }
  }

  private OpenSubjects open(Subject... subjects) {
    ServerAddress nowhere = ServerAddress.parse(ServerKind.REDIS, "redis://127.0.0.1:1");
    return new OpenSubjects(List.of(subjects), nowhere, 2, 1, progress);
  }

  private static Subject subject(String id, Subject.Kind kind, SectionLock lock) {
    return new Subject(id, id, kind, "library 1", (server, threads) -> new SectionClient() {
      @Override
      public SectionLock lock(String name) {
        return lock;
      }

      @Override
      public void close() {}
    });
  }

  /** Takes a while to tell the waiter. */
  private record OneHolder(Semaphore permit, int delayMillis) implements SectionLock {
    OneHolder(int delayMillis) {
      this(new Semaphore(1), delayMillis);
    }

    @Override
    public void lock() throws InterruptedException {
      permit.acquire();
      Thread.sleep(delayMillis);
    }

    @Override
    public void unlock() {
      permit.release();
    }
  }

  /** Waiters look again every 100 ms. */
  private record Polled(Semaphore permit) implements SectionLock {
    Polled() {
      this(new Semaphore(1));
    }

    @Override
    public void lock() throws InterruptedException {
      while (!permit.tryAcquire()) {
        Thread.sleep(100);
      }
    }

    @Override
    public void unlock() {
      permit.release();
    }
  }

  /** Can be taken once, and pays no heed to interrupts. */
  private static final class NeverAgain implements SectionLock {
    private final Semaphore permit = new Semaphore(1);

    @Override
    public void lock() {
      permit.acquireUninterruptibly();
    }

    @Override
    public void unlock() {}
  }

  private static final class NoLock implements SectionLock {
    @Override
    public void lock() {}

    @Override
    public void unlock() {}
  }
}
