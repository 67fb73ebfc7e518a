package dev.interlock.sql.support;

import dev.interlock.BackendRefusedException;
import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Has at most one transaction of this client under way for each lock. What gathers meanwhile goes
 * along in the next one: the row lock would make it wait anyway, and so one commit serves many. The
 * first of those who wait leads the next transaction on its own thread. If a transaction meets a
 * fault of the server, the attempts behind it whose time was over long ago fail with it. If it is
 * refused, what frees the lock is done without the attempts. Thread-safe.
 *
 * @param <W> the work that transactions are made of
 */
public final class LockBatcher<W extends Batched<?>> {
  private static final Logger LOG = System.getLogger("dev.interlock.sql");
  private static final int MOST = 128;

  /** Made beforehand: where it is of use there may be no memory for it. */
  @SuppressWarnings("StaticAssignmentOfThrowable")
  private static final IllegalStateException LEADER_FAILED =
      new IllegalStateException("an Error met the thread that saw to the transaction");

  private static final class Line<W extends Batched<?>> {
    final Queue<W> waiting = new ConcurrentLinkedQueue<>();
    final Queue<W> riders = new ConcurrentLinkedQueue<>();
    final AtomicBoolean led = new AtomicBoolean();
    int users;

    /** All riders together: what one of them has to pay for serves the others too. */
    void endRides() {
      for (W rider = riders.poll(); rider != null; rider = riders.poll()) {
        try {
          waiting.add(rider);
        } catch (Error e) {
          rider.outcome().fail(LEADER_FAILED); // it is in neither queue
          throw e;
        }
      }
      // Its thread may have looked in between, found it nowhere and somebody leading, and sleep.
      callNext();
    }

    /** Its thread leaves before it is done, and so can lead no more. */
    void leave(W work) {
      waiting.remove(work);
      riders.remove(work);
      callNext();
    }

    /** Has the first of those who wait lead, unless somebody does. */
    void callNext() {
      W next = waiting.peek();
      if (next != null) {
        next.outcome().lead();
      }
    }
  }

  private final ConcurrentHashMap<String, Line<W>> lines = new ConcurrentHashMap<>();
  private final BiConsumer<String, List<W>> transactions;

  /**
   * Creates.
   *
   * @param transactions does work on a lock in one transaction, and ends each part of it; what it
   *     throws is how the parts end that it did not
   */
  public LockBatcher(BiConsumer<String, List<W>> transactions) {
    this.transactions = transactions;
  }

  /**
   * Has work done; its outcome is there on return. An interrupt is kept until then: a transaction
   * is bounded.
   *
   * @param name the lock
   * @param work made by the calling thread
   */
  public void run(String name, W work) {
    run(name, work, 0);
  }

