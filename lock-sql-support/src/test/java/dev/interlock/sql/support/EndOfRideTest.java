package dev.interlock.sql.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.OutcomeUnknownException;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Somebody who stands between riding and waiting, when those who might lead look for work. */
@Timeout(60)
class EndOfRideTest {
  private static final long LONG = TimeUnit.SECONDS.toNanos(50);

  private final CountDownLatch mayBoard = new CountDownLatch(1);
  private final CountDownLatch mayCommit = new CountDownLatch(1);
  private final CountDownLatch mayWait = new CountDownLatch(1);
  private final List<List<Work>> transactions = new ArrayList<>(); // one at a time
  private final List<Thread> threads = new ArrayList<>();
  private final LockBatcher<Work> batcher = new LockBatcher<>((name, work) -> {
    transactions.add(List.copyOf(work));
    pass(mayCommit);
    work.forEach(each -> each.outcome().succeed(true));
  });

  @AfterEach
  void end() throws InterruptedException {
    threads.forEach(Thread::interrupt);
    for (Thread thread : threads) {
      thread.join(10_000);
    }
  }

  /**
   * One ends the ride of both, and is taken along itself while it does so. The other finds a leader
   * meanwhile, which does not find it.
   */
  @Test
  void f3_whoIsMovedByOneThatIsDoneIsNotForgotten() throws ReflectiveOperationException {
    AtomicReference<Work> first = new AtomicReference<>();
    AtomicReference<Work> second = new AtomicReference<>();
    Thread moved = start(first, LONG);
    awaitState(moved, Thread.State.TIMED_WAITING);
    Thread mover = start(second, LONG);
    awaitState(mover, Thread.State.TIMED_WAITING);
    SlowQueue waiting = new SlowQueue(mover);
    replaceQueue(waiting);

    Thread leader = start(new AtomicReference<>(), 0);
    awaitState(leader, Thread.State.TIMED_WAITING); // about to take riders along
    mover.interrupt();
    await().until(() -> waiting.isMoving);
    mayBoard.countDown();
    await().until(() -> transactions.size() == 1);
    moved.interrupt();
    awaitState(moved, Thread.State.WAITING);
    mayCommit.countDown();
    await().until(() -> leader.getState() == Thread.State.TERMINATED);
    assertThat(second.get().outcome().isDone()).isTrue();
    mayWait.countDown();

    await().until(() -> first.get().outcome().isDone());
    assertThat(transactions).last().isEqualTo(List.of(first.get()));
  }

  /** Who finds no memory while it moves both stands behind the other. */
  @Test
  void e5_whoIsMovedByOneThatMeetsAnErrorIsNotForgotten() throws ReflectiveOperationException {
    AtomicReference<Work> first = new AtomicReference<>();
    AtomicReference<Work> second = new AtomicReference<>();
    Thread moved = start(first, LONG);
    awaitState(moved, Thread.State.TIMED_WAITING);
    Thread mover = start(second, LONG);
    awaitState(mover, Thread.State.TIMED_WAITING);
    replaceQueue(new FailingQueue(mover));
    mayCommit.countDown();
    mayBoard.countDown();

    mover.interrupt();
    await().until(() -> mover.getState() == Thread.State.TERMINATED);
    await().until(() -> moved.getState() == Thread.State.TERMINATED);
    assertThatThrownBy(first.get().outcome()::get).isInstanceOf(OutcomeUnknownException.class);
  }

  /** Its thread is gone; the next one leads. */
  @Test
  void e5_whoMeetsAnErrorBeforeItLeadsKeepsNobodyFromIt() throws ReflectiveOperationException {
    AtomicReference<Work> last = new AtomicReference<>();
    AtomicReference<Work> dead = new AtomicReference<>();
    Thread leader = start(new AtomicReference<>(), 0);
    await().until(() -> transactions.size() == 1);
    FailingQueue waiting = new FailingQueue(null);
    replaceQueue(waiting);
    Thread failing = start(dead, 0);
    awaitState(failing, Thread.State.WAITING);
    Thread behind = start(last, 0);
    awaitState(behind, Thread.State.WAITING);
    waiting.failsFor = failing;
    mayCommit.countDown();

    await().until(() -> leader.getState() == Thread.State.TERMINATED);
    await().until(() -> failing.getState() == Thread.State.TERMINATED);
    await().until(() -> behind.getState() == Thread.State.TERMINATED);
    assertThat(last.get().outcome().get()).isTrue();
    assertThat(transactions).last().isEqualTo(List.of(last.get()));
  }

  private Thread start(AtomicReference<Work> made, long rideNanos) {
    Thread thread = new Thread(() -> {
      made.set(new Work());
      try {
        batcher.run("lock", made.get(), rideNanos);
      } catch (OutOfMemoryError e) {
        assertThat(e).hasMessage(FailingQueue.MESSAGE);
      }
    });
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
    return thread;
  }

  private static void awaitState(Thread thread, Thread.State state) {
    await().pollInterval(Duration.ofMillis(1)).until(() -> thread.getState() == state);
  }

  private void replaceQueue(Queue<Work> waiting) throws ReflectiveOperationException {
    Field lines = LockBatcher.class.getDeclaredField("lines");
    lines.setAccessible(true);
    Object line = ((Map<?, ?>) lines.get(batcher)).get("lock");
    Field field = line.getClass().getDeclaredField("waiting");
    field.setAccessible(true);
    field.set(line, waiting);
  }

  private static void pass(CountDownLatch gate) {
    try {
      assertThat(gate.await(50, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Keeps the thread that moves others on its way between the two queues. */
  private final class SlowQueue extends ConcurrentLinkedQueue<Work> {
    private static final long serialVersionUID = 1L;

    private final transient Thread mover;
    private volatile boolean isMoving;

    SlowQueue(Thread mover) {
      this.mover = mover;
    }

    @Override
    public boolean add(Work work) {
      if (Thread.currentThread() == mover) {
        isMoving = true;
        pass(mayWait);
      }
      return super.add(work);
    }
  }

  /** Has no memory for one of the threads. */
  private static final class FailingQueue extends ConcurrentLinkedQueue<Work> {
    private static final long serialVersionUID = 1L;
    private static final String MESSAGE = "for the test";

    private transient volatile @Nullable Thread failsFor;

    FailingQueue(@Nullable Thread failsFor) {
      this.failsFor = failsFor;
    }

    private void fail() {
      if (Thread.currentThread() == failsFor) {
        throw new OutOfMemoryError(MESSAGE);
      }
    }

    @Override
    public boolean add(Work work) {
      fail();
      return super.add(work);
    }

    @Override
    public @Nullable Work poll() {
      fail();
      return super.poll();
    }
  }

  private final class Work implements Batched<Boolean> {
    private final Outcome<Boolean> outcome = new Outcome<>();

    @Override
    public Outcome<Boolean> outcome() {
      return outcome;
    }

    @Override
    public @Nullable Duration patience() {
      return null;
    }

    @Override
    public boolean takesAlong(int riders) {
      pass(mayBoard);
      return true;
    }
  }
}
