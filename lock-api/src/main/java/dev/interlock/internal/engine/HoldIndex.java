package dev.interlock.internal.engine;

import dev.interlock.LockKind;
import dev.interlock.spi.HoldId;
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
    List<Hold> over = new ArrayList<>(counted(hold.name()));
    over.removeIf(one -> isOfSameOwner(one, hold));
    if (before != null) {
      over.add(before);
    }
    return over;
  }

  /** Takes back that a hold stands in the place of a later one, unless that one has ended. */
  void restore(Hold later, Hold overtaken) {
    exclusive.replace(later.name(), overtaken, later);
    if (later.hasEnded()) {
      exclusive.remove(later.name(), later);
      exclusive.putIfAbsent(later.name(), overtaken);
    }
  }

  private static boolean isOfSameOwner(Hold one, Hold other) {
    Object owner = one.grantee().owner();
    return owner != null && owner.equals(other.grantee().owner());
  }

  void remove(Hold hold) {
    if (hold.grantee().isCounted()) {
      counted.computeIfPresent(hold.name(), (name, holds) -> {
        holds.remove(hold);
        return holds.isEmpty() ? null : holds;
      });
    } else {
      exclusive.remove(hold.name(), hold);
    }
    removeOwner(hold); // at last: what has ended does no harm there
  }

  /** Its owner no longer has it. */
  void removeOwner(Hold hold) {
    Object owner = hold.grantee().owner();
    if (owner != null) {
      byOwner.remove(new Reentry(hold.name(), owner, hold.grantee().kind()), hold);
    }
  }

  /** The hold of this kind of an owner, if there is one, valid or not. */
  @Nullable
  Hold byOwner(String name, @Nullable Object owner, LockKind kind) {
    return owner == null ? null : byOwner.get(new Reentry(name, owner, kind));
  }

  private Set<Hold> counted(String name) {
    return counted.getOrDefault(name, Set.of());
  }

  /**
   * Finds the hold under which permits were passed to a waiter whose entry in the queue no release
   * has taken along yet, and takes that entry over.
   */
  @Nullable
  RemoteHold takeEntry(String name, HoldId heir) {
    for (Hold hold : counted(name)) {
      if (hold.remote().heirs().takeEntry(heir)) {
        return hold.remote();
      }
    }
    return null;
  }

  /**
   * Takes over the entries that a release of this hold has to remove. Of permits those that were
   * passed under other holds too, or the server would grant them to waiters that have had them.
   */
  List<HoldId> takeEntries(Hold hold) {
    List<HoldId> entries = new ArrayList<>(hold.remote().heirs().takeEntries());
    if (hold.grantee().kind() == LockKind.PERMITS) {
      entries.addAll(takeEntries(hold.name()));
    }
    return entries;
  }

  /** Takes over the entries of all to whom permits were passed. */
  List<HoldId> takeEntries(String name) {
    List<HoldId> entries = new ArrayList<>();
    for (Hold hold : counted(name)) {
      entries.addAll(hold.remote().heirs().takeEntries());
    }
    return entries;
  }

  /** The hold that excludes all others, if this client has it. */
  @Nullable
  Hold exclusive(String name) {
    return exclusive.get(name);
  }

  /** The hold that the server knows by this token, if this client has it. */
  @Nullable
  Hold byFirstToken(String name, long token) {
    Hold whole = exclusive(name);
    if (whole != null && whole.remote().firstToken() == token) {
      return whole;
    }
    return counted(name).stream()
        // While a permit is passed on, the one that has ended names the same token.
        .filter(hold -> hold.remote().firstToken() == token && hold.isValid())
        .findFirst()
        .orElse(null);
  }

  /** Nobody of this client shares anything. */
  boolean hasNoneCounted() {
    return counted.isEmpty();
  }
}
