package dev.interlock.sql.support;

import dev.interlock.BackendRefusedException;
import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What a caller gets from the transaction that takes its work along. Belongs to the thread that
 * made it; any thread may end it, once.
 *
 * @param <T> the answer
 */
public final class Outcome<T> {
  /**
   * Work whose caller's time was over so long ago fails with a transaction that it stood behind and
   * that met a fault, since to find out for itself would take it as long once more.
   */
  private static final Duration OVERDUE = Duration.ofSeconds(1);

  private final Thread caller = Thread.currentThread();
  private final long since = System.nanoTime();
  private volatile boolean done;
  private @Nullable T answer;
  private @Nullable RuntimeException error;

  /** Waits for its end. */
  public Outcome() {}

  /**
   * Ends it.
   *
   * @param result the answer
   */
  public void succeed(T result) {
    answer = result;
    finish();
  }

  /**
   * Ends it.
   *
   * @param failure what the caller gets to see, or the cause of that if it is no LockException
   */
  public void fail(RuntimeException failure) {
    error = failure;
    finish();
  }

  private void finish() {
    done = true;
    LockSupport.unpark(caller);
  }

  /**
   * Tells whether it has ended.
   *
   * @return true once {@link #get} has an answer
   */
  public boolean isDone() {
    return done;
  }

  /**
   * Returns the answer, once it is done.
   *
   * @return the answer
   * @throws LockException what it failed with; an OutcomeUnknownException for an unforeseen failure
   */
  public T get() {
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

  /** What the transaction failed with, if that was the server's fault. */
  @Nullable
  LockException fault() {
    return error instanceof LockException fault ? fault : null;
  }

  /** Whether the time of a caller that was prepared to wait so long was over long ago. */
  boolean isOverdue(Duration patience) {
    return patience.plus(OVERDUE).minusNanos(System.nanoTime() - since).isNegative();
  }

  /** Wakes the caller so that it leads the next transaction. */
  void lead() {
    LockSupport.unpark(caller);
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
    if (original instanceof BackendRefusedException) {
      return new BackendRefusedException(message, original);
    }
    return new BackendUnavailableException(message, original);
  }
}
