package dev.interlock.spring;

import dev.interlock.CommonOptions;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spring.internal.lease.LockGate;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.util.Assert;

/**
 * Locks for Spring Integration, on any provider. The key's text is the lock's name. Thread-safe.
 *
 * <p>A lock belongs to the thread that locked it, and is re-entrant by it. It is renewed until it
 * is unlocked, unless it was locked with a time to live. {@code unlock()} throws
 * {@link IllegalMonitorStateException} where the thread does not hold the lock, and
 * {@link java.util.ConcurrentModificationException} where it has lost the lock, so that others may
 * have been at work; of nested entries each one does. Other exceptions are those of the client,
 * {@link dev.interlock.LockException}.
 *
 * <p>All objects of a key are equal, and while a thread holds the lock or waits for it, it has one
 * object. Idle locks are not kept, so there is no limit to how many keys are used.
 */
public final class InterlockLockRegistry
    implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {

  /** Changed within {@link ConcurrentHashMap#compute} only; gone when it has no threads. */
  private record Use(RegistryLock lock, Map<Thread, ThreadEntries> threads) {}

  private final LockClient client;
  private final Duration renewal;
  private final ConcurrentHashMap<String, Use> uses = new ConcurrentHashMap<>();

  /**
   * Creates a registry whose {@link #renewLock(Object)} gives 30 s.
   *
   * @param client stays the caller's
   */
  public InterlockLockRegistry(LockClient client) {
    this(client, CommonOptions.LEASE.defaultValue().orElseThrow());
  }

  /**
   * Creates a registry.
   *
   * @param client stays the caller's
   * @param renewal how long a lock lasts at the least after {@link #renewLock(Object)}, from 10 ms
   *     to 365 days; best the client's default lease
   * @throws IllegalArgumentException if {@code renewal} is out of range
   */
  public InterlockLockRegistry(LockClient client, Duration renewal) {
    this.client = client;
    this.renewal = LockRequest.requireLease(renewal);
  }

  /**
   * Returns the lock of a key. Does no I/O.
   *
   * @param key what has the same text wherever it is the same; at most 1,024 bytes in UTF-8
   * @return the lock, which stays usable for as long as the client is open
   * @throws IllegalArgumentException if the key has no such text: {@code null}, an empty one, an
   *     array, or an object with neither text nor hash code of its own
   */
  @Override
  public DistributedLock obtain(Object key) {
    String name = nameOf(key);
    Use use = uses.get(name);
    return use == null ? new RegistryLock(this, name, client.lock(name)) : use.lock();
  }

  /**
   * Makes the lock last for at least this registry's renewal from now. A lock without a time to
   * live is renewed by the client, and needs this for certainty only. Asks the server.
   *
   * @throws IllegalMonitorStateException if the current thread does not hold it
   * @throws IllegalStateException if the current thread has lost it
   */
  @Override
  public void renewLock(Object key) {
    renewLock(key, renewal);
  }

  /**
   * Makes the lock last for at least this long from now; never shortens it. Asks the server.
   *
   * @param ttl from 10 ms to 365 days
   * @throws IllegalMonitorStateException if the current thread does not hold it
   * @throws IllegalStateException if the current thread has lost it
   */
  @Override
  public void renewLock(Object key, Duration ttl) {
    String name = nameOf(key);
    ThreadEntries entries = entries(name);
    boolean held = entries == null ? client.lock(name).lease().extend(ttl) : entries.extend(ttl);
    if (!held) {
      throw new IllegalStateException("lock '%s' cannot be renewed: it was lost".formatted(name));
    }
  }

  /**
   * Forgets threads that ended without unlocking. Idle locks are not kept in the first place, so
   * nobody needs to call this.
   *
   * @param age has no effect
   */
  @Override
  public void expireUnusedOlderThan(long age) {
    for (String name : uses.keySet()) {
      uses.computeIfPresent(name, (same, use) -> {
        use.threads().keySet().removeIf(thread -> !thread.isAlive());
        return use.threads().isEmpty() ? null : use;
      });
    }
  }

  /** What the current thread has done with a lock; null if nothing is left of it. */
  @Nullable
  ThreadEntries entries(String name) {
    Use use = uses.get(name);
    return use == null ? null : use.threads().get(Thread.currentThread());
  }

  /** The current thread is about to lock. */
  ThreadEntries begin(RegistryLock lock) {
    ThreadEntries[] entries = new ThreadEntries[1];
    uses.compute(lock.name(), (name, present) -> {
      Use use = present == null ? new Use(lock, new ConcurrentHashMap<>()) : present;
      entries[0] =
          use.threads().computeIfAbsent(Thread.currentThread(), thread -> lock.newEntries());
      return use;
    });
    return entries[0];
  }

  /** The current thread has nothing to do with a lock any more. */
  void end(String name) {
    uses.computeIfPresent(name, (same, use) -> {
      use.threads().remove(Thread.currentThread());
      return use.threads().isEmpty() ? null : use;
    });
  }

  private static String nameOf(Object key) {
    Assert.notNull(key, "the key of a lock is null");
    String name = key.toString();
    if (!(key instanceof String) && name.equals(identityOf(key))) {
      throw new IllegalArgumentException(
          "a key of type %s has no text of its own, so it would be another lock in each JVM"
              .formatted(key.getClass().getName()));
    }
    return name;
  }

  /** The text of an object that has neither text nor hash code of its own. */
  private static String identityOf(Object key) {
    return key.getClass().getName() + '@' + Integer.toHexString(System.identityHashCode(key));
  }

  @Override
  public String toString() {
    return "InterlockLockRegistry[client=%s, inUse=%d]".formatted(client, uses.size());
  }

  /** Whether the thread holds the lock by an annotated method, a template or a transaction. */
  boolean waitsForItself(String name) {
    return LockGate.waitsForItself(client, LockRequest.of(name));
  }
}
