package dev.interlock.internal.engine;

import dev.interlock.Capability;
import dev.interlock.LockKind;
import dev.interlock.LockRequest;
import dev.interlock.internal.running.Validity;
import dev.interlock.spi.Grant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who asks for which lock, on what terms: a {@link LockRequest} with every default filled in.
 *
 * @param name the lock
 * @param owner what re-enters: a thread, a text for a logical owner, or null for nobody
 * @param label names the holder towards the server
 * @param named whether the request chose this name
 * @param lease how long, in nanoseconds
 * @param renewing whether it is renewed until released
 * @param fair whether it stands in the server's queue on its own
 * @param sharedOwner whether other clients' requests of this owner may re-enter
 * @param kind what it takes of the lock
 * @param units how much of the capacity
 * @param capacity how much it says that there is
 */
record Grantee(
    String name,
    @Nullable Object owner,
    String label,
    boolean named,
    long lease,
    boolean renewing,
    boolean fair,
    boolean sharedOwner,
    LockKind kind,
    int units,
    int capacity) {
  /** A backend may keep no more than a kilobyte of it. */
  private static final int LONGEST_LABEL = 200;

  static Grantee of(LockRequest request, @Nullable Thread thread, Terms terms) {
    requireKind(request.kind(), terms);
    boolean fair = request.fairness().orElse(terms.fairByDefault());
    if (fair) {
      terms.require(Capability.FAIR, "fair(true)");
    }
    boolean exclusive = request.kind() == LockKind.EXCLUSIVE;
    boolean owned = request.kind() != LockKind.PERMITS;
    if (request.isRenewing()) {
      terms.require(
          Capability.RENEWABLE,
          request.lease().isPresent() ? "renewing()" : "a request without withLease(...)");
    }
    Optional<String> named = request.owner();
    return new Grantee(
        request.name(),
        thread != null ? thread : owned ? named.orElse(null) : null,
        named.orElseGet(Grantee::threadLabel),
        named.isPresent(),
        Validity.nanos(request.lease().orElse(terms.defaultLease())),
        request.isRenewing(),
        fair || !exclusive,
        owned && named.isPresent() && terms.has(Capability.SHARED_OWNER),
        request.kind(),
        request.units(),
        request.capacity());
  }

  static void requireKind(LockKind kind, Terms terms) {
    switch (kind) {
      case EXCLUSIVE -> {}
      case SHARED -> terms.require(Capability.SHARED, "a lock for readers");
      case PERMITS -> terms.require(Capability.PERMITS, "a semaphore");
    }
  }

  /** How long a grant of the server holds, in nanoseconds: not for longer than was asked for. */
  long leaseOf(Grant grant) {
    return Math.min(Validity.nanos(grant.lease()), lease);
  }

  /**
   * Tells whether the lock may be passed from or to this holder without the server. Not if the
   * server must know the owner, nor if a fixed lease was asked for, which always gets its full time
   * from the server. A fair one is passed on only in the order of the server's queue. Readers come
   * in together, so there is nothing to pass. A name for permits is there for those who look at the
   * server.
   */
  boolean isPassable() {
    return switch (kind) {
      case EXCLUSIVE -> renewing && !sharedOwner;
      case SHARED -> false;
      case PERMITS -> renewing && !named;
    };
  }

  /** Tells whether another one takes as much of the lock, of the same size. */
  boolean takesAsMuchAs(Grantee other) {
    return kind == other.kind && units == other.units && capacity == other.capacity;
  }

  /** Tells whether it takes part in passing without regard to those of other clients. */
  boolean isBarging() {
    return isPassable() && !fair;
  }

  /** Tells whether others may hold the lock beside it. */
  boolean isCounted() {
    return kind != LockKind.EXCLUSIVE;
  }

  /**
   * Tells whether it asks the server though others of its client are before it: a fair one, which
   * takes its place there, and a shared owner, which may hold the lock elsewhere and then need not
   * wait for anybody.
   */
  boolean asksItself() {
    return fair || sharedOwner;
  }

  private static String threadLabel() {
    Thread thread = Thread.currentThread();
    String name = thread.getName().isEmpty() ? "thread-" + thread.getId() : thread.getName();
    if (name.length() <= LONGEST_LABEL) {
      return name;
    }
    boolean halves = Character.isHighSurrogate(name.charAt(LONGEST_LABEL - 1));
    return name.substring(0, halves ? LONGEST_LABEL - 1 : LONGEST_LABEL);
  }
}
