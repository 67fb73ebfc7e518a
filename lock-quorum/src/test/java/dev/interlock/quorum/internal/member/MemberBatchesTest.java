package dev.interlock.quorum.internal.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.contract.Undisturbed;
import dev.interlock.quorum.BatchingProvider;
import dev.interlock.quorum.ThreeRedis;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How the questions of many threads to one member go together. */
@Timeout(60)
class MemberBatchesTest {
  private static final String CLIENT = "0000111122223333";
  private static final AtomicInteger TESTS = new AtomicInteger();
  private static final AtomicLong IDS = new AtomicLong();

  private final String namespace = "batches" + TESTS.incrementAndGet();
  private final BatchingProvider.Way way = BatchingProvider.of(CLIENT, namespace);
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final AtomicBoolean outOfThreads = new AtomicBoolean();
  private Member member;

  @BeforeEach
  void open() {
    Membership quorum = ThreeRedis.membership(ThreeRedis.quorum(
        List.of("batching://?namespace=" + namespace, "local://?namespace=b"), ""));
    MemberThreads threads = new MemberThreads(namespace, Duration.ofSeconds(10), work -> {
      if (outOfThreads.get()) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      return new Thread(work);
    });
    member = new Member(
        0,
        quorum,
        BackendContext.of(new ClientId(CLIENT, "host:1")),
        any -> BackendEvents.IGNORED,
        any -> {},
        threads);
    assertThat(member.join().join()).isTrue();
  }

  @AfterEach
  void close() {
    goOn.countDown();
    outOfThreads.set(false);
    member.close();
  }

  private static Attempt attempt(String name) {
    return Attempt.of(name, new HoldId(1, IDS.incrementAndGet()), "owner", Duration.ofSeconds(50));
  }