  /**
   * Has work done; its outcome is there on return.
   *
   * @param name the lock
   * @param work made by the calling thread
   * @param rideNanos for how long it can wait for a release to take it along, which saves a commit;
   *     the release decides whether it does
   */
  public void run(String name, W work, long rideNanos) {
    Line<W> line = lines.compute(name, (key, old) -> enter(old));
    boolean interrupted = false;
    try {
      if (rideNanos > 0) {
        interrupted = ride(line, work, System.nanoTime() + rideNanos);
      } else {
        line.waiting.add(work);
      }
      while (!work.outcome().isDone()) {
        if (line.led.compareAndSet(false, true)) {
          lead(name, line);
        } else {
          LockSupport.park(line);
          interrupted |= Thread.interrupted();
        }
      }
    } finally {
      if (!work.outcome().isDone()) {
        line.leave(work);
      }
      leave(name);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Tells for how long an attempt may wait for a release to take it along: not if its thread has
   * others to serve, nor for more than half of what its caller would wait.
   *
   * @param attempt the attempt
   * @param releaseNanos how long a release of this client takes to come; 0 if none is likely to
   * @return nanoseconds
   */
  public static long rideNanos(Attempt attempt, long releaseNanos) {
    return attempt.prompt() ? 0 : Math.min(releaseNanos, attempt.patience().toNanos() / 2);
  }

  /**
   * Has work done in a transaction of its own, unless one of this client is under way, which may
   * wait for somebody.
   *
   * @param name the lock
   * @param work made by the calling thread
   * @return whether its outcome is there
   */
  public boolean runAlone(String name, W work) {
    Line<W> line = lines.compute(name, (key, old) -> enter(old));
    try {
      if (!line.led.compareAndSet(false, true)) {
        return false;
      }
      try {
        transact(name, List.of(work));
        return true;
      } finally {
        line.led.set(false);
        line.callNext();
      }
    } finally {
      leave(name);
    }
  }

  /**
   * Has a lock released; if that is refused, without the attempt that goes along: an attempt needs
   * room, and more rights.
   *
   * @param release what to do
   * @param giveBack does it
   * @return its answer
   */
  public static ReleaseResult release(Release release, Function<Release, ReleaseResult> giveBack) {
    try {
      return giveBack.apply(release);
    } catch (BackendRefusedException | LockConfigurationException e) {
      if (release.next() == null) {
        throw e;
      }
      return giveBack.apply(release.withNext(null));
    }
  }

  private void leave(String name) {
    lines.computeIfPresent(name, (key, old) -> --old.users == 0 ? null : old);
  }

  private static <W extends Batched<?>> Line<W> enter(@Nullable Line<W> old) {
    Line<W> line = old == null ? new Line<>() : old;
    line.users++;
    return line;
  }

  /** Answers whether the thread was interrupted, which ends the ride. */
  private boolean ride(Line<W> line, W work, long deadline) {
    line.riders.add(work);
    boolean interrupted = false;
    while (!work.outcome().isDone() && line.riders.contains(work)) {
      long left = deadline - System.nanoTime();
      if (left <= 0 || interrupted) {
        line.endRides();
      } else {
        LockSupport.parkNanos(line, left);
        interrupted = Thread.interrupted();
      }
    }
    return interrupted;
  }

  private void lead(String name, Line<W> line) {
    try {
      List<W> batch = new ArrayList<>(MOST); // whole: an Error while it grew would lose somebody
      try {
        fill(batch, line);
        if (!batch.isEmpty()) {
          transact(name, batch);
        }
      } finally {
        failOpen(batch);
      }
      batch.stream()
          .map(work -> work.outcome().fault())
          .filter(Objects::nonNull)
          .findFirst()
          .ifPresent(fault -> failOverdue(name, line, fault));
    } finally {
      line.led.set(false);
      // Looked at after the lead was given up: whoever came before that cannot have taken it.
      line.callNext();
    }
  }

  private void fill(List<W> batch, Line<W> line) {
    board(line.waiting, batch);
    if (!line.riders.isEmpty()) {
      int riders = (int) line.riders.stream().limit(MOST).count();
      if (batch.stream().anyMatch(work -> work.takesAlong(riders))) {
        board(line.riders, batch);
      }
    }
  }

  /** After an Error, which may say that there is no memory: allocates nothing. */
  private void failOpen(List<W> batch) {
    for (int i = 0; i < batch.size(); i++) {
      Outcome<?> outcome = batch.get(i).outcome();
      if (!outcome.isDone()) {
        outcome.fail(LEADER_FAILED);
      }
    }
  }

  private void transact(String name, List<W> batch) {
    try {
      transactions.accept(name, batch);
    } catch (BackendRefusedException | LockConfigurationException e) {
      // It had no effect. What is done however late frees the lock, and needs no room and fewer
      // rights.
      List<W> open = open(batch);
      List<W> freeing = open.stream().filter(work -> work.patience() == null).toList();
      if (freeing.size() > 1 && freeing.size() == open.size()) {
        // One of them may have brought the attempt that is refused.
        freeing.forEach(work -> transact(name, List.of(work)));
        return;
      }
      if (!freeing.isEmpty() && freeing.size() < open.size()) {
        transact(name, freeing);
      }
      fail(batch, e);
    } catch (LockException e) {
      fail(batch, e);
    } catch (RuntimeException | Error e) {
      fail(batch, new IllegalStateException("transaction on lock " + name, e));
    }
  }

  private void fail(List<W> batch, RuntimeException failure) {
    List<W> open = open(batch);
    if (open.isEmpty()) {
      LOG.log(Level.ERROR, "Work on locks failed after it had been answered", failure);
    }
    open.forEach(work -> work.outcome().fail(failure));
  }

  private static <W extends Batched<?>> List<W> open(List<W> batch) {
    return batch.stream().filter(work -> !work.outcome().isDone()).toList();
  }

  private void failOverdue(String name, Line<W> line, LockException fault) {
    for (Iterator<W> waiting = line.waiting.iterator(); waiting.hasNext(); ) {
      W work = waiting.next();
      Duration patience = work.patience();
      if (patience != null && work.outcome().isOverdue(patience)) {
        waiting.remove();
        work.outcome()
            .fail(new BackendUnavailableException(
                "lock '" + name + "': not asked for, since an earlier attempt failed: "
                    + fault.getMessage(),
                fault));
      }
    }
  }

  private void board(Queue<W> from, List<W> batch) {
    W work = batch.size() < MOST ? from.poll() : null;
    while (work != null) {
      batch.add(work);
      work = batch.size() < MOST ? from.poll() : null;
    }
  }
}
