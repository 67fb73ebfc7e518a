package dev.interlock.tck.internal.rules;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.tck.internal.run.FaultyReplies;
import dev.interlock.tck.internal.run.NotReached;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Rules W5 and W6: waits that end without the lock leave nothing behind. */
public final class ResidueRules {
  // Short, so that the test need not wait long; renewed, so that an orphan would stay for ever.
  private static final long LEASE = 1_200;
  /** For so long, in nanoseconds, the answer to an attempt is awaited once a wait is over. */
  private static final long ANSWER = 900_000_000;

  /** One of so many waits may end without an answer on a slow machine; more are not judged. */
  private static final int MOST_UNTOLD = 10;

  // Until another thread is there, in nanoseconds.
  private static final long LEAD = 100_000;

  /** How a wait ended that was interrupted around the moment of its grant. */
  private enum End {
    INTERRUPTED,
    ACQUIRED,
    FORGOTTEN
  }

  private ResidueRules() {}

  @Rule(
      value = "W5",
      check = "that an interrupted thread is noticed before and while it waits",
      timed = true)
  public static void interruptionEndsAWait(RuleRun run) throws Exception {
    LockClient client = run.client();
    String name = run.name();
    Lease held = run.client().acquire(Leases.fixed(run, name, 30_000));
    LockRequest request = Leases.fixed(run, name, 1_000).withWait(run.ms(20_000));
    Thread.currentThread().interrupt();
    run.expectThrows(
        InterruptedException.class, "acquire when interrupted", () -> client.acquire(request));
    run.expect(!Thread.currentThread().isInterrupted(), "the flag is cleared", "it is set");
    CompletableFuture<Throwable> ended = new CompletableFuture<>();
    Thread waiter = new Thread(() -> {
      try {
        client.acquire(request);
        ended.complete(new IllegalStateException("it acquired"));
      } catch (InterruptedException | RuntimeException e) {
        ended.complete(e);
      }
    });
    waiter.start();
    RuleRun.pause(run.ms(200));
    long start = System.nanoTime();
    waiter.interrupt();
    Throwable end = ended.get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS);
    long took = System.nanoTime() - start;
    run.expect(
        end instanceof InterruptedException, "the wait ends with InterruptedException", "" + end);
    run.expect(
        took <= run.limit(1_000).toNanos(),
        "the wait ends within 1 s of the interruption",
        "after " + took / 1_000_000 + " ms");
    held.release();
    run.expectFree(run.client(), name, run.limit(1_000), "after an interrupted wait");
  }

  @Rule(
      value = "W5",
      check = "what becomes of a grant that arrives at an interrupted waiter",
      timed = true)
  public static void interruptionAtTheMomentOfAGrantLeavesNothing(RuleRun run) throws Exception {
    LockClient holder = run.client();
    LockClient client = run.client();
    LockClient observer = run.client();
    int granted = 0;
    int rounds = run.amount(60, 300, 3_000);
    List<AdaptiveGap> gaps = gaps(run);
    for (int i = 0; i < rounds; i++) {
      AdaptiveGap gap = gaps.get(i % gaps.size());
      String name = run.name();
      Lease held = holder.acquire(Leases.fixed(run, name, 30_000));
      CompletableFuture<End> ended = new CompletableFuture<>();
      CountDownLatch interrupted = new CountDownLatch(1);
      LockRequest request =
          Leases.fairInTurns(run, Leases.lasting(run, name, 20_000), i).withWait(run.ms(20_000));
      Thread waiter = new Thread(() -> acquireOnce(client, request, interrupted, ended));
      waiter.start();
      LockSupport.parkNanos(run.random().nextInt(500_000, 3_000_000));
      race(held::release, gap.next(), () -> {
        waiter.interrupt();
        interrupted.countDown();
      });
      End end = ended.get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS);
      run.expect(
          end != End.FORGOTTEN,
          "a wait that was interrupted throws, or acquires and leaves the flag set",
          "it acquired, and the flag was cleared");
      granted += end == End.ACQUIRED ? 1 : 0;
      gap.grow(end == End.INTERRUPTED);
      run.expectFree(observer, name, run.limit(1_000), "after an interrupted wait");
    }
    run.requireMet(
        Math.min(granted, rounds - granted), "interruption around the moment of a grant");
    run.note(rounds + " interrupted waits, " + granted + " of them had the lock already");
  }

  private static void acquireOnce(
      LockClient client,
      LockRequest request,
      CountDownLatch interrupted,
      CompletableFuture<End> ended) {
    try {
      client.acquire(request).release();
      while (interrupted.getCount() > 0) {
        Thread.onSpinWait();
      }
      ended.complete(Thread.currentThread().isInterrupted() ? End.ACQUIRED : End.FORGOTTEN);
    } catch (InterruptedException e) {
      ended.complete(End.INTERRUPTED);
    } catch (RuntimeException e) {
      ended.completeExceptionally(e);
    }
  }

  @Rule(value = "W5", check = "that lock() keeps waiting and sets the flag again")
  public static void lockIsNotInterrupted(RuleRun run) throws Exception {
    if (!run.has(Capability.RENEWABLE)) {
      return;
    }
    String name = run.name();
    Lease held = run.client().acquire(Leases.fixed(run, name, 30_000));
    DistributedLock lock = run.client().lock(name);
    CompletableFuture<Boolean> flag = new CompletableFuture<>();
    CountDownLatch done = new CountDownLatch(1);
    Thread waiter = new Thread(() -> {
      lock.lock();
      try {
        flag.complete(Thread.currentThread().isInterrupted());
      } finally {
        lock.unlock();
        done.countDown();
      }
    });
    waiter.start();
    RuleRun.pause(run.ms(100));
    waiter.interrupt();
    RuleRun.pause(run.ms(200));
    run.expectWhileHeld(
        name, () -> !flag.isDone(), "lock() waits on after an interruption", "it ended");
    held.release();
    run.expect(
        flag.get(run.limit(10_000).toMillis(), TimeUnit.MILLISECONDS),
        "the flag is set when lock() returns",
        "it is cleared");
    run.await(run.limit(10_000), "unlock() ends", () -> done.getCount() == 0);
    run.expectFree(run.client(), name, run.limit(1_000), "after an unlock with the flag set");
  }

  @Rule(
      value = "W6",
      check = "that an attempt which timed out is abandoned on the server",
      timed = true)
  public static void aTimedOutAttemptLeavesNothing(RuleRun run) throws Exception {
    LockClient holder = run.client();
    LockClient client = run.client();
    LockClient observer = run.client();
    int granted = 0;
    int timedOut = 0;
    int rounds = run.amount(60, 300, 3_000);
    List<AdaptiveGap> gaps = gaps(run);
    for (int i = 0; i < rounds; i++) {
      AdaptiveGap gap = gaps.get(i % gaps.size());
      String name = run.name();
      Lease held = holder.acquire(Leases.fixed(run, name, 30_000));
      long next = gap.next();
      // Long enough for a release as early as that to come within it.
      Duration wait =
          Duration.ofNanos(run.random().nextInt(500_000, 3_000_000) + Math.max(0, -2 * next));
      long start = System.nanoTime();
      CompletableFuture<Lease> waiting =
          client.acquireAsync(lasting(run, name, i).withWait(wait));
      parkUntil(start + wait.toNanos() + next);
      held.release();
      try {
        waiting.get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS).release();
        granted++;
        gap.grow(true);
      } catch (ExecutionException e) {
        gap.grow(false);
        timedOut += isTimedOut(run, e.getCause(), System.nanoTime() - start - wait.toNanos());
      }
      run.expectFree(observer, name, run.pastLease(LEASE, 1_000), "after a wait that was over");
    }
    run.requireMet(Math.min(granted, timedOut), "a wait's end around the moment of a grant");
    int untold = rounds - granted - timedOut;
    if (untold > rounds / MOST_UNTOLD) {
      throw NotReached.tooLate(
          "for " + untold + " of " + rounds + " waits ended late and without a word on the lock");
    }
    run.note(rounds + " waits timed out, " + granted + " of them had the lock just before");
  }

  /**
   * Answers 1 for a wait that ended as it must, and 0 for one that tells nothing: a client that
   * comes too late to ask, or to hear the answer, may not say that another holds the lock.
   */
  private static int isTimedOut(RuleRun run, @Nullable Throwable end, long late) {
    boolean unasked =
        end instanceof BackendUnavailableException || end instanceof OutcomeUnknownException;
    if (unasked && late > ANSWER) {
      return 0;
    }
    run.expect(
        end instanceof LockTimeoutException,
        "a wait that is over ends with LockTimeoutException",
        "with " + end + ", " + late / 1_000_000 + " ms late");
    return 1;
  }

  @Rule(value = "W6", check = "that cancelling a future abandons its attempt", timed = true)
  public static void aCancelledAttemptLeavesNothing(RuleRun run) throws Exception {
    LockClient holder = run.client();
    LockClient client = run.client();
    LockClient observer = run.client();
    int granted = 0;
    int rounds = run.amount(60, 300, 3_000);
    List<AdaptiveGap> gaps = gaps(run);
    for (int i = 0; i < rounds; i++) {
      AdaptiveGap gap = gaps.get(i % gaps.size());
      String name = run.name();
      Lease held = holder.acquire(Leases.fixed(run, name, 30_000));
      CompletableFuture<Lease> waiting =
          client.acquireAsync(lasting(run, name, i).withWait(run.ms(20_000)));
      LockSupport.parkNanos(run.random().nextInt(1, 2_000_000));
      race(held::release, gap.next(), () -> waiting.cancel(true));
      try {
        waiting.get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS).release();
        granted++;
        gap.grow(false);
      } catch (CancellationException e) {
        gap.grow(true);
      }
      run.expectFree(observer, name, run.pastLease(LEASE, 1_000), "after a cancelled wait");
    }
    run.requireMet(
        Math.min(granted, rounds - granted), "cancellation around the moment of a grant");
    run.note(rounds + " waits cancelled, " + granted + " of them had the lock just before");
  }

  /** What the races above meet by luck, here for certain: the answer is held back meanwhile. */
  @Rule(
      value = "W6",
      check = "what an abandonment does to an attempt that is granted already",
      timed = true)
  public static void aGrantThatIsNotKnownYetLeavesNothing(RuleRun run) throws Exception {
    AtomicInteger late = new AtomicInteger();
    Duration delay = run.ms(200);
    LockClient client = run.client(backend -> FaultyReplies.late(backend, late, delay));
    LockClient observer = run.client();
    int hits = 0;
    for (int i = 0; i < run.amount(4, 10, 40); i++) {
      String name = run.name();
      late.set(1);
      CompletableFuture<Lease> waiting =
          client.acquireAsync(lasting(run, name, i).withWait(run.ms(20_000)));
      run.await(
          run.limit(5_000),
          "an attempt on a free lock is granted",
          () -> observer.inspect(name).isPresent());
      if (waiting.cancel(true)) {
        hits++;
      } else {
        waiting.get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS).release();
      }
      run.expectFree(
          observer, name, run.pastLease(LEASE, 1_000), "after a wait cancelled too late");
    }
    run.requireMet(hits, "cancellation between a grant and its answer");
  }

  @Rule(value = "W6", check = "that waiters who have left are taken out of the queue", timed = true)
  public static void noWaiterIsLeft(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockClient observer = run.client();
    LockClient holder = run.client();
    for (UnaryOperator<LockRequest> kind : Leases.kinds(run).values()) {
      String name = run.name();
      Lease held = holder.acquire(Leases.fixed(run, name, 30_000));
      LockRequest request = kind.apply(Leases.lasting(run, name, LEASE));
      run.expectThrows(
          LockTimeoutException.class,
          "acquire",
          () -> client.acquire(request.withWait(run.ms(200))));
      CompletableFuture<Lease> waiting = client.acquireAsync(request.withWait(run.ms(20_000)));
      RuleRun.pause(run.ms(200));
      waiting.cancel(true);
      run.await(
          run.within(LEASE, 1_000),
          "no waiter is left of those who timed out or were cancelled",
          () -> Queues.waiters(observer, name) == 0);
      held.release();
      run.expectFree(observer, name, run.limit(1_000), "after the release");
    }
  }

  private static LockRequest lasting(RuleRun run, String name, int round) {
    return Leases.fairInTurns(run, Leases.lasting(run, name, LEASE), round);
  }

  /** One for the fair waits and one for the others, for their grants take different times. */
  private static List<AdaptiveGap> gaps(RuleRun run) {
    return List.of(new AdaptiveGap(run.random()), new AdaptiveGap(run.random()));
  }

  /**
   * Does two things, the second the given time after the first began, or before it. The first is a
   * release and stays on this thread, which may be its owner.
   */
  private static void race(Runnable first, long gapNanos, Runnable second) {
    long start = System.nanoTime() + LEAD + Math.max(0, -gapNanos);
    // Not on the common pool: with one thread it would tell of a grant only after the second.
    CompletableFuture<Void> other = CompletableFuture.runAsync(
        () -> {
          parkUntil(start + gapNanos);
          second.run();
        },
        task -> new Thread(task, "tck-race").start());
    parkUntil(start);
    first.run();
    other.join();
  }

  private static void parkUntil(long nanoTime) {
    for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
