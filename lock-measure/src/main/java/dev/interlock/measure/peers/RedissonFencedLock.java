package dev.interlock.measure.peers;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RFencedLock;

/**
 * Redisson's fenced lock, acquired by the methods that return the token where there are such: to
 * ask for it afterwards is a second request.
 */
final class RedissonFencedLock extends RedissonLock {
  private final RFencedLock lock;
  private final ThreadLocal<Long> token = ThreadLocal.withInitial(() -> 0L);

  RedissonFencedLock(RFencedLock lock) {
    super(lock);
    this.lock = lock;
  }

  @Override
  public void lock() {
    token.set(lock.lockAndGetToken());
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    super.lockInterruptibly();
    token.set(lock.getToken());
  }

  @Override
  public void lockInterruptibly(Duration lease) {
    entered(lock.lockAndGetToken(micros(lease), TimeUnit.MICROSECONDS));
  }

  @Override
  public boolean tryLock() {
    return entered(lock.tryLockAndGetToken());
  }

  @Override
  public boolean tryLock(Duration wait) {
    return entered(lock.tryLockAndGetToken(micros(wait), TimeUnit.MICROSECONDS));
  }

  @Override
  public boolean tryLock(Duration wait, Duration lease) {
    return entered(lock.tryLockAndGetToken(micros(wait), micros(lease), TimeUnit.MICROSECONDS));
  }

  private boolean entered(@Nullable Long given) {
    if (given == null) {
      return false;
    }
    token.set(given);
    return true;
  }

  @Override
  public long token() {
    return token.get();
  }
}
