package dev.interlock.internal.engine;

import dev.interlock.LockKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The holds of this client by lock and by owner. Thread-safe. */
final class HoldIndex {
  private record Reentry(String name, Object owner, LockKind kind) {}

  // Of several holds of one shared owner the last one.
  private final ConcurrentHashMap<String, Hold> exclusive = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Set<Hold>> counted = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Reentry, Hold> byOwner = new ConcurrentHashMap<>();

  /** Adds a hold, and returns those beside which the server would not have granted it. */
  List<Hold> add(Hold hold) {
    Object owner = hold.grantee().owner();
    if (owner != null) {
      byOwner.put(new Reentry(hold.name(), owner, hold.grantee().kind()), hold);
    }
    if (hold.grantee().isCounted()) {
      counted.compute(hold.name(), (name, holds) -> {
        Set<Hold> all = holds == null ? ConcurrentHashMap.newKeySet() : holds;
        all.add(hold);
        return all;
      });
      Hold before = exclusive.get(hold.name());
      return before == null || isOfSameOwner(before, hold) ? List.of() : List.of(before);
    }
    Hold before = exclusive.put(hold.name(), hold);
    if (counted.isEmpty()) {
      return before == null ? List.of() : List.of(before);
    }
    List<Hold> over = new ArrayList<>(counted.getOrDefault(hold.name(), Set.of()));
    over.removeIf(one -> isOfSameOwner(one, hold));
    if (before != null) {
      over.add(before);
    }
    return over;
  }

  private static boolean isOfSameOwner(Hold one, Hold other) {
    Object owner = one.grantee().owner();
    return owner != null && owner.equals(other.grantee().owner());
  }

  void remove(Hold hold) {
    removeOwner(hold);
    if (hold.grantee().isCounted()) {
      counted.computeIfPresent(hold.name(), (name, holds) -> {
        holds.remove(hold);
        return holds.isEmpty() ? null : holds;
      });
    } else {
      exclusive.remove(hold.name(), hold);
    }
  }

  /** Its owner no longer has it. */
  void removeOwner(Hold hold) {
    Object owner = hold.grantee().owner();
    if (owner != null) {
      byOwner.remove(new Reentry(hold.name(), owner, hold.grantee().kind()), hold);
    }
  }

  /** The valid hold of this kind of an owner, if there is one. */
  @Nullable
  Hold heldBy(String name, @Nullable Object owner, LockKind kind) {
    Hold hold = owner == null ? null : byOwner.get(new Reentry(name, owner, kind));
    return hold != null && hold.isValid() ? hold : null;
  }

  /** The hold that excludes all others, if this client has it. */
  @Nullable
  Hold exclusive(String name) {
    return exclusive.get(name);
  }

  /** Nobody of this client shares anything. */
  boolean hasNoneCounted() {
    return counted.isEmpty();
  }
}
