package dev.interlock.bench.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.bench.subjects.CountedSubject;
import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.CountedClient;
import dev.interlock.measure.CountedScenario;
import dev.interlock.measure.HangException;
import dev.interlock.measure.SectionLock;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class CountedRunTest {
  private static final BenchPlan PLAN = new BenchPlan(
      "test",
      2,
      Duration.ofMillis(100),
      Duration.ofMillis(20),
      Duration.ZERO,
      Duration.ZERO,
      Duration.ZERO);

  private static final String HANGS = "3 of 32 threads still waited";

  private final StringWriter progress = new StringWriter();
  private final CountedRun run = run(Duration.ofHours(1));

  private CountedRun run(Duration closing) {
    return new CountedRun(
        ServerAddress.parse(ServerKind.REDIS, "redis://127.0.0.1:1"),
        PLAN,
        "test:",
        new Progress(new PrintWriter(progress)),
        closing);
  }

  @Test
  void bothWaysAreMeasuredAndComparedWithThePeer() throws InterruptedException {
    List<CountedResult> results = run.measure(
        CountedScenario.READ_WRITE,
        List.of(
            subject("peer", Subject.Kind.PEER, readWrite()),
            subject("ours", Subject.Kind.OURS, readWrite())));

    assertThat(results).extracting(CountedResult::id).containsExactly("peer", "ours");
    assertThat(results).allSatisfy(result -> {
      assertThat(result.rounds()).hasSize(2);
      assertThat(result.sectionsPerSecond()).isPositive();
      assertThat(result.ways())
          .extracting(CountedResult.Way::name)
          .containsExactly("read", "write");
      assertThat(result.hardest().worstMillis()).isPositive();
      assertThat(result.toPeer()).isNotNull();
      assertThat(result.excesses()).isZero();
    });
    assertThat(results.get(0).toPeer().median()).isEqualTo(1);
    assertThat(results.get(0).worstToPeer()).isEqualTo(1);
    assertThat(run.failures()).isEmpty();
  }

  @Test
  void permitsThatAreMoreThanThereAreAreSeen() throws InterruptedException {
    assertThat(excesses(CountedScenario.SEMAPHORE.capacity())).isZero();
    assertThat(excesses(CountedScenario.SEMAPHORE.capacity() + 2)).isPositive();
  }

  private long excesses(int permits) throws InterruptedException {
    List<CountedResult> results = run.measure(
        CountedScenario.SEMAPHORE,
        List.of(subject("ours", Subject.Kind.OURS, permits(new Semaphore(permits)))));
    return results.get(0).excesses();
  }

  @Test
  void readersBesideAWriterAreSeen() throws InterruptedException {
    Semaphore noLock = new Semaphore(1_000);
    List<CountedResult> results = run.measure(
        CountedScenario.READ_WRITE,
        List.of(subject(
            "broken", Subject.Kind.OURS, () -> List.of(new Permits(noLock), new Permits(noLock)))));

    assertThat(results.get(0).excesses()).isPositive();
    assertThat(results.get(0).toPeer()).isNull();
  }

  @Test
  void aSubjectThatFailsIsLeftOut() throws InterruptedException {
    Supplier<List<SectionLock>> failing = () -> {
      throw new IllegalStateException("as planned");
    };
    List<CountedResult> results = run.measure(
        CountedScenario.SEMAPHORE,
        List.of(
            subject("failing", Subject.Kind.PEER, failing),
            subject("ours", Subject.Kind.OURS, permits(new Semaphore(4)))));

    assertThat(results).extracting(CountedResult::id).containsExactly("ours");
    assertThat(run.failures()).singleElement().satisfies(failure -> {
      assertThat(failure.subject()).isEqualTo("failing");
      assertThat(failure.message()).isEqualTo("as planned");
    });
  }

  @Test
  void aPeerThatHangsHasARowThatSaysSo() throws InterruptedException {
    List<CountedResult> results = run.measure(
        CountedScenario.READ_WRITE,
        List.of(
            subject("at once", Subject.Kind.PEER, hangsAfter(0)),
            subject("ours", Subject.Kind.OURS, readWrite())));

    assertThat(run.failures()).isEmpty();
    assertThat(results).extracting(CountedResult::id).containsExactly("at once", "ours");
    assertThat(results.get(0).hangs()).isEqualTo(HANGS);
    assertThat(results.get(0).rounds()).isEmpty();
    assertThat(results).allSatisfy(result -> {
      assertThat(result.toPeer()).isNull();
      assertThat(result.worstToPeer()).isNull();
    });
    assertThat(results.get(1).hangs()).isNull();
    assertThat(results.get(1).rounds()).hasSize(2);
  }

  @Test
  void onlyTheRoundsBeforeAPeerHungAreCompared() throws InterruptedException {
    int warmUpAndOneRound = 2 * CountedScenario.READ_WRITE.threads();
    List<CountedResult> results = run.measure(
        CountedScenario.READ_WRITE,
        List.of(
            subject("later", Subject.Kind.PEER, hangsAfter(warmUpAndOneRound)),
            subject("ours", Subject.Kind.OURS, readWrite())));

    assertThat(run.failures()).isEmpty();
    assertThat(results.get(0).hangs()).isEqualTo(HANGS);
    assertThat(results.get(0).rounds()).hasSize(1);
    assertThat(results.get(1).toPeer().median())
        .isEqualTo(results.get(1).rounds().get(0) / results.get(0).rounds().get(0));
    assertThat(results.get(1).worstToPeer()).isNull();
  }

  @Test
  void aPeerThatHungIsClosedBeforeTheOthersGoOn() throws InterruptedException {
    AtomicInteger closed = new AtomicInteger();
    List<Integer> closedBeforeOurs = Collections.synchronizedList(new ArrayList<>());
    Supplier<List<SectionLock>> sound = readWrite();
    Supplier<List<SectionLock>> ours = () -> {
      closedBeforeOurs.add(closed.get());
      return sound.get();
    };

    run(Duration.ofHours(1))
        .measure(
            CountedScenario.READ_WRITE,
            List.of(
                subject("peer", Subject.Kind.PEER, hangsAfter(0), closed::incrementAndGet),
                subject("ours", Subject.Kind.OURS, ours)));

    int clients = CountedScenario.READ_WRITE.clients();
    assertThat(closedBeforeOurs).isNotEmpty().containsOnly(clients);
    assertThat(closed).as("closed once each").hasValue(clients);
  }

  @Test
  @Timeout(60)
  void aPeerThatHangsInItsCloseKeepsNobodyFromGoingOn() throws InterruptedException {
    Runnable never = () -> {
      try {
        new Semaphore(0).acquire();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // by the time-out of a test that fails, for each client
        throw new IllegalStateException(e);
      }
    };
    List<CountedResult> results = run(Duration.ofMillis(10))
        .measure(
            CountedScenario.READ_WRITE,
            List.of(
                subject("peer", Subject.Kind.PEER, hangsAfter(0), never),
                subject("ours", Subject.Kind.OURS, readWrite())));

    assertThat(results.get(0).hangs()).isEqualTo(HANGS);
    assertThat(results.get(1).rounds()).hasSize(2);
    assertThat(progress.toString()).contains("not all of its clients could be closed");
  }

  @Test
  void oneOfOursThatHangsIsAFailure() throws InterruptedException {
    List<CountedResult> results = run.measure(
        CountedScenario.READ_WRITE, List.of(subject("ours", Subject.Kind.OURS, hangsAfter(0))));

    assertThat(results).isEmpty();
    assertThat(run.failures())
        .singleElement()
        .satisfies(failure -> assertThat(failure.message()).isEqualTo(HANGS));
  }

  /** Each thread of each round asks for a lock once. */
  private static Supplier<List<SectionLock>> hangsAfter(int locks) {
    AtomicInteger asked = new AtomicInteger();
    Supplier<List<SectionLock>> sound = readWrite();
    return () -> {
      if (asked.incrementAndGet() > locks) {
        throw new HangException(HANGS);
      }
      return sound.get();
    };
  }

  private static CountedSubject subject(
      String id, Subject.Kind kind, Supplier<List<SectionLock>> ways) {
    return subject(id, kind, ways, () -> {});
  }

  private static CountedSubject subject(
      String id, Subject.Kind kind, Supplier<List<SectionLock>> ways, Runnable close) {
    return new CountedSubject(id, id, kind, "library 1", server -> new CountedClient() {
      @Override
      public List<SectionLock> ways(String name) {
        return ways.get();
      }

      @Override
      public void close() {
        close.run();
      }
    });
  }

  private static Supplier<List<SectionLock>> readWrite() {
    ReentrantReadWriteLock lock = new ReentrantReadWriteLock(true);
    return () -> List.of(SectionLock.of(lock.readLock()), SectionLock.of(lock.writeLock()));
  }

  private static Supplier<List<SectionLock>> permits(Semaphore semaphore) {
    return () -> List.of(new Permits(semaphore));
  }

  private record Permits(Semaphore semaphore) implements SectionLock {
    @Override
    public void lock() throws InterruptedException {
      semaphore.acquire();
    }

    @Override
    public void unlock() {
      semaphore.release();
    }
  }
}
