package dev.interlock.spring;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * Locks for Spring Integration, on any provider. The key's text is the lock's name. Locks are
 * renewed until unlocked, so nothing has to be renewed by hand and nothing expires unused.
 * Thread-safe.
 */
public final class InterlockLockRegistry implements RenewableLockRegistry<DistributedLock> {
  private static final Duration WITHOUT_LIMIT = Duration.ofDays(365);

  private final LockClient client;

  /**
   * Creates a registry.
   *
   * @param client stays the caller's
   */
  public InterlockLockRegistry(LockClient client) {
    this.client = client;
  }

  /**
   * Returns the lock of a key. Does no I/O.
   *
   * @param key not null; its text is the name
   * @return the current thread's lock
   */
  @Override
  public DistributedLock obtain(Object key) {
    return new Adapter(client.lock(key.toString()));
  }

  /**
   * Checks that the lock is still held; the client renews it by itself.
   *
   * @throws IllegalStateException if the current thread does not hold it
   */
  @Override
  public void renewLock(Object key) {
    lease(key).ensureValid();
  }

  /**
   * Makes the lock last for at least this long from now.
   *
   * @throws IllegalStateException if the current thread does not hold it
   */
  @Override
  public void renewLock(Object key, Duration ttl) {
    if (!lease(key).extend(ttl)) {
      throw new IllegalStateException("lock '%s' was lost".formatted(key));
    }
  }

  private Lease lease(Object key) {
    try {
      return client.lock(key.toString()).lease();
    } catch (IllegalMonitorStateException e) {
      throw new IllegalStateException(
          "the current thread does not hold lock '%s'".formatted(key), e);
    }
  }

  private record Adapter(dev.interlock.DistributedLock held) implements DistributedLock {

    @Override
    public void lock(Duration ttl) {
      boolean interrupted = false;
      try {
        while (true) {
          try {
            if (held.tryLock(WITHOUT_LIMIT, ttl)) {
              return;
            }
          } catch (InterruptedException e) {
            interrupted = true; // the contract of lock(): acquires, and tells afterwards
          }
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    @Override
    public boolean tryLock(Duration wait, Duration ttl) throws InterruptedException {
      return held.tryLock(wait, ttl);
    }

    @Override
    public void lock() {
      held.lock();
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
      held.lockInterruptibly();
    }

    @Override
    public boolean tryLock() {
      return held.tryLock();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
      return held.tryLock(time, unit);
    }

    @Override
    public void unlock() {
      held.unlock();
    }

    @Override
    public Condition newCondition() {
      return held.newCondition();
    }
  }
}
