package dev.interlock.spring;

import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.spring.internal.lease.Ending;
import dev.interlock.spring.internal.lease.Entry;
import dev.interlock.spring.internal.lease.LeaseScope;
import dev.interlock.spring.internal.lease.LockGate;
import dev.interlock.spring.internal.lease.LockMeter;
import dev.interlock.spring.internal.lease.LockedWork;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Does work under a lock, by the same rules as {@link Locked}: released after the running
 * transaction, if there is one; entered again within a call of the same thread that took it; a lost
 * lease interrupts the work, and the caller gets {@link LeaseLostException}. Without a transaction
 * the lock is released when the callback has returned, whatever it returns: what it has only begun,
 * such as a future, is not waited for. Thread-safe; blocks as long as the request waits.
 */
public final class LockTemplate {
  /** What requests of a template stand for in traces, which must not have a name for each lock. */
  private static final String LABEL = "LockTemplate";

  private final LockGate gate;

  LockTemplate(LockGate gate) {
    this.gate = gate;
  }

  /**
   * Creates a template that tells no meters.
   *
   * @param client stays the caller's
   */
  public LockTemplate(LockClient client) {
    this(new LockGate(client, LockMeter.NONE, UnaryOperator.identity()));
  }

  /**
   * Does work under a lock that is renewed until it ends; waits for the lock without limit.
   *
   * @param name the lock's name
   * @param work what to do
   * @param <T> its result
   * @param <E> what it throws
   * @return its result
   * @throws E if the work fails
   * @throws LockTimeoutException if this thread itself holds the lock in a way that does not let it
   *     enter again: at once
   * @throws LeaseLostException if the lease was lost meanwhile, or a call that took it has lost it
   * @throws LockException as {@link LockClient#acquire}, and if interrupted while waiting, with the
   *     flag set
   */
  public <T extends @Nullable Object, E extends Exception> T execute(
      String name, LockCallback<T, E> work) throws E {
    return execute(LockRequest.of(name), work);
  }

  /**
   * Does work under a lock.
   *
   * @param request what to acquire; waits as long as it says. A call that took the lock on this
   *     thread is entered again by one for the whole lock without an owner, on its lease
   * @param work what to do
   * @param <T> its result
   * @param <E> what it throws
   * @return its result
   * @throws E if the work fails
   * @throws LockTimeoutException if the lock is held by another after the wait
   * @throws LeaseLostException if the lease was lost meanwhile
   * @throws LockException as {@link LockClient#acquire}, and if interrupted while waiting, with the
   *     flag set
   */
  public <T extends @Nullable Object, E extends Exception> T execute(
      LockRequest request, LockCallback<T, E> work) throws E {
    Entry entry = enter(request);
    if (entry == null) {
      throw gate.busy(List.of(request));
    }
    return run(entry, work);
  }

  /**
   * Does work if the lock can be had.
   *
   * @param request what to acquire; without a wait it makes one attempt
   * @param work what to do
   * @param <T> its result
   * @param <E> what it throws
   * @return its result; empty if the lock is held by another, or the result is null
   * @throws E if the work fails
   * @throws LeaseLostException if the lease was lost meanwhile
   * @throws LockException as {@link LockClient#acquire}, and if interrupted while waiting, with the
   *     flag set
   */
  public <T, E extends Exception> Optional<T> tryExecute(
      LockRequest request, LockCallback<@Nullable T, E> work) throws E {
    Entry entry = enter(request.maxWait().isPresent() ? request : request.withWait(Duration.ZERO));
    return entry == null ? Optional.empty() : Optional.ofNullable(run(entry, work));
  }

  private @Nullable Entry enter(LockRequest request) {
    try {
      return gate.enter(LABEL, request, Ending::release);
    } catch (InterruptedException e) {
      throw LockGate.interrupted(request, e);
    }
  }

  private <T extends @Nullable Object, E extends Exception> T run(
      Entry entry, LockCallback<T, E> work) throws E {
    LeaseScope scope = LeaseScope.open(entry, true);
    T result = LockedWork.<T, E>run(scope, entry.ending(), () -> work.doLocked(entry.lease()));
    entry.ending().end();
    return result;
  }
}
