package dev.interlock.spring.internal.call;

import dev.interlock.BackendRefusedException;
import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spring.LockScope;
import dev.interlock.spring.WhenUnavailable;
import dev.interlock.spring.internal.annotation.LockAnnotation;
import dev.interlock.spring.internal.annotation.LockedMethod;
import dev.interlock.spring.internal.annotation.LockedMethods;
import dev.interlock.spring.internal.lease.Ending;
import dev.interlock.spring.internal.lease.Entry;
import dev.interlock.spring.internal.lease.LockGate;
import dev.interlock.spring.internal.lease.LockGates;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What all annotated methods of an application share. */
public final class LockedCalls implements AutoCloseable {
  /** Each of them is at most one round trip busy with a release: no work's code runs there. */
  private static final int THREADS = 4;

  private final LockGate gate;
  private final LockGates gates;
  private final LockedWorkLifecycle lifecycle;
  private final Strategies strategies;
  private final Duration defaultWait;
  private final String application;
  private final KeptLeases kept = new KeptLeases();
  private final ThreadPoolExecutor releasing;
  private final ThreadPoolExecutor telling;

  /** Methods that run without their lock, of which the log tells once. */
  private final Set<Method> unguarded = ConcurrentHashMap.newKeySet();

  /** Since then the client cannot be asked either, which is no outage. */
  private volatile boolean closed;

  public LockedCalls(
      LockGate gate,
      LockGates gates,
      LockedWorkLifecycle lifecycle,
      Strategies strategies,
      Duration defaultWait,
      String applicationName) {
    this.gate = gate;
    this.gates = gates;
    this.strategies = strategies;
    this.lifecycle = lifecycle;
    this.defaultWait = defaultWait;
    this.application = applicationName + "@" + UUID.randomUUID();
    ThreadFactory threads = Threads.named("interlock-release");
    this.releasing = new ThreadPoolExecutor(
        THREADS,
        THREADS,
        10,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        threads,
        startedBy(threads));
    this.releasing.allowCoreThreadTimeOut(true);
    ThreadFactory tellers = Threads.named("interlock-tell");
    this.telling = Threads.oneForEachTask(tellers, startedBy(tellers));
  }

  /** Who waits for a stage that is complete only after the close must hear of it, too. */
  private static RejectedExecutionHandler startedBy(ThreadFactory threads) {
    return (late, closed) -> threads.newThread(late).start();
  }

  /** That of the client which the method names. */
  LockGate gate(LockedMethod locked) {
    return locked.client().isEmpty() ? gate : gates.get(locked.client());
  }

  Strategies strategies() {
    return strategies;
  }

  /** Where releases run that must not block the thread that completes a stage. */
  Executor releasing() {
    return releasing;
  }

  /**
   * Where work hears of its loss, and callers of the end. Their code may block, or wait for another
   * release, so none of them is told after another, or after a release.
   */
  Executor telling() {
    return telling;
  }

  LockRequest request(LockedMethod locked, String name) {
    return locked.request(
        name, defaultWait, locked.scope() == LockScope.APPLICATION ? application : null);
  }

  /**
   * Enters the lock. A call that runs once in a time takes it, and never enters it again: another
   * run would have had it.
   *
   * @return null if it is held by another
   * @throws InterruptedException if interrupted and the method declares it
   * @throws LockException if interrupted and the method does not; the flag is set again
   */
  @Nullable
  Entry enter(LockedMethod locked, LockRequest request) throws InterruptedException {
    LockGate asked = gate(locked);
    String label = locked.template();
    try {
      Entry entry = locked.atLeast().isPresent()
          ? asked.take(label, request, lease -> last(locked, lease))
          : asked.enter(label, request, Ending::release);
      answered(locked);
      return entry;
    } catch (InterruptedException e) {
      throw declared(locked, request, e);
    }
  }

  /**
   * Enters all of the locks or none.
   *
   * @return empty if one is held by another
   * @throws InterruptedException if interrupted and the method declares it
   * @throws LockException if interrupted and the method does not; the flag is set again
   */
  List<Entry> enterAll(LockedMethod locked, List<LockRequest> requests)
      throws InterruptedException {
    try {
      List<Entry> entries = gate(locked).enterAll(locked.template(), requests);
      answered(locked);
      return entries;
    } catch (InterruptedException e) {
      throw declared(locked, requests.get(0), e);
    }
  }

  private static LockException declared(
      LockedMethod locked, LockRequest request, InterruptedException interrupted)
      throws InterruptedException {
    for (Class<?> declared : locked.method().getExceptionTypes()) {
      if (declared.isAssignableFrom(InterruptedException.class)) {
        throw interrupted;
      }
    }
    return LockGate.interrupted(request, interrupted);
  }

  /** The server was asked: the next time that it cannot be is worth a warning. */
  void answered(LockedMethod locked) {
    if (!unguarded.isEmpty()) {
      unguarded.remove(locked.method());
    }
  }

  /**
   * Tells whether a call goes on without its lock, and logs that.
   *
   * @param failure why there is no lock
   */
  boolean runsUnguarded(LockedMethod locked, Throwable failure) {
    if (!isUnavailable(failure)
        || closed
        || locked.whenUnavailable() != WhenUnavailable.RUN_UNGUARDED) {
      return false;
    }
    Ending.LOG.log(
        unguarded.add(locked.method()) ? Level.WARNING : Level.DEBUG,
        LockAnnotation.labelOf(locked.method()) + " on " + LockedMethods.describe(locked.method())
            + " runs without its lock until the server answers",
        failure);
    return true;
  }

  /**
   * Whether the server gave no answer. One that refuses, for want of rights or room, may serve
   * others, who hold the lock; and it may do so for days.
   */
  private static boolean isUnavailable(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof BackendRefusedException) {
        return false;
      }
    }
    return failure instanceof BackendUnavailableException
        || failure instanceof OutcomeUnknownException;
  }

  /** The entry of a subscription that has acquired the lock. */
  Entry acquired(LockedMethod locked, LockRequest request, Lease lease) {
    return gate(locked).unboundEntry(request, lease, granted -> last(locked, granted));
  }

  /** The entry of a subscription on a thread that has the lock; null if that has not. */
  @Nullable
  Entry reenter(LockedMethod locked, LockRequest request) {
    return locked.atLeast().isPresent() ? null : gate(locked).reenter(request);
  }

  private Ending last(LockedMethod locked, Lease lease) {
    return locked
        .atLeast()
        .map(atLeast -> kept.keep(lease, atLeast, locked.atMost()))
        .orElseGet(() -> Ending.release(lease));
  }

  @Override
  public void close() {
    closed = true;
    lifecycle.awaitIdle();
    kept.close();
    releasing.shutdown();
    telling.shutdown();
  }
}
