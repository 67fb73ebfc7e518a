package dev.interlock.spring.internal.lease;

import dev.interlock.LockClient;
import dev.interlock.LockKind;
import dev.interlock.LockRequest;

/**
 * What a thread holds of a lock: all of it, a reader's part, or permits.
 *
 * @param client whose lock it is; another client may have one of the same name
 * @param request what it was asked for with
 */
record HeldPart(LockClient client, LockRequest request) {

  /** What a part means for a further request of the same thread. In the order of severity. */
  enum Effect {
    NONE,
    /**
     * It may be granted beside the part. A wait might not end, for who is in front may wait for the
     * part.
     */
    ONCE,
    /** Its owner reads and would write: it would wait for itself, unless it writes already. */
    UPGRADE,
    /** It would wait for its own thread. */
    NEVER;

    Effect and(Effect other) {
      return compareTo(other) >= 0 ? this : other;
    }
  }

  boolean isOf(LockClient other, String name) {
    return client == other && request.name().equals(name);
  }

  Effect on(LockClient other, LockRequest further) {
    if (!isOf(other, further.name())) {
      return Effect.NONE;
    }
    boolean permits = isPermits(request);
    if (permits || isPermits(further)) {
      return permits && isPermits(further) ? Effect.ONCE : Effect.NEVER;
    }
    if (request.owner().isPresent() && request.owner().equals(further.owner())) {
      return request.kind() == LockKind.SHARED && further.kind() == LockKind.EXCLUSIVE
          ? Effect.UPGRADE
          : Effect.NONE;
    }
    boolean readers = request.kind() == LockKind.SHARED && further.kind() == LockKind.SHARED;
    return readers ? Effect.ONCE : Effect.NEVER;
  }

  /** Whether the owner of a further request holds all of the lock by it. */
  boolean writesFor(LockClient other, LockRequest further) {
    return isOf(other, further.name())
        && request.kind() == LockKind.EXCLUSIVE
        && request.owner().equals(further.owner());
  }

  /** Whether a nested call of the same thread may enter it again: to write, or to read only. */
  boolean admits(LockClient other, LockRequest nested) {
    return isOf(other, nested.name())
        && request.kind() == LockKind.EXCLUSIVE
        && !isPermits(nested)
        && request.owner().isEmpty()
        && nested.owner().isEmpty();
  }

  /** Whether what another request takes is protected as long as this part is held. */
  boolean covers(LockClient other, LockRequest further) {
    return isOf(other, further.name())
        && (request.kind() == LockKind.EXCLUSIVE || further.kind() == LockKind.SHARED)
        && (request.isRenewing() || !further.isRenewing());
  }

  private static boolean isPermits(LockRequest request) {
    return request.kind() == LockKind.PERMITS;
  }
}
