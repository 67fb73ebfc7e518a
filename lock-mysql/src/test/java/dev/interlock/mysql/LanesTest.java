package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.BackendUnavailableException;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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

/** What goes along with what in one turn. */
@Timeout(60)
class LanesTest {
  private static final long LONG = TimeUnit.SECONDS.toNanos(50);

  private final List<List<Step<?>>> turns = new CopyOnWriteArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Lanes lanes = new Lanes((name, steps) -> {
    turns.add(List.copyOf(steps));
    steps.forEach(LanesTest::done);
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
    Step<Boolean> first = rider(LONG);
    Plain alone = new Plain(2);
    lanes.run("lock", alone);
    Step<Boolean> second = rider(LONG);
    Plain together = new Plain(2);
    lanes.run("lock", together);

    assertThat(turns).hasSize(2);
    assertThat(turns.get(0)).containsExactly(alone);
    assertThat(turns.get(1)).containsExactly(together, first, second);
  }

  @Test
  void whoHasWaitedLongEnoughTakesTheOthersAlong() {
    Step<Boolean> patient = rider(LONG);
    Step<Boolean> impatient = rider(TimeUnit.MILLISECONDS.toNanos(20));
    await().until(patient::isDone);

    assertThat(turns).hasSize(1);
    assertThat(turns.get(0)).containsExactlyInAnyOrder(patient, impatient);
  }

  @Test
  void anInterruptEndsTheRideAndIsKept() {
    AtomicBoolean kept = new AtomicBoolean();
    Thread thread = start(() -> {
      lanes.run("lock", new Plain(0), LONG);
      kept.set(Thread.interrupted());
    });
    awaitRide(thread);
    thread.interrupt();
    await().untilTrue(kept);

    assertThat(turns)
        .singleElement()
        .asInstanceOf(InstanceOfAssertFactories.LIST)
        .hasSize(1);
  }

  @Test
  void aReleaseTakesRidersAlongOnceAsManyAsStillStandInTheQueueHaveGathered() {
    Entries entries = new Entries();
    for (long ticket = 1; ticket <= 5; ticket++) {
      entries.put(new KnownEntry(
          "lock", Place.of("n", "lock"), Entry.WAITER, ticket, new HoldId(1, ticket)));
    }
    Release single = new Release("lock", new HoldId(1, 9), null);
    Release ofRun =
        new Release("lock", new HoldId(1, 9), null, List.of(new HoldId(1, 1), new HoldId(1, 2)));

    assertThat(riders(single, entries)).isEqualTo(5);
    assertThat(riders(ofRun, entries)).as("two have had it").isEqualTo(3);
    Set.of(1L, 2L, 3L, 4L, 5L).forEach(ticket -> entries.remove(new HoldId(1, ticket)));
    assertThat(riders(single, entries)).as("none stands there").isEqualTo(0);
  }

  @Test
  void attemptsWhoseTimeIsOverFailWithAFaultyTurnAndTheOthersTakeTheirOwn() {
    CountDownLatch ill = new CountDownLatch(1);
    Lanes faulty = new Lanes((name, steps) -> {
      turns.add(List.copyOf(steps));
      if (turns.size() > 1) {
        steps.forEach(LanesTest::done);
        return;
      }
      await().until(() -> ill.getCount() == 0);
      steps.forEach(step -> step.fail(new BackendUnavailableException("no answer")));
    });
    AtomicReference<Throwable> first = failing(faulty, null).error();
    await().until(() -> turns.size() == 1);
    Failing overdue = failing(faulty, Duration.ZERO);
    Failing patient = failing(faulty, Duration.ofSeconds(50));
    Failing release = failing(faulty, null);
    await().until(overdue.step()::isOverdue);
    ill.countDown();
    await().until(() -> patient.step().isDone() && release.step().isDone());
    await().until(() -> overdue.error().get() != null && first.get() != null);

    assertThat(first.get()).hasMessage("no answer");
    assertThat(overdue.error().get())
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessage("lock 'lock': not asked for, since an earlier attempt failed: no answer");
    assertThat(turns).hasSize(2);
    assertThat(turns.get(1)).containsExactlyInAnyOrder(patient.step(), release.step());
  }

  private record Failing(Plain step, AtomicReference<Throwable> error) {}

  private Failing failing(Lanes faulty, @Nullable Duration patience) {
    AtomicReference<Plain> step = new AtomicReference<>();
    AtomicReference<Throwable> error = new AtomicReference<>();
    Thread thread = start(() -> {
      step.set(new Plain(0, patience));
      try {
        faulty.run("lock", step.get());
      } catch (BackendUnavailableException e) {
        error.set(e);
      }
    });
    await()
        .until(() -> thread.getState() == Thread.State.WAITING
            || thread.getState() == Thread.State.TIMED_WAITING);
    return new Failing(step.get(), error);
  }

  /** How many riders it takes. */
  private static int riders(Release release, Entries entries) {
    Step<?> step = new Steps.GiveBack(release, entries, (attempt, turn) -> {});
    int riders = 0;
    while (!step.takesAlong(riders)) {
      riders++;
    }
    return riders;
  }

  private Step<Boolean> rider(long nanos) {
    AtomicReference<Plain> step = new AtomicReference<>();
    awaitRide(start(() -> {
      step.set(new Plain(0)); // belongs to the thread that makes it
      lanes.run("lock", step.get(), nanos);
    }));
    return step.get();
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

  @SuppressWarnings("unchecked") // all steps here are plain
  private static void done(Step<?> step) {
    ((Step<Boolean>) step).succeed(true);
  }

  /** Takes riders along if there are enough. */
  private static final class Plain extends Step<Boolean> {
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
    @Nullable
    Duration patience() {
      return patience;
    }

    @Override
    boolean takesAlong(int riders) {
      return enough > 0 && riders >= enough;
    }

    @Override
    List<HoldId> ids() {
      return List.of();
    }

    @Override
    boolean needsRow() {
      return false;
    }

    @Override
    boolean isUrgent() {
      return false;
    }

    @Override
    void giveUp(Turn turn) {}

    @Override
    void take(Turn turn) {}

    @Override
    Boolean committed(Turn turn) {
      return true;
    }

    @Override
    Boolean nothingThere() {
      return true;
    }
  }
}
