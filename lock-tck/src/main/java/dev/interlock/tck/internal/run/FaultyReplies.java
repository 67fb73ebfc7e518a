package dev.interlock.tck.internal.run;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.WaiterInfo;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Stands between engine and backend: the server executes every command, but the answers to the next
 * few attempts come late, or are lost.
 */
public final class FaultyReplies implements HandOffBackend {
  private final LockBackend backend;
  private final AtomicInteger remaining;
  private final Duration delay;
  private final boolean lost;

  private FaultyReplies(
      LockBackend backend, AtomicInteger remaining, Duration delay, boolean lost) {
    this.backend = backend;
    this.remaining = remaining;
    this.delay = delay;
    this.lost = lost;
  }

  /** Delays the answers to as many attempts as the counter says. */
  public static FaultyReplies late(LockBackend backend, AtomicInteger attempts, Duration delay) {
    return new FaultyReplies(backend, attempts, delay, false);
  }

  /**
   * Loses the answer to one attempt, and refuses all others, abandonments too, until the counter is
   * set to 0.
   */
  public static LockBackend lostThenRefused(LockBackend backend, AtomicInteger stage) {
    return (LockBackend) Proxy.newProxyInstance(
        LockBackend.class.getClassLoader(),
        new Class<?>[] {backend instanceof HandOffBackend ? HandOffBackend.class : LockBackend.class
        },
        (proxy, method, arguments) -> {
          boolean attempts = method.getName().equals("attempt");
          boolean refuses = attempts || method.getName().equals("abandon");
          if (refuses && stage.get() > 1) {
            throw new BackendUnavailableException("the kit refuses to send it");
          }
          Object answer;
          try {
            answer = method.invoke(backend, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
          if (attempts && stage.compareAndSet(1, 2)) {
            throw new OutcomeUnknownException("the kit lost the answer to this attempt");
          }
          return answer;
        });
  }

  /** Loses the answers to as many attempts as the counter says. */
  public static FaultyReplies lost(LockBackend backend, AtomicInteger attempts) {
    return new FaultyReplies(backend, attempts, Duration.ZERO, true);
  }

  @Override
  public AttemptResult attempt(Attempt attempt) {
    AttemptResult result = backend.attempt(attempt);
    if (remaining.getAndUpdate(count -> Math.max(0, count - 1)) > 0) {
      if (lost) {
        throw new OutcomeUnknownException("the kit lost the answer to this attempt");
      }
      long end = System.nanoTime() + delay.toNanos();
      while (System.nanoTime() - end < 0) {
        LockSupport.parkNanos(end - System.nanoTime());
      }
    }
    return result;
  }

  @Override
  public void renew(List<Renewal> batch, RenewalAnswers answers) {
    backend.renew(batch, answers);
  }

  @Override
  public ReleaseResult release(Release release) {
    return HandOffBackend.release(backend, release);
  }

  @Override
  public void abandon(String name, HoldId id) {
    backend.abandon(name, id);
  }

  @Override
  public Optional<HoldInfo> inspect(String name) {
    return backend.inspect(name);
  }

  @Override
  public Optional<List<WaiterInfo>> waiters(String name, int limit) {
    return backend.waiters(name, limit);
  }

  @Override
  public Optional<HoldPage> list(HoldQuery query) {
    return backend.list(query);
  }

  @Override
  public boolean forceRelease(String name, long fencingToken) {
    return backend.forceRelease(name, fencingToken);
  }

  @Override
  public void subscribe(BackendEvents events) {
    backend.subscribe(events);
  }

  @Override
  public String server() {
    return backend.server();
  }

  @Override
  public void close() {
    backend.close();
  }
}
