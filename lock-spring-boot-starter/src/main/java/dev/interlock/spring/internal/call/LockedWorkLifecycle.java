package dev.interlock.spring.internal.call;

import dev.interlock.spring.internal.lease.Ending;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Lets locked work end when the application is closed, before the client is closed and would
 * release the locks under it. It has as long as Spring gives to a phase of the shutdown. Executors
 * are ended before the locks of their tasks.
 */
public final class LockedWorkLifecycle implements SmartLifecycle {
  /** After executors and web servers, which bring the work; before what the work may use. */
  private static final int PHASE = DEFAULT_PHASE - 4096;

  private final ConfigurableListableBeanFactory beans;
  private final Duration timeout;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition idle = lock.newCondition();
  // Guarded by lock.
  private final Set<Work> working = new HashSet<>();
  private int ofCloser; // of these
  private @Nullable Thread closer;
  private long stopUntil = System.nanoTime();
  private @Nullable Runnable whenIdle;
  private boolean running;

  /** One piece of work, each time that it begins. */
  private final class Work implements Ending {
    private final Ending ending;
    // Guarded by lock. Which does it; null once it goes on after its call.
    private @Nullable Thread thread = Thread.currentThread();

    Work(Ending ending) {
      this.ending = ending;
    }

    @Override
    public void end() {
      try {
        ending.end();
      } finally {
        ended(this);
      }
    }

    @Override
    public void detach() {
      lock.lock();
      try {
        if (working.contains(this) && isOfCloser(this)) {
          ofCloser--;
        }
        thread = null;
      } finally {
        lock.unlock();
      }
    }
  }

  public LockedWorkLifecycle(ConfigurableListableBeanFactory beans, Duration timeout) {
    this.beans = beans;
    this.timeout = timeout;
  }

  /** Counts work from now on until its ending is over. */
  public Ending track(Ending ending) {
    Work work = new Work(ending);
    lock.lock();
    try {
      working.add(work);
      if (isOfCloser(work)) {
        ofCloser++;
      }
    } finally {
      lock.unlock();
    }
    return work;
  }

  private boolean isOfCloser(Work work) {
    return work.thread != null && work.thread == closer;
  }

  private void ended(Work work) {
    Runnable callback = null;
    lock.lock();
    try {
      if (working.remove(work) && isOfCloser(work)) {
        ofCloser--;
      }
      if (awaited() == 0) {
        idle.signalAll();
        callback = whenIdle;
        whenIdle = null;
      }
    } finally {
      lock.unlock();
    }
    if (callback != null) {
      callback.run();
    }
  }

  /** How much work is to end. What closes its own application cannot end before. */
  private int awaited() {
    return working.size() - ofCloser;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }

  @Override
  public void start() {
    lock.lock();
    try {
      running = true;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean isRunning() {
    lock.lock();
    try {
      return running;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void stop() {
    stop(() -> {});
  }

  @Override
  public void stop(Runnable callback) {
    DestructionOrder.arrange(beans);
    boolean waits;
    lock.lock();
    try {
      running = false;
      closer = Thread.currentThread();
      ofCloser = (int) working.stream().filter(this::isOfCloser).count();
      stopUntil = System.nanoTime() + timeout.toNanos();
      waits = awaited() > 0;
      if (waits) {
        whenIdle = callback;
      }
    } finally {
      lock.unlock();
    }
    if (!waits) {
      callback.run();
    }
  }

  /** Waits for work that an executor began after the phase, for what is left of the time. */
  void awaitIdle() {
    lock.lock();
    try {
      long left = stopUntil - System.nanoTime();
      while (awaited() > 0 && left > 0) {
        left = idle.awaitNanos(left);
      }
      if (awaited() > 0) {
        Ending.LOG.log(
            Level.WARNING,
            "{0} locked calls have not ended in time, and lose their locks with the application",
            awaited());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }
}
