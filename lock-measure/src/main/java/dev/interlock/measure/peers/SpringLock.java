package dev.interlock.measure.peers;

import dev.interlock.tck.NotOfferedException;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * Spring Integration's lock. It does not tell how long a hold lasts; that is reckoned from before
 * the call, and so certainly not too late.
 */
final class SpringLock implements PeerLock {
  private static final Duration RENEWED = Duration.ofMinutes(1);

  /** A thread's hold, as far as it can know. */
  private record Held(int entries, long until) {}

  private final DistributedLock lock;
  private final Duration defaultLease;
  private final boolean renewed;
  private final ThreadLocal<Held> held = ThreadLocal.withInitial(() -> new Held(0, 0));

  /**
   * Wraps a lock.
   *
   * @param defaultLease the registry's setting
   * @param renewed whether the registry renews
   */
  SpringLock(DistributedLock lock, Duration defaultLease, boolean renewed) {
    this.lock = lock;
    this.defaultLease = defaultLease;
    this.renewed = renewed;
  }

  @Override
  public void lock() {
    long called = System.nanoTime();
    lock.lock();
    enter(called, defaultLease);
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    long called = System.nanoTime();
    lock.lockInterruptibly();
    enter(called, defaultLease);
  }

  /** There is no interruptible method with a lease. */
  @Override
  public void lockInterruptibly(Duration lease) {
    long called = System.nanoTime();
    lock.lock(lease);
    enter(called, lease);
  }

  @Override
  public boolean tryLock() {
    long called = System.nanoTime();
    return lock.tryLock() && enter(called, defaultLease);
  }

  @Override
  public boolean tryLock(Duration wait) throws InterruptedException {
    long called = System.nanoTime();
    return lock.tryLock(wait.toNanos(), TimeUnit.NANOSECONDS) && enter(called, defaultLease);
  }

  @Override
  public boolean tryLock(Duration wait, Duration lease) throws InterruptedException {
    long called = System.nanoTime();
    return lock.tryLock(wait, lease) && enter(called, lease);
  }

  private boolean enter(long called, Duration lease) {
    Held before = held.get();
    long until = called + lease.toNanos();
    boolean longer = before.entries() == 0 || until - before.until() > 0;
    held.set(new Held(before.entries() + 1, longer ? until : before.until()));
    return true;
  }

  @Override
  public void unlock() {
    try {
      lock.unlock();
    } catch (ConcurrentModificationException e) {
      leave();
      throw notHeld(e);
    } catch (IllegalMonitorStateException e) {
      throw e;
    } catch (IllegalStateException e) {
      // So says the registry on Redis of a thread that does not hold.
      if (String.valueOf(e.getMessage()).startsWith("You do not own lock")) {
        throw notHeld(e);
      }
      throw e;
    }
    leave();
  }

  private void leave() {
    Held before = held.get();
    held.set(new Held(Math.max(0, before.entries() - 1), before.until()));
  }

  private static IllegalMonitorStateException notHeld(RuntimeException cause) {
    IllegalMonitorStateException notHeld = new IllegalMonitorStateException(cause.getMessage());
    notHeld.initCause(cause);
    return notHeld;
  }

  @Override
  public boolean isHeldByCurrentThread() {
    throw new NotOfferedException("isHeldByCurrentThread");
  }

  @Override
  public int holdCount() {
    throw new NotOfferedException("holdCount");
  }

  @Override
  public Duration remaining() {
    Held now = held.get();
    if (now.entries() == 0) {
      return Duration.ZERO;
    }
    return renewed ? RENEWED : Duration.ofNanos(Math.max(0, now.until() - System.nanoTime()));
  }

  @Override
  public long token() {
    throw new NotOfferedException("fencing tokens");
  }
}
