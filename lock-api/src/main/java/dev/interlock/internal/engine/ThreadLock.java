package dev.interlock.internal.engine;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockKind;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** A lock as its current thread sees it. Holds no state: the thread's hold is in {@link Holds}. */
final class ThreadLock implements DistributedLock {
  private final LockRequest request;
  private final EngineClient client;

  ThreadLock(LockRequest request, EngineClient client) {
    this.request = request;
    this.client = client;
  }

  @Override
  public void lock() {
    client.acquireUninterruptibly(request, Thread.currentThread());
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    client.acquire(request, Thread.currentThread());
  }

  @Override
  public boolean tryLock() {
    return client.tryOnce(request, Thread.currentThread()) != null;
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    return tryFor(request.withWait(Duration.ofNanos(unit.toNanos(Math.max(0, time)))));
  }

  @Override
  public boolean tryLock(Duration wait, Duration lease) throws InterruptedException {
    return tryFor(request.withWait(wait).withLease(lease));
  }

  private boolean tryFor(LockRequest limited) throws InterruptedException {
    try {
      client.acquire(limited, Thread.currentThread());
      return true;
    } catch (LockTimeoutException e) {
      return false;
    }
  }

  @Override
  public boolean isHeldByCurrentThread() {
    return current() != null;
  }

  @Override
  public int holdCount() {
    Hold hold = current();
    return hold == null ? 0 : hold.entries();
  }

  @Override
  public Lease lease() {
    return client.threadHandle(required("lease()"));
  }

  @Override
  public void unlock() {
    Hold hold = required("unlock()");
    client.releases().exit(hold, hold.innermost());
  }

  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException("a distributed lock has no conditions");
  }

  private @Nullable Hold current() {
    return client.heldBy(request, Thread.currentThread());
  }

  private Hold required(String method) {
    Hold hold = current();
    if (hold == null) {
      throw new IllegalMonitorStateException(
          "%s: the current thread does not hold lock '%s'; if it did, its lease was lost"
              .formatted(method, request.name()));
    }
    return hold;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ThreadLock lock
        && client == lock.client
        && request.name().equals(lock.request.name())
        && request.kind() == lock.request.kind();
  }

  @Override
  public int hashCode() {
    return request.name().hashCode();
  }

  @Override
  public String toString() {
    String kind = request.kind() == LockKind.SHARED ? ", for reading" : "";
    return "DistributedLock[name=%s%s]".formatted(request.name(), kind);
  }
}
