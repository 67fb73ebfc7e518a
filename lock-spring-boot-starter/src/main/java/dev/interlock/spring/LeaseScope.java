package dev.interlock.spring;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The time that a thread works under a lease. A loss interrupts the thread within this time only:
 * never what the thread does next.
 */
final class LeaseScope implements AutoCloseable {
  private static final ThreadLocal<@Nullable LeaseScope> CURRENT = new ThreadLocal<>();

  private static final int RUNNING = 0;
  private static final int INTERRUPTING = 1;
  private static final int INTERRUPTED = 2;
  private static final int ENDED = 3;

  private final LockClient client;
  private final Lease lease;
  private final @Nullable String owner;
  private final @Nullable LeaseScope outer;
  private final Thread thread = Thread.currentThread();
  private final AtomicInteger state = new AtomicInteger(RUNNING);

  private LeaseScope(
      LockClient client, LockRequest request, Lease lease, @Nullable LeaseScope outer) {
    this.client = client;
    this.lease = lease;
    this.owner = request.owner().orElse(null);
    this.outer = outer;
  }

  /**
   * Begins it on the current thread.
   *
   * @param request what the lease was asked for with
   * @param interrupts whether a loss interrupts the thread
   */
  static LeaseScope open(LockClient client, LockRequest request, Lease lease, boolean interrupts) {
    LeaseScope scope = new LeaseScope(client, request, lease, CURRENT.get());
    if (interrupts) {
      lease.lost().thenRun(scope::interrupt);
    }
    CURRENT.set(scope);
    return scope;
  }

  static @Nullable LeaseScope current() {
    return CURRENT.get();
  }

  /** Tells whether the current thread holds the lock for another owner: a wait would not end. */
  static boolean blocks(LockClient client, LockRequest request) {
    String owner = request.owner().orElse(null);
    for (LeaseScope scope = CURRENT.get(); scope != null; scope = scope.outer) {
      if (scope.client == client && scope.lease.name().equals(request.name())) {
        return owner == null || !owner.equals(scope.owner);
      }
    }
    return false;
  }

  Lease lease() {
    return lease;
  }

  @Nullable
  LeaseScope outer() {
    return outer;
  }

  private void interrupt() {
    if (state.compareAndSet(RUNNING, INTERRUPTING)) {
      thread.interrupt();
      state.set(INTERRUPTED);
    }
  }

  @Override
  public void close() {
    if (outer == null) {
      CURRENT.remove();
    } else {
      CURRENT.set(outer);
    }
    if (!state.compareAndSet(RUNNING, ENDED)) {
      while (state.get() == INTERRUPTING) {
        Thread.onSpinWait();
      }
      Thread.interrupted(); // it was meant for the work, which has ended
    }
  }
}
