package dev.interlock.spring;

import dev.interlock.Lease;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The lease under which the current thread works, within a {@link Locked} method or a callback of
 * {@link LockTemplate}. Not inherited by other threads: hand the lease over. In Reactor, where work
 * changes threads, take it from the subscriber's context under {@link #CONTEXT_KEY}.
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
                + " object, or runs on another thread"));
  }

  /**
   * Returns the lease of a lock under which the current thread works, for methods with several.
   *
   * @param name the lock's name
   * @return the innermost lease of this name
   * @throws IllegalStateException if the thread is not under this lock
   */
  public static Lease of(String name) {
    for (LeaseScope scope = LeaseScope.current(); scope != null; scope = scope.outer()) {
      if (scope.lease().name().equals(name)) {
        return scope.lease();
      }
    }
    throw new IllegalStateException(
        "this thread works under no lease on lock '%s'".formatted(name));
  }

  /**
   * Looks for the innermost lease of the current thread.
   *
   * @return empty if the thread is not under a lock
   */
  public static Optional<Lease> find() {
    @Nullable LeaseScope scope = LeaseScope.current();
    return scope == null ? Optional.empty() : Optional.of(scope.lease());
  }
}
