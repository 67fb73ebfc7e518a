package dev.interlock.measure.peers;

import dev.interlock.tck.NotOfferedException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RLock;

/** Redisson's lock; times go to it in microseconds, so that it is Redisson that rounds them. */
class RedissonLock implements PeerLock {
  private final RLock lock;

  RedissonLock(RLock lock) {
    this.lock = lock;
  }

  @Override
  public void lock() {
    lock.lock();
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    lock.lockInterruptibly();
  }

  @Override
  public void lockInterruptibly(Duration lease) throws InterruptedException {
    lock.lockInterruptibly(micros(lease), TimeUnit.MICROSECONDS);
  }

  @Override
  public boolean tryLock() {
    return lock.tryLock();
  }

  @Override
  public boolean tryLock(Duration wait) throws InterruptedException {
    return lock.tryLock(micros(wait), TimeUnit.MICROSECONDS);
  }

  @Override
  public boolean tryLock(Duration wait, Duration lease) throws InterruptedException {
    return lock.tryLock(micros(wait), micros(lease), TimeUnit.MICROSECONDS);
  }

  @Override
  public void unlock() {
    lock.unlock();
  }

  @Override
  public boolean isHeldByCurrentThread() {
    return lock.isHeldByCurrentThread();
  }

  @Override
  public int holdCount() {
    return lock.getHoldCount();
  }

  @Override
  public Duration remaining() {
    return lock.isHeldByCurrentThread()
        ? Duration.ofMillis(Math.max(0, lock.remainTimeToLive()))
        : Duration.ZERO;
  }

  @Override
  public long token() {
    throw new NotOfferedException("fencing tokens");
  }

  static long micros(Duration time) {
    return TimeUnit.NANOSECONDS.toMicros(time.toNanos());
  }
}
