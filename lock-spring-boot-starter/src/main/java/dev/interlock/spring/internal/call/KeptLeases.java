package dev.interlock.spring.internal.call;

import dev.interlock.Lease;
import dev.interlock.LockRequest;
import dev.interlock.spi.LockClients;
import dev.interlock.spring.internal.lease.Ending;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The locks of once-only jobs, which stay for a time although the work has ended. The server ends
 * them, so they also stay when the application is closed or dies. Work that takes longer than that
 * time keeps its lock by extending it, from shortly before the end of the time: whatever is added
 * before would stay as well if the application died, and others would skip a run.
 */
final class KeptLeases implements AutoCloseable {
  /** How long before the end of its time a lock is extended: a tenth of it, within these bounds. */
  private static final long SHORTEST_MARGIN = Duration.ofMillis(200).toNanos();

  private static final long LONGEST_MARGIN = Duration.ofSeconds(2).toNanos();

  private static final long SHORTEST = LockRequest.MIN_LEASE.toNanos();

  /** The longest lease of work that takes longer. */
  private static final long RENEWED = Duration.ofSeconds(30).toNanos();

  private final Set<KeptLease> open = ConcurrentHashMap.newKeySet();
  private final ScheduledThreadPoolExecutor timer;
  private final ThreadPoolExecutor workers;

  KeptLeases() {
    // What comes after the close is left to the server.
    timer = new ScheduledThreadPoolExecutor(
        1, Threads.named("interlock-once-timer"), new ThreadPoolExecutor.DiscardPolicy());
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(10, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
    // At most one for each job, or a server that is silent for one would cost the others theirs.
    workers = Threads.oneForEachTask(
        Threads.named("interlock-once"), new ThreadPoolExecutor.DiscardPolicy());
  }

  /**
   * Begins to look after a lease that was acquired for a fixed time.
   *
   * @param atLeast the time that it was acquired for
   * @param atMost after which the lease ends although the work goes on; empty for no such limit
   */
  Ending keep(Lease lease, Duration atLeast, Optional<Duration> atMost) {
    KeptLease kept = new KeptLease(lease, atLeast, atMost);
    open.add(kept);
    kept.start();
    if (timer.isShutdown()) {
      kept.leave(); // of a job that began after the close
    }
    return kept;
  }

  /** Leaves all of them to the server, before the client is closed and would release them. */
  @Override
  public void close() {
    timer.shutdownNow();
    workers.shutdown();
    open.forEach(KeptLease::leave);
  }

  private ScheduledFuture<?> schedule(Runnable task, long delay) {
    return timer.schedule(() -> workers.execute(task), delay, TimeUnit.NANOSECONDS);
  }

  private final class KeptLease implements Ending {
    private final Lease lease;
    private final Duration atLeast;
    private final long begun = System.nanoTime();
    private final long until;
    private final long longest;
    private final long margin;
    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by lock.
    private @Nullable ScheduledFuture<?> extending;
    private boolean extended;
    private boolean ended;

    KeptLease(Lease lease, Duration atLeast, Optional<Duration> atMost) {
      this.lease = lease;
      this.atLeast = atLeast;
      this.until = begun + atLeast.toNanos();
      this.longest = atMost.map(Duration::toNanos).orElse(Long.MAX_VALUE);
      this.margin = Math.min(
          Math.max(atLeast.toNanos() / 10, SHORTEST_MARGIN),
          Math.min(LONGEST_MARGIN, atLeast.toNanos() / 3));
    }

    void start() {
      lock.lock();
      try {
        extendIn(atLeast.toNanos() - margin);
      } finally {
        lock.unlock();
      }
    }

    private void extendIn(long delay) {
      if (!timer.isShutdown()) {
        extending = schedule(this::extend, delay);
      }
    }

    /** The first time by a margin more, and then, as the work takes longer, as a renewed lease. */
    private void extend() {
      lock.lock();
      try {
        if (ended) {
          return;
        }
        boolean over = System.nanoTime() - until >= 0;
        long more = over ? Math.min(atLeast.toNanos(), RENEWED) : Math.max(2 * margin, SHORTEST);
        long left = longest - (System.nanoTime() - begun);
        if (left < SHORTEST) {
          return; // the lease ends the work
        }
        if (lease.extend(Duration.ofNanos(Math.min(more, left)))) {
          extended = true;
          if (more < left) {
            extendIn(over ? more / 3 : until - System.nanoTime());
          }
        }
      } catch (RuntimeException | Error e) {
        if (lease.isValid()) { // else it tells of its loss itself
          extendIn(margin / 4);
        }
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
        var unused = schedule(this::releaseNow, left);
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
