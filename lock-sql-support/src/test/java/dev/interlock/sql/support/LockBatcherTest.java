package dev.interlock.sql.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.BackendRefusedException;
import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What goes along with what in one transaction. */
@Timeout(60)
class LockBatcherTest {
  private static final long LONG = TimeUnit.SECONDS.toNanos(50);

  private final List<List<Plain>> transactions = new CopyOnWriteArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final LockBatcher<Plain> batcher = new LockBatcher<>((name, operations) -> {
    transactions.add(List.copyOf(operations));
    operations.forEach(LockBatcherTest::done);
  });

  @AfterEach
  void nobodyIsLeftBehind() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join(10_000);
      assertThat(thread.isAlive()).isFalse();
    }
  }

  @Test
  void ridersWaitForTheReleaseThatTakesThemAlong() {
    Plain first = rider(LONG);
    Plain alone = new Plain(2);
    batcher.run("lock", alone);
    Plain second = rider(LONG);
    Plain together = new Plain(2);
    batcher.run("lock", together);

    assertThat(transactions).hasSize(2);
    assertThat(transactions.get(0)).containsExactly(alone);
    assertThat(transactions.get(1)).containsExactly(together, first, second);
  }

  @Test
  void whoHasWaitedLongEnoughTakesTheOthersAlong() {
    Plain patient = rider(LONG);
    Plain impatient = rider(TimeUnit.MILLISECONDS.toNanos(20));
    await().until(patient.outcome()::isDone);

    assertThat(transactions).hasSize(1);
    assertThat(transactions.get(0)).containsExactlyInAnyOrder(patient, impatient);
  }

  @Test
  void whatIsDoneAloneStandsBehindNobodyAndHoldsNobodyUp() {
    CountDownLatch rowLock = new CountDownLatch(1);
    LockBatcher<Plain> waiting = new LockBatcher<>((name, operations) -> {
      transactions.add(List.copyOf(operations));
      await().until(() -> rowLock.getCount() == 0);
      operations.forEach(LockBatcherTest::done);
    });
    Plain first = new Plain(0);
    start(() -> waiting.run("lock", new Plain(0)));
    await().until(() -> transactions.size() == 1);
    assertThat(waiting.runAlone("lock", first)).isFalse();
    assertThat(first.outcome().isDone()).isFalse();

    start(() -> waiting.run("lock", new Plain(0)));
    rowLock.countDown();
    await().until(() -> waiting.runAlone("lock", first));
    assertThat(first.outcome().isDone()).isTrue();
    assertThat(transactions).contains(List.of(first));
  }

  @Test
  void anInterruptEndsTheRideAndIsKept() {
    AtomicBoolean kept = new AtomicBoolean();
    Thread thread = start(() -> {
      batcher.run("lock", new Plain(0), LONG);
      kept.set(Thread.interrupted());
    });
    awaitRide(thread);
    thread.interrupt();
    await().untilTrue(kept);

    assertThat(transactions)
        .singleElement()
        .asInstanceOf(InstanceOfAssertFactories.LIST)
        .hasSize(1);
  }

  @Test
  void attemptsWhoseTimeIsOverFailWithAFaultyTurnAndTheOthersTakeTheirOwn() {
    CountDownLatch ill = new CountDownLatch(1);
    LockBatcher<Plain> faulty = new LockBatcher<>((name, operations) -> {
      transactions.add(List.copyOf(operations));
      if (transactions.size() > 1) {
        operations.forEach(LockBatcherTest::done);
        return;
      }
      await().until(() -> ill.getCount() == 0);
      operations.forEach(
          operation -> operation.outcome().fail(new BackendUnavailableException("no answer")));
    });
    AtomicReference<Throwable> first = failing(faulty, null).error();
    await().until(() -> transactions.size() == 1);
    Failing overdue = failing(faulty, Duration.ZERO);
    Failing patient = failing(faulty, Duration.ofSeconds(50));
    Failing release = failing(faulty, null);
    await().until(() -> overdue.operation().outcome().isOverdue(Duration.ZERO));
    ill.countDown();
    await()
        .until(() -> patient.operation().outcome().isDone()
            && release.operation().outcome().isDone());
    await().until(() -> overdue.error().get() != null && first.get() != null);

    assertThat(first.get()).hasMessage("no answer");
    assertThat(overdue.error().get())
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessage("lock 'lock': not asked for, since an earlier attempt failed: no answer");
    assertThat(transactions).hasSize(2);
    assertThat(transactions.get(1))
        .containsExactlyInAnyOrder(patient.operation(), release.operation());
  }

  @Test
  void whatATransactionThrowsIsHowTheRestOfItsWorkEnds() throws InterruptedException {
    LockBatcher<Plain> broken = new LockBatcher<>((name, operations) -> {
      done(operations.get(0));
      throw new AssertionError("planted");
    });
    Plain release = new Plain(1);
    AtomicReference<Plain> rider = new AtomicReference<>();
    Thread riding = start(() -> {
      rider.set(new Plain(0));
      broken.run("lock", rider.get(), LONG);
    });
    awaitRide(riding);

    broken.run("lock", release);
    riding.join();

    assertThat(release.outcome().get()).isNotNull();
    assertThatThrownBy(rider.get().outcome()::get)
        .isInstanceOf(OutcomeUnknownException.class)
        .hasRootCauseMessage("planted");
  }

  @Test
  void aRefusalThatATransactionThrowsIsWhatItsCallersGet() {
    LockBatcher<Plain> refused = new LockBatcher<>((name, operations) -> {
      throw new BackendUnavailableException("no answer");
    });
    Plain release = new Plain(0);

    refused.run("lock", release);

    assertThatThrownBy(release.outcome()::get)
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessage("no answer");
  }

  @Test
  void eachCallerGetsARefusalThatLastsAsSuch() {
    LockBatcher<Plain> refused = new LockBatcher<>((name, operations) -> {
      throw new BackendRefusedException("no rights", null);
    });
    Plain attempt = new Plain(0);

    refused.run("lock", attempt);

    assertThatThrownBy(attempt.outcome()::get)
        .isInstanceOf(BackendRefusedException.class)
        .hasMessage("no rights");
  }

  static List<LockException> refusals() {
    return List.of(
        new BackendRefusedException("no room", null), new LockConfigurationException("no room"));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void aReleaseIsDoneWithoutTheAttemptsThatAreRefused(LockException refusal)
      throws InterruptedException {
    LockBatcher<Plain> full = new LockBatcher<>((name, operations) -> {
      transactions.add(List.copyOf(operations));
      if (operations.stream().anyMatch(operation -> operation.patience() != null)) {
        throw refusal;
      }
      operations.forEach(LockBatcherTest::done);
    });
    Plain release = new Plain(1);
    AtomicReference<Plain> rider = new AtomicReference<>();
    Thread riding = start(() -> {
      rider.set(new Plain(0, Duration.ofSeconds(50)));
      full.run("lock", rider.get(), LONG);
    });
    awaitRide(riding);

    full.run("lock", release);
    riding.join();

    assertThat(release.outcome().get()).isTrue();
    assertThatThrownBy(rider.get().outcome()::get)
        .isInstanceOf(refusal.getClass())
        .hasMessage("no room");
    assertThat(transactions).containsExactly(List.of(release, rider.get()), List.of(release));
  }

  /** Of two releases, in one transaction, the attempt that one brings with it is refused. */
  @Test
  void whatFreesTheLockIsDoneApartFromOtherWorkThatIsRefused() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    AtomicReference<Plain> needsRoom = new AtomicReference<>();
    LockBatcher<Plain> full = new LockBatcher<>((name, operations) -> {
      begun.countDown();
      await().until(() -> end.getCount() == 0);
      if (operations.contains(needsRoom.get())) {
        throw new BackendRefusedException("no room", null);
      }
      operations.forEach(LockBatcherTest::done);
    });
    start(() -> full.run("lock", new Plain(0)));
    begun.await();
    AtomicReference<Plain> release = new AtomicReference<>();
    Thread first = start(() -> {
      needsRoom.set(new Plain(0));
      full.run("lock", needsRoom.get());
    });
    awaitParked(first);
    Thread second = start(() -> {
      release.set(new Plain(0));
      full.run("lock", release.get());
    });
    awaitParked(second);
    end.countDown();
    first.join();
    second.join();

    assertThat(release.get().outcome().get()).isTrue();
    assertThatThrownBy(needsRoom.get().outcome()::get).isInstanceOf(BackendRefusedException.class);
  }

  /** As when there is no memory left: it may meet the leader wherever it allocates. */
  @Test
  void e5_anErrorOfALeaderLeavesNobodyBehindWhomItTookAlong() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    LockBatcher<Plain> slow = new LockBatcher<>((name, operations) -> {
      begun.countDown();
      await().until(() -> end.getCount() == 0);
      operations.forEach(LockBatcherTest::done);
    });
    start(() -> slow.run("lock", new Plain(0)));
    begun.await();
    Thread riding = start(() -> slow.run("lock", new Plain(0), LONG));
    awaitRide(riding);
    List<Plain> works = new CopyOnWriteArrayList<>();
    List<Throwable> errors = new CopyOnWriteArrayList<>();
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      callers.add(start(() -> {
        Plain work = new Plain(Plain.FAILS);
        works.add(work);
        try {
          slow.run("lock", work);
        } catch (OutOfMemoryError e) {
          errors.add(e);
        }
      }));
    }
    callers.forEach(LockBatcherTest::awaitParked);
    end.countDown();
    for (Thread caller : callers) {
      caller.join(10_000);
      assertThat(caller.isAlive()).isFalse();
    }
    slow.run("lock", new Plain(1));

    assertThat(errors).hasSize(1);
    assertThat(works)
        .allSatisfy(work ->
            assertThatThrownBy(work.outcome()::get).isInstanceOf(OutcomeUnknownException.class));
  }

  private record Failing(Plain operation, AtomicReference<Throwable> error) {}

  private Failing failing(LockBatcher<Plain> faulty, @Nullable Duration patience) {
    AtomicReference<Plain> operation = new AtomicReference<>();
    AtomicReference<Throwable> error = new AtomicReference<>();
    Thread thread = start(() -> {
      operation.set(new Plain(0, patience));
      try {
        faulty.run("lock", operation.get());
        operation.get().outcome().get();
      } catch (BackendUnavailableException e) {
        error.set(e);
      }
    });
    awaitParked(thread);
    return new Failing(operation.get(), error);
  }

  private Plain rider(long nanos) {
    AtomicReference<Plain> operation = new AtomicReference<>();
    awaitRide(start(() -> {
      operation.set(new Plain(0)); // belongs to the thread that makes it
      batcher.run("lock", operation.get(), nanos);
    }));
    return operation.get();
  }

  private Thread start(Runnable work) {
    Thread thread = new Thread(work);
    threads.add(thread);
    thread.start();
    return thread;
  }

  private static void awaitRide(Thread thread) {
    await()
        .pollInterval(Duration.ofMillis(1))
        .until(() -> thread.getState() == Thread.State.TIMED_WAITING
            || thread.getState() == Thread.State.TERMINATED);
  }

  private static void awaitParked(Thread thread) {
    await()
        .until(() -> thread.getState() == Thread.State.WAITING
            || thread.getState() == Thread.State.TIMED_WAITING);
  }

  private static void done(Plain work) {
    work.outcome().succeed(true);
  }

  /** Takes riders along if there are enough. */
  private static final class Plain implements Batched<Boolean> {
    static final int FAILS = -1;

    private final Outcome<Boolean> outcome = new Outcome<>();
    private final int enough;
    private final @Nullable Duration patience;

    Plain(int enough) {
      this(enough, null);
    }

    Plain(int enough, @Nullable Duration patience) {
      this.enough = enough;
      this.patience = patience;
    }

    @Override
    public Outcome<Boolean> outcome() {
      return outcome;
    }

    @Override
    public @Nullable Duration patience() {
      return patience;
    }

    @Override
    public boolean takesAlong(int riders) {
      if (enough == FAILS) {
        throw new OutOfMemoryError("for the test");
      }
      return enough > 0 && riders >= enough;
    }
  }
}
