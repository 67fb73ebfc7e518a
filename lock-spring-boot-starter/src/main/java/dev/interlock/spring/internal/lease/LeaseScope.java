package dev.interlock.spring.internal.lease;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LostReason;
import dev.interlock.spring.CurrentLease;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The time that a thread works under a lease, or without the one that its work is meant to have. A
 * loss interrupts the thread within this time only: never what the thread does next.
 */
public final class LeaseScope implements AutoCloseable {
  private static final ThreadLocal<@Nullable LeaseScope> CURRENT = new ThreadLocal<>();

  private static final int RUNNING = 0;
  private static final int INTERRUPTING = 1;
  private static final int INTERRUPTED = 2;
  private static final int ENDED = 3;

  private final @Nullable Held held;
  private final @Nullable LeaseScope outer;
  private final Thread thread = Thread.currentThread();
  private final AtomicInteger state = new AtomicInteger(RUNNING);

  /**
   * What the thread holds meanwhile.
   *
   * @param part of which lock
   * @param shared the end of the lock, for nested calls which enter it again; null if none may
   */
  record Held(HeldPart part, Lease lease, @Nullable SharedEnding shared) {}

  private LeaseScope(@Nullable Held held, @Nullable LeaseScope outer) {
    this.held = held;
    this.outer = outer;
  }

  /**
   * Begins it on the current thread.
   *
   * @param request what the lease was asked for with
   * @param interrupts whether a loss interrupts the thread
   */
  public static LeaseScope open(
      LockClient client, LockRequest request, Lease lease, boolean interrupts) {
    Held held = new Held(new HeldPart(client, request), lease, null);
    return open(held, lease.lost(), interrupts);
  }

  /** The same for what a call has entered. */
  public static LeaseScope open(Entry entry, boolean interrupts) {
    return open(entry.held(), entry.lost(), interrupts);
  }

  private static LeaseScope open(Held held, CompletionStage<LostReason> lost, boolean interrupts) {
    LeaseScope scope = new LeaseScope(held, CURRENT.get());
    if (interrupts) {
      lost.thenRun(scope::interrupt);
    }
    CURRENT.set(scope);
    return scope;
  }

  /**
   * Begins the time of work that goes on without its lock. What it finds by {@link CurrentLease} is
   * not the lease of a caller, whose fencing token is that of another lock.
   */
  public static LeaseScope openUnlocked() {
    LeaseScope scope = new LeaseScope(null, CURRENT.get());
    CURRENT.set(scope);
    return scope;
  }

  /** The lease of the innermost work; null if that has none. */
  public static @Nullable Lease currentLease() {
    LeaseScope scope = CURRENT.get();
    return scope == null || scope.held == null ? null : scope.held.lease();
  }

  /** The innermost lease of a lock, by work further out as well; null if the thread has none. */
  public static @Nullable Lease leaseOf(String name) {
    return lease(find(held -> held.lease().name().equals(name)));
  }

  /** The same of one client, for another may have a lock of the same name. */
  public static @Nullable Lease leaseOf(LockClient client, String name) {
    return lease(find(held -> held.part().isOf(client, name)));
  }

  private static @Nullable Lease lease(@Nullable Held held) {
    return held == null ? null : held.lease();
  }

  /** The innermost that fits of what the thread holds, by work further out as well. */
  static @Nullable Held find(Predicate<Held> which) {
    for (LeaseScope scope = CURRENT.get(); scope != null; scope = scope.outer) {
      if (scope.held != null && which.test(scope.held)) {
        return scope.held;
      }
    }
    return null;
  }

  /** What the leases of the current thread mean for a further request. */
  static HeldPart.Effect on(LockClient client, LockRequest further) {
    HeldPart.Effect effect = HeldPart.Effect.NONE;
    for (LeaseScope scope = CURRENT.get(); scope != null; scope = scope.outer) {
      if (scope.held != null) {
        effect = effect.and(scope.held.part().on(client, further));
      }
    }
    return effect;
  }

  /**
   * Looks at all of the thread's leases.
   *
   * @throws dev.interlock.LeaseLostException if one of them was lost
   */
  static void ensureAllValid() {
    for (LeaseScope scope = CURRENT.get(); scope != null; scope = scope.outer) {
      if (scope.held != null) {
        scope.held.lease().ensureValid();
      }
    }
  }

  /**
   * Refuses to take a lock anew that work of the current thread has lost.
   *
   * @throws dev.interlock.LeaseLostException if it has
   */
  static void ensureHeld(LockClient client, LockRequest further) {
    for (LeaseScope scope = CURRENT.get(); scope != null; scope = scope.outer) {
      if (scope.held != null && scope.held.part().isOf(client, further.name())) {
        scope.held.lease().ensureValid();
      }
    }
  }

  /** Lets no loss interrupt the current thread any more, in whatever it works under. */
  public static void leaveUninterrupted() {
    for (LeaseScope scope = CURRENT.get(); scope != null; scope = scope.outer) {
      scope.settle();
    }
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
    settle();
  }

  private void settle() {
    if (!state.compareAndSet(RUNNING, ENDED) && state.get() != ENDED) {
      while (state.get() == INTERRUPTING) {
        Thread.onSpinWait();
      }
      state.set(ENDED);
      Thread.interrupted(); // it was meant for the work, which has ended
      if (outer != null && outer.isInterrupted()) {
        thread.interrupt(); // a loss of work further out, whose flag cannot be told from this one's
      }
    }
  }

  /** Whether a loss has interrupted this work or some further out, or is about to. */
  private boolean isInterrupted() {
    for (LeaseScope scope = this; scope != null; scope = scope.outer) {
      int now = scope.state.get();
      if (now == INTERRUPTING || now == INTERRUPTED) {
        return true;
      }
    }
    return false;
  }
}
