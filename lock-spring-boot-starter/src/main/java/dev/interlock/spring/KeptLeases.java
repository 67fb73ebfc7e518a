package dev.interlock.spring;

import dev.interlock.Lease;
import dev.interlock.LockException;
import dev.interlock.spi.LockClients;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The locks of once-only jobs, which stay for a time although the work has ended. The server ends
 * them, so they also stay when the application is closed or dies. Work that takes longer than that
 * time keeps its lock by extending it.
 */
final class KeptLeases implements AutoCloseable {
  private final Set<KeptLease> open = ConcurrentHashMap.newKeySet();
  private final ScheduledThreadPoolExecutor timer;

  KeptLeases() {
    timer = new ScheduledThreadPoolExecutor(1, Threads.named("interlock-once"));
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(10, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
  }

  /** Begins to look after a lease that was acquired for a fixed time. */
  Ending keep(Lease lease, Duration atLeast) {
    KeptLease kept = new KeptLease(lease, atLeast);
    open.add(kept);
    kept.start();
    return kept;
  }

  /** Leaves all of them to the server, before the client is closed and would release them. */
  @Override
  public void close() {
    timer.shutdownNow();
    open.forEach(KeptLease::leave);
  }

  private final class KeptLease implements Ending {
    private final Lease lease;
    private final Duration atLeast;
    private final long until;
    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by lock.
    private @Nullable ScheduledFuture<?> extending;
    private boolean extended;
    private boolean ended;

    KeptLease(Lease lease, Duration atLeast) {
      this.lease = lease;
      this.atLeast = atLeast;
      this.until = System.nanoTime() + atLeast.toNanos();
    }

    void start() {
      long third = atLeast.toNanos() / 3;
      lock.lock();
      try {
        extending =
            timer.scheduleWithFixedDelay(this::extend, third * 2, third, TimeUnit.NANOSECONDS);
      } finally {
        lock.unlock();
      }
    }

    private void extend() {
      lock.lock();
      try {
        if (!ended && lease.extend(atLeast)) {
          extended = true;
        }
      } catch (LockException e) {
        // Tried again a third later; after that the lease tells of its loss.
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void end() {
      lock.lock();
      try {
        ended = true;
        if (extending != null) {
          extending.cancel(false);
        }
        if (!lease.isValid() || !extended) {
          open.remove(this);
          lease.ensureValid();
          LockClients.keep(lease);
          return;
        }
      } finally {
        lock.unlock();
      }
      releaseAtLast();
    }

    /** The server would hold it for longer than was asked for. */
    private void releaseAtLast() {
      long left = until - System.nanoTime();
      if (left > 0 && !timer.isShutdown()) {
        var unused = timer.schedule(this::releaseNow, left, TimeUnit.NANOSECONDS);
      } else if (left <= 0) {
        open.remove(this);
        Ending.release(lease).end();
      }
    }

    private void releaseNow() {
      open.remove(this);
      Ending.release(lease).endQuietly(lease.name());
    }

    private void leave() {
      LockClients.keep(lease);
    }
  }
}
