package dev.interlock.spring;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spring.internal.call.Threads;
import dev.interlock.spring.internal.lease.Ending;
import dev.interlock.spring.internal.lease.LeaseScope;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Seeks a lock, leads while it has it, and seeks it again, on a thread of its own. */
final class Campaign {
  /** After a failure, so that another may lead, and a server that is down is not flooded. */
  private static final long PAUSE_SECONDS = 1;

  /** What a stop may interrupt. */
  private interface Section {
    void run() throws Exception;
  }

  private final LockClient client;
  private final LockRequest request;
  private final LeaderCallback callback;
  private final Thread thread;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final ReentrantLock lock = new ReentrantLock();
  // Guarded by lock.
  private boolean stopped;
  private boolean interruptible;

  private volatile @Nullable Lease lease;

  // Of this thread only.
  private boolean unreachable; // at the last attempt, which is logged once
  private boolean told; // that it leads

  Campaign(LockClient client, LockRequest request, LeaderCallback callback) {
    this.client = client;
    this.request = request;
    this.callback = callback;
    this.thread = Threads.named("interlock-leader").newThread(this::run);
  }

  void start() {
    thread.start();
  }

  boolean isCurrentThread() {
    return Thread.currentThread() == thread;
  }

  Optional<Lease> lease() {
    return Optional.ofNullable(lease).filter(Lease::isValid);
  }

  /**
   * Ends it. Does not wait.
   *
   * @param whenEnded called when the lock was given up
   * @param interrupts whether the leader is interrupted; not if it goes on with the shutdown that
   *     it has begun itself
   */
  void stop(Runnable whenEnded, boolean interrupts) {
    var unused = ended.thenRun(whenEnded);
    lock.lock();
    try {
      stopped = true;
      if (interruptible && interrupts) {
        thread.interrupt();
      }
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try {
      while (!isStopped()) {
        Lease won = seek();
        if (won != null) {
          lead(won);
        }
      }
    } finally {
      ended.complete(null);
    }
  }

  private boolean isStopped() {
    lock.lock();
    try {
      return stopped;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Runs it, unless the campaign was stopped before. What comes after it is not interrupted.
   *
   * @throws InterruptedException also if it was stopped before
   */
  private void interruptibly(Section section) throws Exception {
    lock.lock();
    try {
      if (stopped) {
        throw new InterruptedException();
      }
      interruptible = true;
    } finally {
      lock.unlock();
    }
    try {
      section.run();
    } finally {
      lock.lock();
      try {
        interruptible = false;
      } finally {
        lock.unlock();
      }
      Thread.interrupted();
    }
  }

  private @Nullable Lease seek() {
    Lease[] won = new Lease[1];
    try {
      interruptibly(() -> won[0] = client.acquire(request));
      unreachable = false;
    } catch (InterruptedException e) {
      // Stopped.
    } catch (Throwable e) { // else nobody would hear that the election is over
      Ending.LOG.log(
          unreachable ? Level.DEBUG : Level.WARNING,
          "The lock of a leader cannot be asked for; it is tried again each second",
          e);
      unreachable = true;
      pause();
    }
    return won[0];
  }

  private void pause() {
    try {
      interruptibly(() -> TimeUnit.SECONDS.sleep(PAUSE_SECONDS));
    } catch (Exception e) {
      // Stopped.
    }
  }

  /** Leads until the lease is lost, the leader fails, or the campaign is stopped. */
  private void lead(Lease won) {
    CountDownLatch over = new CountDownLatch(1);
    won.lost().thenRun(over::countDown);
    boolean failed = false;
    lease = won;
    try {
      interruptibly(() -> {
        told = true;
        try (LeaseScope scope = LeaseScope.open(client, request, won, true)) {
          callback.gained(won);
        }
        if (!isStopped()) { // the work may have ended by the interrupt, and cleared it
          over.await();
        }
      });
    } catch (InterruptedException e) {
      // Stopped, or the work ended so when the lease was lost.
    } catch (Throwable e) {
      failed = !isLost(won); // else it is what the loss did to the work
      Ending.LOG.log(failed ? Level.WARNING : Level.DEBUG, "A leader failed", e);
    }
    lease = null;
    tellLost(won);
    if (!isLost(won)) {
      Ending.release(won).endQuietly(won.name());
    }
    if (failed) {
      pause();
    }
  }

  private static boolean isLost(Lease lease) {
    return !lease.isValid() || lease.lost().toCompletableFuture().isDone();
  }

  private void tellLost(Lease ended) {
    if (told) {
      told = false;
      try {
        callback.lost(ended);
      } catch (Throwable e) { // the lock is yet to be released
        Ending.LOG.log(Level.WARNING, "A leader failed at its end", e);
      }
    }
  }
}
