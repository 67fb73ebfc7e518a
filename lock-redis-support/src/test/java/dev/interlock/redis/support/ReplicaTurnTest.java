package dev.interlock.redis.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Those who come while the server is asked share the next turn. */
@Timeout(30)
class ReplicaTurnTest {
  private final List<List<Hold>> turns = new CopyOnWriteArrayList<>();

  private static final class Hold implements ReplicaTurn.Question {
    private final ReplicaTurn.Outcome outcome = new ReplicaTurn.Outcome();

    @Override
    public ReplicaTurn.Outcome outcome() {
      return outcome;
    }
  }

  @Test
  void whoIsAloneIsServedAtOnceAndEachTimeAgain() {
    ReplicaTurn<Hold> turn = new ReplicaTurn<>(all -> {
      turns.add(all);
      all.forEach(hold -> hold.outcome.found(turns.size()));
    });
    assertThat(turn.ask(new Hold())).isEqualTo(1);
    assertThat(turn.ask(new Hold())).isEqualTo(2);
    assertThat(turns).allMatch(all -> all.size() == 1);
  }

  @Test
  void aHoldOfWhichNothingIsSaidIsGone() {
    assertThat(new ReplicaTurn<Hold>(all -> {}).ask(new Hold())).isNegative();
  }

  @Test
  void thoseWhoComeMeanwhileAreServedTogetherByOneOfThem() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    ReplicaTurn<Hold> turn = new ReplicaTurn<>(all -> {
      turns.add(all);
      awaitQuietly(goOn);
    });
    CompletableFuture<Void> first = inThread(() -> turn.ask(new Hold()));
    while (turns.isEmpty()) {
      Thread.onSpinWait();
    }
    List<Hold> holds = IntStream.range(0, 5).mapToObj(i -> new Hold()).toList();
    List<Thread> threads =
        holds.stream().map(hold -> new Thread(() -> turn.ask(hold))).toList();
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      while (thread.getState() != Thread.State.WAITING) { // for its turn
        Thread.onSpinWait();
      }
    }
    goOn.countDown();
    first.join();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(turns).hasSize(2);
    assertThat(turns.get(1)).containsExactlyInAnyOrderElementsOf(holds);
  }

  @Test
  void W4_whoHasBeenAnsweredWaitsForNoTurnOfThoseWhoComeLater() throws Exception {
    for (int i = 0; i < 100; i++) { // it depends on which thread wakes up first
      turns.clear();
      assertThat(isAnyAnsweredLate()).isFalse();
    }
  }

  private boolean isAnyAnsweredLate() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(2);
    AtomicBoolean late = new AtomicBoolean();
    ReplicaTurn<Hold> turn = new ReplicaTurn<>(all -> {
      turns.add(all);
      if (turns.size() == 1) {
        awaitQuietly(goOn);
      } else if (turns.size() == 3) {
        late.set(!isOpenSoon(answered));
      }
    });
    CompletableFuture<Void> first = inThread(() -> turn.ask(new Hold()));
    while (turns.isEmpty()) {
      Thread.onSpinWait();
    }
    // One asks for both. If it asks again at once, the other one is still to have its answer.
    List<Thread> threads = IntStream.range(0, 2)
        .mapToObj(i -> new Thread(() -> {
          turn.ask(new Hold());
          answered.countDown();
          turn.ask(new Hold());
        }))
        .toList();
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      while (thread.getState() != Thread.State.WAITING) { // for its turn
        Thread.onSpinWait();
      }
    }
    goOn.countDown();
    first.join();
    for (Thread thread : threads) {
      thread.join();
    }
    return late.get();
  }

  private static boolean isOpenSoon(CountDownLatch latch) {
    try {
      return latch.await(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aFailureIsTheAnswerToAllAndLeavesTheTurnToTheNext() {
    ReplicaTurn<Hold> turn = new ReplicaTurn<>(all -> {
      turns.add(all);
      throw new BackendUnavailableException("planted");
    });
    assertThatThrownBy(() -> turn.ask(new Hold())).hasMessage("planted");
    assertThatThrownBy(() -> turn.ask(new Hold())).hasMessage("planted");
    assertThat(turns).hasSize(2);
  }

  private static CompletableFuture<Void> inThread(Runnable work) {
    return CompletableFuture.runAsync(work, task -> new Thread(task).start());
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
