package dev.interlock.tck.internal.history;

import org.jspecify.annotations.Nullable;

/**
 * What a lock is, in sequence: an owner-aware, re-entrant, fenced mutex.
 *
 * @param owner who holds it; null when it is free
 * @param entries how often the owner has entered
 * @param token the largest token that was given
 */
record Mutex(@Nullable String owner, int entries, long token) {
  static final Mutex FREE = new Mutex(null, 0, Long.MIN_VALUE);

  /** Returns the state after this operation, or null if it cannot happen now. */
  @Nullable
  Mutex after(Operation operation) {
    boolean mine = operation.owner().equals(owner);
    return switch (operation.kind()) {
      case ACQUIRED -> acquired(operation, mine);
      case REFUSED -> owner != null && !mine ? this : null;
      case RELEASED -> {
        if (!mine) {
          yield null;
        }
        yield entries == 1 ? new Mutex(null, 0, token) : new Mutex(owner, entries - 1, token);
      }
    };
  }

  private @Nullable Mutex acquired(Operation operation, boolean mine) {
    boolean fenced = operation.token() != 0;
    if (owner == null) {
      boolean grown = !fenced || operation.token() > token;
      return grown ? new Mutex(operation.owner(), 1, fenced ? operation.token() : token) : null;
    }
    boolean kept = !fenced || operation.token() == token;
    return mine && kept ? new Mutex(owner, entries + 1, token) : null;
  }
}
