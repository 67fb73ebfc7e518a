package dev.interlock.internal.engine;

import dev.interlock.LockException;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Uninterruptibly;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A waiter whose thread is parked meanwhile, and takes its own steps. */
final class ThreadWaiter extends Waiter {
  /** Between the claim of a grant and the grant; a matter of microseconds. */
  private static final long SOON = 20_000;

  private final Thread thread = Thread.currentThread();
  private final Contention contention;
  private final AtomicBoolean signalled = new AtomicBoolean();

  ThreadWaiter(Grantee grantee, HoldId id, @Nullable Duration wait, Contention contention) {
    super(grantee, id, wait, contention);
    this.contention = contention;
  }

  @Override
  void signal() {
    if (signalled.compareAndSet(false, true)) {
      LockSupport.unpark(thread);
    }
  }

  @Override
  void ended() {
    LockSupport.unpark(thread);
  }

  @Override
  boolean sharesThread() {
    return false;
  }

  @Override
  boolean isLate() {
    return false;
  }

  @Override
  void rearm() {
    if (Thread.currentThread() != thread) {
      LockSupport.unpark(thread);
    }
  }

  /**
   * Waits for the hold, or throws why there is none.
   *
   * @param interruptible false keeps waiting, and sets the flag again in the end
   */
  Hold await(boolean interruptible) throws InterruptedException {
    if (interruptible && Thread.interrupted()) {
      throw new InterruptedException();
    }
    boolean interrupted = false;
    Hold hold = null;
    try {
      hold = contention.start(this);
      while (hold == null) {
        if (Thread.interrupted()) {
          if (interruptible && contention.leave(this)) {
            throw new InterruptedException();
          }
          interrupted = true;
        }
        advance();
        hold = result();
      }
      return hold;
    } finally {
      if (hold == null) {
        leaveForSure(contention);
        awaitRemoval();
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Lets the ended wait last until nothing can grant it the lock any more. Keeps interrupts. */
  private void awaitRemoval() {
    CompletableFuture<Boolean> pending = removal();
    if (pending == null) {
      return;
    }
    try {
      var unused = Uninterruptibly.get(pending, REMOVAL);
    } catch (TimeoutException | ExecutionException e) {
      // The background goes on with it.
    }
  }

  /** Takes a step, ends the wait, or parks. */
  private void advance() {
    if (timeLeft() <= 0) {
      LockException error =
          contention.errors().timeout(this); // before its place in the queue is given up
      if (contention.leave(this)) {
        throw error;
      }
      LockSupport.parkNanos(this, SOON); // just being granted
    } else if (signalled.compareAndSet(true, false) || isRecheckDue()) {
      contention.step(this);
    } else {
      LockSupport.parkNanos(this, pause());
    }
  }
}