  private CompletableFuture<AttemptResult> ask(String name) {
    return member.ask(null, inquiry -> inquiry.attempt(attempt(name)));
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new OutcomeUnknownException("interrupted", e);
    }
  }

  /** The next batch hangs until {@link #goOn}. */
  private void hang() {
    AtomicBoolean first = new AtomicBoolean(true);
    way.before(() -> {
      if (first.getAndSet(false)) {
        begun.countDown();
        await(goOn);
      }
    });
  }

  @Test
  @DisplayName("a question that is alone goes at once; those that come meanwhile go together")
  void together() throws Exception {
    member.batches().waitsFor(Duration.ofMinutes(1));
    hang();
    List<CompletableFuture<AttemptResult>> asked = new ArrayList<>();
    asked.add(ask("alone"));
    await(begun);
    for (int i = 0; i < 200; i++) {
      asked.add(ask("n" + i));
    }
    goOn.countDown();
    for (CompletableFuture<AttemptResult> one : asked) {
      assertThat(one.get(30, TimeUnit.SECONDS)).isNotNull();
    }
    assertThat(way.sizes().get(0)).isOne();
    assertThat(way.sizes().stream().mapToInt(size -> size).sum()).isEqualTo(201);
    assertThat(way.sizes()).hasSizeLessThan(100);
  }

  @Test
  @DisplayName("W11: a batch that hangs does not hold up what is asked a little later")
  void hangsAlone() throws Exception {
    hang();
    CompletableFuture<AttemptResult> hanging = ask("hanging");
    await(begun);
    List<CompletableFuture<AttemptResult>> others = new ArrayList<>();
    CompletableFuture<AttemptResult> last;
    do {
      last = ask("n" + others.size());
      others.add(last);
      TimeUnit.MILLISECONDS.sleep(5);
    } while (!last.isDone());
    for (CompletableFuture<AttemptResult> other : others) {
      assertThat(other.get(30, TimeUnit.SECONDS)).isNotNull();
    }
    for (int i = 0; i < 20; i++) {
      CompletableFuture<AttemptResult> next = ask("right behind " + i);
      assertThat(next.get(30, TimeUnit.SECONDS)).isNotNull();
    }
    assertThat(hanging).isNotDone();
  }

  @Test
  @DisplayName("a member that does not answer a batch is left out until it does")
  void isLeftOut() throws Exception {
    hang();
    CompletableFuture<AttemptResult> hanging = ask("hanging");
    await(begun);
    while (member.isLive()) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
    goOn.countDown();
    assertThat(hanging.get(30, TimeUnit.SECONDS)).isNotNull();
    assertThat(member.isLive()).isTrue();
  }

  @Test
  @DisplayName("E3: what a broken connection has left without an answer is unknown, and only that")
  void breaksOff() throws Exception {
    member.batches().waitsFor(Duration.ofMinutes(1));
    hang();
    CompletableFuture<AttemptResult> first = ask("first");
    await(begun);
    way.breaksAfter(1);
    List<CompletableFuture<AttemptResult>> asked = List.of(ask("a"), ask("b"), ask("c"));
    way.before(() -> {});
    goOn.countDown();
    assertThat(first.get(30, TimeUnit.SECONDS)).isNotNull();
    assertThat(asked.get(0).get(30, TimeUnit.SECONDS)).isNotNull();
    for (CompletableFuture<AttemptResult> broken : asked.subList(1, 3)) {
      assertThatThrownBy(() -> broken.get(30, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(OutcomeUnknownException.class);
    }
  }

  @Test
  @DisplayName("a batch that fails with an Error leaves no question without an end, nor later ones")
  void failsWhole() throws Exception {
    way.before(() -> {
      throw new OutOfMemoryError("for the test");
    });
    CompletableFuture<AttemptResult> failed = ask("a");
    assertThatThrownBy(() -> failed.get(30, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(OutcomeUnknownException.class);
    way.before(() -> {});
    assertThat(ask("b").get(30, TimeUnit.SECONDS)).isNotNull();
  }

  @Test
  @DisplayName("where no thread can be had, a question fails, and later ones are asked again")
  void outOfThreads() throws Exception {
    hang();
    CompletableFuture<AttemptResult> hanging = ask("hanging"); // on the thread that there is
    await(begun);
    outOfThreads.set(true);
    CompletableFuture<AttemptResult> gathered = ask("a");
    TimeUnit.MILLISECONDS.sleep(30); // for longer than one that hangs is waited for
    CompletableFuture<AttemptResult> behind = ask("b"); // another thread is wanted for this one
    goOn.countDown();
    assertThat(hanging.get(30, TimeUnit.SECONDS)).isNotNull();
    assertThat(gathered.get(30, TimeUnit.SECONDS)).isNotNull();
    assertThat(behind.get(30, TimeUnit.SECONDS)).isNotNull();
  }

  @Test
  @DisplayName("an interrupt of one who asks changes nothing for the others of its batch")
  void interrupted() throws Exception {
    hang();
    List<CompletableFuture<AttemptResult>> asked = new ArrayList<>();
    Thread caller = new Thread(() -> {
      asked.add(ask("first"));
      asked.add(ask("a"));
      asked.add(ask("b"));
    });
    caller.start();
    await(begun);
    caller.interrupt();
    caller.join();
    goOn.countDown();
    for (CompletableFuture<AttemptResult> one : asked) {
      assertThat(one.get(30, TimeUnit.SECONDS)).isNotNull();
    }
  }

  @Test
  @DisplayName("no question is lost between one who ends and one who begins to send")
  void noneIsLost() throws Exception {
    List<Thread> threads = new ArrayList<>();
    AtomicInteger answered = new AtomicInteger();
    for (int i = 0; i < 8; i++) {
      String name = "n" + i;
      Thread thread = new Thread(() -> {
        for (int round = 0; round < 1_000; round++) {
          if (ask(name + "-" + round).orTimeout(30, TimeUnit.SECONDS).join() != null) {
            answered.incrementAndGet();
          }
        }
      });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(answered).hasValue(8_000);
  }

  @Test
  @DisplayName("no question is lost between callers that read themselves and those behind them")
  void noneIsLostBetweenCallers() throws Exception {
    way.answersSoon(true);
    member.batches().expectsWithin(Duration.ofSeconds(50));
    for (int i = 0; i < 20; i++) {
      ask("alone-" + i).join();
    }
    Set<Thread> readers = ConcurrentHashMap.newKeySet();
    way.before(() -> readers.add(Thread.currentThread()));
    List<Thread> threads = new ArrayList<>();
    AtomicInteger answered = new AtomicInteger();
    for (int i = 0; i < 8; i++) {
      int number = i;
      Thread thread = new Thread(() -> {
        for (int turn = 0; turn < 1_000; turn++) {
          String name = "n" + number + "-" + turn;
          try (Caller caller = new Caller()) {
            Round<AttemptResult> round = new Round<>(caller);
            round.ask(member, member.ask(caller, inquiry -> inquiry.attempt(attempt(name))));
            do {
              round.await(); // it may read for others first, and take long then
            } while (round.isOpen());
            answered.addAndGet(round.answers().size());
          }
        }
      });
      threads.add(thread);
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(answered).hasValue(8_000);
    assertThat(readers).containsAnyElementsOf(threads);
  }

  @Undisturbed(millis = 500)
  @DisplayName("closing a member waits for what was asked before, and what is asked behind that")
  void closesLast() {
    CompletableFuture<AttemptResult> last = ask("a").thenCompose(first -> ask("b"));
    member.close();
    assertThat(last).isCompleted();
    assertThatThrownBy(() -> ask("c").join()).hasCauseInstanceOf(BackendUnavailableException.class);
  }
}
