package dev.interlock.mysql;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Has at most one transaction of this client under way for each lock. What gathers meanwhile goes
 * along in the next one: the row lock would make it wait anyway, and so one commit serves many. The
 * first of those who wait leads the next transaction on its own thread. If a transaction meets a
 * fault of the server, the attempts behind it whose time was over long ago fail with it.
 * Thread-safe.
 */
final class LockBatcher {
  private static final int MOST = 128;

  private static final class Line {
    final Queue<Operation<?>> waiting = new ConcurrentLinkedQueue<>();
    final Queue<Operation<?>> riders = new ConcurrentLinkedQueue<>();
    final AtomicBoolean led = new AtomicBoolean();
    int users;

    /** All riders together: what one of them has to pay for serves the others too. */
    void endRides() {
      for (Operation<?> rider = riders.poll(); rider != null; rider = riders.poll()) {
        waiting.add(rider);
      }
    }
  }

  private final ConcurrentHashMap<String, Line> lines = new ConcurrentHashMap<>();
  private final BiConsumer<String, List<Operation<?>>> transactions;

  /**
   * Creates.
   *
   * @param transactions does operations in one transaction; ends each of them, and throws nothing
   */
  LockBatcher(BiConsumer<String, List<Operation<?>>> transactions) {
    this.transactions = transactions;
  }

  /**
   * Has an operation done and returns its answer. An interrupt is kept until then: a transaction is
   * bounded.
   */
  <T> T run(String name, Operation<T> operation) {
    return run(name, operation, 0);
  }

  /**
   * Has an operation done and returns its answer.
   *
   * @param rideNanos for how long it can wait for a release to take it along, which saves a commit;
   *     the release decides whether it does
   */
  <T> T run(String name, Operation<T> operation, long rideNanos) {
    Line line = lines.compute(name, (key, old) -> enter(old));
    boolean interrupted = false;
    try {
      if (rideNanos > 0) {
        interrupted = ride(line, operation, System.nanoTime() + rideNanos);
      } else {
        line.waiting.add(operation);
      }
      while (!operation.isDone()) {
        if (line.led.compareAndSet(false, true)) {
          lead(name, line);
        } else {
          LockSupport.park(line);
          interrupted |= Thread.interrupted();
        }
      }
      return operation.result();
    } finally {
      lines.computeIfPresent(name, (key, old) -> --old.users == 0 ? null : old);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static Line enter(@Nullable Line old) {
    Line line = old == null ? new Line() : old;
    line.users++;
    return line;
  }

  /** Answers whether the thread was interrupted, which ends the ride. */
  private static boolean ride(Line line, Operation<?> operation, long deadline) {
    line.riders.add(operation);
    boolean interrupted = false;
    while (!operation.isDone() && line.riders.contains(operation)) {
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

  private void lead(String name, Line line) {
    try {
      List<Operation<?>> batch = new ArrayList<>();
      board(line.waiting, batch);
      if (!line.riders.isEmpty()) {
        int riders = (int) line.riders.stream().limit(MOST).count();
        if (batch.stream().anyMatch(operation -> operation.takesAlong(riders))) {
          board(line.riders, batch);
        }
      }
      if (!batch.isEmpty()) {
        transactions.accept(name, batch);
        failOverdue(name, line, batch.get(0).fault());
      }
    } finally {
      line.led.set(false);
      // Looked at after the lead was given up: whoever came before that cannot have taken it.
      Operation<?> next = line.waiting.peek();
      if (next != null) {
        next.lead();
      }
    }
  }

  private static void failOverdue(String name, Line line, @Nullable LockException fault) {
    if (fault == null) {
      return;
    }
    for (Iterator<Operation<?>> operations = line.waiting.iterator(); operations.hasNext(); ) {
      Operation<?> operation = operations.next();
      if (operation.isOverdue()) {
        operations.remove();
        operation.fail(new BackendUnavailableException(
            "lock '" + name + "': not asked for, since an earlier attempt failed: "
                + fault.getMessage(),
            fault));
      }
    }
  }

  private static void board(Queue<Operation<?>> from, List<Operation<?>> batch) {
    Operation<?> operation = batch.size() < MOST ? from.poll() : null;
    while (operation != null) {
      batch.add(operation);
      operation = batch.size() < MOST ? from.poll() : null;
    }
  }
}
