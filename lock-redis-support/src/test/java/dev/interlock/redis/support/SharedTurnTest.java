package dev.interlock.redis.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Those who come while the work is done share the next turn. */
@Timeout(30)
class SharedTurnTest {
  private final List<List<Object>> turns = new CopyOnWriteArrayList<>();

  @Test
  void whoIsAloneIsServedAtOnceAndEachTimeAgain() {
    SharedTurn<Object> turn = new SharedTurn<>(turns::add);
    turn.join("a");
    turn.join("b");
    assertThat(turns).containsExactly(List.of("a"), List.of("b"));
  }

  @Test
  void thoseWhoComeMeanwhileAreServedTogetherByOneOfThem() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    SharedTurn<Object> turn = new SharedTurn<>(all -> {
      turns.add(all);
      awaitQuietly(goOn);
    });
    CompletableFuture<Void> first = inThread(() -> turn.join("first"));
    while (turns.isEmpty()) {
      Thread.onSpinWait();
    }
    List<Thread> threads =
        IntStream.range(0, 5).mapToObj(i -> new Thread(() -> turn.join(i))).toList();
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
    assertThat(turns.get(1)).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
  }

  @Test
  void workThatFailsLeavesTheTurnToTheNext() {
    SharedTurn<Object> turn = new SharedTurn<>(all -> {
      turns.add(all);
      throw new IllegalStateException("planted");
    });
    assertThatThrownBy(() -> turn.join("a")).hasMessage("planted");
    assertThatThrownBy(() -> turn.join("b")).hasMessage("planted");
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
