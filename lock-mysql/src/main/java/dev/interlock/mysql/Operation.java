package dev.interlock.mysql;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a caller wants done with a lock, as part of whichever transaction takes it along.
 *
 * @param <T> its answer
 */
abstract class Operation<T> {
  private final Thread caller = Thread.currentThread();
  private final long since = System.nanoTime();
  private volatile boolean done;
  private @Nullable T answer;
  private @Nullable RuntimeException error;

  static List<HoldId> allIds(List<Operation<?>> operations) {
    return operations.stream().flatMap(operation -> operation.ids().stream()).toList();
  }

  /** The ids whose entries the transaction must read. */
  List<HoldId> ids() {
    return List.of();
  }

  /** Whether it needs the lock's row, which is then added if there is none. */
  boolean needsRow() {
    return false;
  }

  /** Whether it frees or keeps a lock. */
  boolean isUrgent() {
    return true;
  }

  /** Whether it may leave a waiter in the queue. */
  boolean waits() {
    return false;
  }

  /**
   * Whether attempts that wait for a release to take them along go with this one.
   *
   * @param riders how many they are
   */
  boolean takesAlong(int riders) {
    return false;
  }

  /** How long its caller was prepared to wait; null if it is done however late. */
  @Nullable
  Duration patience() {
    return null;
  }

  /** Whether its caller's time was over long ago. */
  final boolean isOverdue() {
    Duration patience = patience();
    return patience != null
        && patience.plus(Protocol.OVERDUE).minusNanos(System.nanoTime() - since).isNegative();
  }

  /**
   * Does it in one packet if that may do; otherwise changes nothing.
   *
   * @param awaited whether waiters of this client stand in the queue, so the lock cannot be free
   */
  boolean tryFast(FastPath fastPath, boolean awaited) {
    return false;
  }

  /** Done first: gives up what it gives up. Called anew if the transaction has to be repeated. */
  void giveUp(Transition transition) {}

  /** Done last, once the waiters have been served: takes what it takes. */
  void take(Transition transition) {}

  /** Called after the commit. Answers what the caller gets. */
  abstract T committed(Transition transition);

  /** What the caller gets if there is no row and none is needed. */
  abstract T nothingThere();

  final void succeed(T result) {
    answer = result;
    finish();
  }

  final void fail(RuntimeException failure) {
    error = failure;
    finish();
  }

  private void finish() {
    done = true;
    LockSupport.unpark(caller);
  }

  /** What the transaction failed with, if that was the server's fault. */
  final @Nullable LockException fault() {
    return error instanceof LockException fault ? fault : null;
  }

  final boolean isDone() {
    return done;
  }

  /** Wakes the caller so that it leads the next transaction. */
  final void lead() {
    LockSupport.unpark(caller);
  }

  /** The answer; throws what the transaction failed with. */
  final T result() {
    if (error instanceof LockException failure) {
      throw copy(failure);
    }
    if (error != null) {
      throw new OutcomeUnknownException("a transaction failed: " + error, error);
    }
    T result = answer;
    if (result == null) {
      throw new IllegalStateException("not done");
    }
    return result;
  }

  /** For the many callers of one transaction: each gets its own, with its own stack. */
  private static LockException copy(LockException original) {
    String message = String.valueOf(original.getMessage());
    if (original instanceof OutcomeUnknownException) {
      return new OutcomeUnknownException(message, original);
    }
    if (original instanceof LockConfigurationException) {
      return new LockConfigurationException(message, original);
    }
    return new BackendUnavailableException(message, original);
  }
}
