package dev.interlock.compare.peers;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.measure.peers.PeerLock;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** A library's lock as its calling threads use it. */
final class PeerLockView implements DistributedLock {
  private final String name;
  private final PeerLock lock;

  PeerLockView(String name, PeerLock lock) {
    this.name = name;
    this.lock = lock;
  }

  @Override
  public void lock() {
    run(() -> {
      lock.lock();
      return true;
    });
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    PeerErrors.call(() -> {
      lock.lockInterruptibly();
      return true;
    });
  }

  @Override
  public boolean tryLock() {
    return run(lock::tryLock);
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    return PeerErrors.call(() -> lock.tryLock(Duration.of(time, unit.toChronoUnit())));
  }

  @Override
  public boolean tryLock(Duration wait, Duration lease) throws InterruptedException {
    return PeerErrors.call(() -> lock.tryLock(wait, lease));
  }

  @Override
  public void unlock() {
    run(() -> {
      lock.unlock();
      return true;
    });
  }

  @Override
  public boolean isHeldByCurrentThread() {
    return run(lock::isHeldByCurrentThread);
  }

  @Override
  public int holdCount() {
    return run(lock::holdCount);
  }

  @Override
  public Lease lease() {
    return new PeerLease(name, lock, Caller.DIRECT, () -> {});
  }

  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException("a distributed lock has no conditions");
  }

  private static <T> T run(Callable<T> call) {
    return PeerErrors.callUninterruptibly(call);
  }
}
