package dev.interlock.spring;

import dev.interlock.LockException;
import dev.interlock.spi.Uninterruptibly;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;

/** A lock as users of Spring Integration know it. Which thread holds it is in the registry. */
final class RegistryLock implements DistributedLock {
  private static final Duration WITHOUT_LIMIT = Duration.ofDays(365);

  private interface Attempt<E extends Exception> {
    boolean make() throws E;
  }

  private final InterlockLockRegistry registry;
  private final String name;
  private final dev.interlock.DistributedLock lock;

  RegistryLock(InterlockLockRegistry registry, String name, dev.interlock.DistributedLock lock) {
    this.registry = registry;
    this.name = name;
    this.lock = lock;
  }

  String name() {
    return name;
  }

  /** Begins to count what the current thread does with it. */
  ThreadEntries newEntries() {
    return new ThreadEntries(name, lock);
  }

  @Override
  public void lock() {
    requireEntered(enter(() -> {
      lock.lock();
      return true;
    }));
  }

  @Override
  public void lock(Duration ttl) {
    requireEntered(enter(() -> lockUninterruptibly(ttl)));
  }

  private boolean lockUninterruptibly(Duration ttl) {
    return Uninterruptibly.await(() -> {
      boolean locked = false;
      while (!locked) {
        locked = lock.tryLock(WITHOUT_LIMIT, ttl);
      }
      return true;
    });
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    requireEntered(enter(() -> {
      lock.lockInterruptibly();
      return true;
    }));
  }

  @Override
  public boolean tryLock() {
    return enter(lock::tryLock);
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    return enter(() -> lock.tryLock(time, unit));
  }

  @Override
  public boolean tryLock(Duration wait, Duration ttl) throws InterruptedException {
    Duration atMost = wait.isNegative() ? Duration.ZERO : wait;
    return enter(() -> lock.tryLock(atMost, ttl));
  }

  /** Answers false also where the current thread would wait for itself. */
  private <E extends Exception> boolean enter(Attempt<E> attempt) throws E {
    if (registry.waitsForItself(name)) {
      return false;
    }
    ThreadEntries entries = registry.begin(this);
    boolean entered = false;
    try {
      entered = attempt.make();
      return entered;
    } finally {
      if (entered) {
        entries.entered();
      } else {
        entries.refused();
      }
      endIfOver(entries);
    }
  }

  private void requireEntered(boolean entered) {
    if (!entered) {
      throw new LockException(
          "this thread works under a lease on lock '%s', by @Locked or a LockTemplate: it would wait for itself"
              .formatted(name));
    }
  }

  @Override
  public void unlock() {
    ThreadEntries entries = registry.entries(name);
    if (entries == null) {
      throw new IllegalMonitorStateException(
          "the current thread does not own lock '%s'".formatted(name));
    }
    try {
      entries.exit();
    } finally {
      endIfOver(entries);
    }
  }

  private void endIfOver(ThreadEntries entries) {
    if (entries.isOver()) {
      registry.end(name);
    }
  }

  @Override
  public Condition newCondition() {
    return lock.newCondition();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RegistryLock that
        && registry == that.registry
        && name.equals(that.name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }

  @Override
  public String toString() {
    return "InterlockLock[name=%s]".formatted(name);
  }
}
