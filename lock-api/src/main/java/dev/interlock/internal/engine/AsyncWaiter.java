package dev.interlock.internal.engine;

import dev.interlock.Lease;
import dev.interlock.LockException;
import dev.interlock.internal.running.Agenda;
import dev.interlock.internal.running.ClientThreads;
import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A waiter without a thread: its steps run on the client's few I/O threads, one at a time. */
final class AsyncWaiter extends Waiter {
  /** For how long a step that is due, and its answer, is awaited after the wait is over. */
  private static final long ANSWER = 1_000_000_000;

  private final Contention contention;
  private final ClientThreads threads;
  private final Agenda agenda;
  private final Function<Hold, Lease> leases;
  private final AsyncResult result;
  private final AtomicInteger signals = new AtomicInteger();
  private volatile @Nullable Long dueSince; // until the step that was asked for is over
  private volatile boolean begun; // written by the one running step

  private final Agenda.Item alarm = new Agenda.Item() {
    @Override
    public void due() {
      boolean asking = isAsking(); // one look: a release may send an attempt for it meanwhile
      if (timeLeft() > 0) {
        agenda.put(this, System.nanoTime() + timeLeft()); // the step may have to wait for a thread
        signal(); // afterwards, so that the step's own alarm is the last word
      } else if ((!begun || dueSince != null || asking) && timeLeft() > -ANSWER) {
        agenda.put(this, System.nanoTime() + timeLeft() + ANSWER);
      } else {
        // Before its place in the queue is given up.
        LockException error = contention.errors().timeout(AsyncWaiter.this, asking);
        if (isSingleAttempt()) { // which has no place, and whose step may go on: it fails with this
          contention.fail(AsyncWaiter.this, error);
        } else if (contention.leave(AsyncWaiter.this)) {
          failOnceRemoved(error);
        }
      }
    }
  };

  AsyncWaiter(
      Grantee grantee,
      HoldId id,
      @Nullable Duration wait,
      Contention contention,
      ClientThreads threads,
      Agenda agenda,
      Function<Hold, Lease> leases) {
    super(grantee, id, wait, contention);
    this.contention = contention;
    this.threads = threads;
    this.agenda = agenda;
    this.leases = leases;
    this.result = new AsyncResult(grantee, threads, agenda);
  }

  /** Begins to contend. However the future ends, by us or by the caller, nothing is left behind. */
  CompletableFuture<Lease> start() {
    var unused = result.future().whenComplete((lease, error) -> {
      agenda.retire(alarm);
      contention.leave(this);
    });
    if (contention.enlist(this)) {
      try {
        setAlarm(); // before the first step: with an ill server that may be long in coming
        signal();
      } catch (Throwable e) { // no thread, at worst: nobody would look at it any more
        result.future().completeExceptionally(e);
      }
      if (isSingleAttempt()) {
        boundAttempt();
      }
    }
    return result.future();
  }

  /** A single attempt needs an alarm only in case that it is not made, or not answered. */
  private void boundAttempt() {
    try {
      agenda.put(alarm, System.nanoTime() + ANSWER);
    } catch (Error e) {
      // No thread for the timer, at worst. The attempt ends by itself if the server is well.
    }
  }

  @Override
  boolean sharesThread() {
    return true;
  }

  @Override
  boolean isLate() {
    Long since = dueSince;
    return !begun
        || (since != null && System.nanoTime() - since >= ANSWER && !hasHeardSince(since));
  }

  @Override
  void rearm() {
    setAlarm();
  }

  private void setAlarm() {
    if (!isSingleAttempt()) { // whose time is always over, and which asks once all the same
      synchronized (alarm) { // or of two who set it the one with the older answer might come last
        agenda.put(alarm, System.nanoTime() + pause());
      }
    }
  }

  @Override
  void signal() {
    if (signals.getAndIncrement() == 0) {
      dueSince = System.nanoTime();
      threads.io(this::run);
    }
  }

  private void run() {
    int seen;
    do {
      seen = signals.get();
      if (isWaiting()) {
        advance();
      }
    } while (signals.addAndGet(-seen) != 0);
  }

  private void advance() {
    try {
      if (begun) {
        contention.step(this);
      } else {
        begun = true;
        contention.start(this);
      }
    } catch (Throwable e) { // also one that is our own fault: the caller hears of it, and no later
      leaveForSure(contention);
      result.failed(e);
    } finally {
      dueSince = null;
      setAlarm();
    }
  }

  @Override
  void ended() {
    LockException error = error();
    Hold hold = granted();
    if (error != null) {
      result.failed(error);
    } else if (hold != null) {
      result.granted(leases.apply(hold));
    }
  }

  private void failOnceRemoved(LockException error) {
    CompletableFuture<Boolean> removal = removal();
    if (removal == null) {
      result.failed(error);
    } else {
      Future<?> unused = removal.thenRun(() -> result.failed(error));
      unused = threads.schedule(() -> removal.complete(false), REMOVAL);
    }
  }
}
