package dev.interlock.spring;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.spring.internal.lease.LeaseScope;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The lease under which the current thread works, within a {@link Locked} method or a callback of
 * {@link LockTemplate}. Not inherited by other threads: hand the lease over. In Reactor, where work
 * changes threads, take it from the subscriber's context under {@link #CONTEXT_KEY}.
 *
 * <p>A method that runs without its own lock (its condition is false, it is a fallback, or it runs
 * unguarded) has no current lease, also if a caller works under one: a fencing token of another
 * lock must not pass for its own. {@link #of(String)} finds the caller's lease by its name.
 */
public final class CurrentLease {
  /** The key of the {@link Lease} in a Reactor context. */
  public static final Class<Lease> CONTEXT_KEY = Lease.class;

  private CurrentLease() {}

  /**
   * Returns the innermost lease of the current thread: with several names, that of the first.
   *
   * @return the lease, with the fencing token
   * @throws IllegalStateException if the thread is not under a lock
   */
  public static Lease get() {
    return find()
        .orElseThrow(() -> new IllegalStateException(
            "this thread works under no lease: the method is not @Locked, was called from its own"
                + " object, runs on another thread, or runs without its lock"));
  }

  /**
   * Returns the lease of a lock under which the current thread works, for methods with several.
   *
   * @param name the lock's name
   * @return the innermost lease of this name
   * @throws IllegalStateException if the thread is not under this lock
   */
  public static Lease of(String name) {
    return require(name, LeaseScope.leaseOf(name));
  }

  /**
   * Returns the lease of a lock under which the current thread works, for applications with several
   * clients, which may each have a lock of the same name.
   *
   * @param client whose lock it is
   * @param name the lock's name
   * @return the innermost lease of this name
   * @throws IllegalStateException if the thread is not under this lock
   */
  public static Lease of(LockClient client, String name) {
    return require(name, LeaseScope.leaseOf(client, name));
  }

  private static Lease require(String name, @Nullable Lease lease) {
    if (lease == null) {
      throw new IllegalStateException(
          "this thread works under no lease on lock '%s'".formatted(name));
    }
    return lease;
  }

  /**
   * Looks for the innermost lease of the current thread.
   *
   * @return empty if the thread is not under a lock, or the innermost method runs without its own
   */
  public static Optional<Lease> find() {
    return Optional.ofNullable(LeaseScope.currentLease());
  }
}
