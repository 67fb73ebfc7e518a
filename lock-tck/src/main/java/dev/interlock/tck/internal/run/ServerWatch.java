package dev.interlock.tck.internal.run;

import dev.interlock.tck.internal.worker.Stall;
import dev.interlock.tck.internal.worker.Stalls;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Asks the server again and again for something that costs nothing, and notes when the answer took
 * long. Asks nothing while a rule does harm to the server: what stands still then does so on
 * purpose, and what is planned for the next command is meant for another.
 */
final class ServerWatch implements StallSource, AutoCloseable {
  /** What is said of a server that took long to answer. */
  static final String SERVER = "the server stood still";

  private static final Duration PERIOD = Duration.ofMillis(50);
  private static final long LONGEST_ANSWER = 10_000;
  private static final long LONGEST_CLOSE = 2_000;

  /** How many times as long as at the start an answer takes when something stands still. */
  private static final int TOO_LONG = 5;

  private static final AtomicLong WATCHES = new AtomicLong();

  private final Target target;
  private final String key = "server-" + WATCHES.incrementAndGet();
  private final Thread thread;
  private final ReentrantLock asking = new ReentrantLock();
  private final AtomicInteger suspended = new AtomicInteger();
  private volatile long usual;
  private volatile boolean closed;

  /** Whether the next answer may be late because of what a test did to the server. */
  private volatile boolean resumed;

  ServerWatch(Target target) {
    this.target = target;
    this.thread = new Thread(this::watch, "tck-server-watch");
    thread.setDaemon(true);
  }

  /** Begins, if there is a server that can be asked without the engine. */
  @Override
  public void begin(Duration roundTrip) {
    usual = roundTrip.toNanos();
    if (!target.isForeign() && !target.backend().isInOneJvm()) {
      thread.start();
    }
  }

  /** Asks nothing from now on; an answer that is on its way is awaited. */
  @Override
  public void suspend() {
    suspended.incrementAndGet();
    awaitAnswer();
  }

  @Override
  public void resume() {
    resumed = true;
    suspended.decrementAndGet();
  }

  @Override
  public Optional<Stall> longestSince(long nanoTime, String run, boolean serverToo) {
    // What stands still at this moment is seen only when it goes on.
    awaitAnswer();
    return Stalls.instance()
        .longestSince(
            nanoTime,
            stall -> stall.what().equals(SERVER)
                ? serverToo && stall.of().equals(key)
                : stall.of().isEmpty() || stall.of().equals(run));
  }

  private void awaitAnswer() {
    try {
      if (asking.tryLock(LONGEST_ANSWER, TimeUnit.MILLISECONDS)) {
        asking.unlock();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void watch() {
    while (!closed) {
      try (DirectBackend direct = target.open()) {
        while (!closed) {
          ask(direct);
          RuleRun.pause(PERIOD);
        }
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        // A connection was lost, or none can be had now: what the server says to others counts.
        pauseQuietly();
      }
    }
  }

  private void ask(DirectBackend direct) {
    asking.lock();
    try {
      if (suspended.get() > 0) {
        return;
      }
      long start = System.nanoTime();
      try {
        var unused = direct.backend().inspect("tck:watch");
      } finally {
        // An answer that did not come in time is one that took long.
        if (!resumed) {
          note(start, System.nanoTime());
        }
        resumed = false;
      }
    } finally {
      asking.unlock();
    }
  }

  private void note(long start, long end) {
    if (end - start > TOO_LONG * usual + Stalls.WORTH_NOTING.toNanos()) {
      Stalls.instance().add(new Stall(SERVER, key, end, end - start));
    }
  }

  private static void pauseQuietly() {
    try {
      RuleRun.pause(PERIOD.multipliedBy(10));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      TimeUnit.MILLISECONDS.timedJoin(thread, LONGEST_CLOSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
