package dev.interlock.tck.teststore;

import dev.interlock.tck.teststore.Wire.Event;
import dev.interlock.tck.teststore.Wire.Info;
import dev.interlock.tck.teststore.Wire.Page;
import dev.interlock.tck.teststore.Wire.Place;
import dev.interlock.tck.teststore.Wire.Request;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What operators ask. */
final class OperatorCommands {
  private static final long NO_EXPIRY = TimeUnit.DAYS.toNanos(1_000);
  private static final int INSPECTED = 191;
  private static final int TOLD_HOLDERS = 10;
  private static final int TOLD_OF_OWNER = 64;

  private final Store store;
  private final LockTable table;
  private final Grants grants;
  private final Fault fault;

  OperatorCommands(Store store, LockTable table, Grants grants, Fault fault) {
    this.store = store;
    this.table = table;
    this.grants = grants;
    this.fault = fault;
  }

  @Nullable
  Info inspect(String asked, long clientClock) {
    String name = found(asked);
    long now = table.now(clientClock);
    if (table.isSpoilt(name)) {
      return new Info("unknown", "", 0, NO_EXPIRY, 0, 0, 1, 1, new ArrayList<>());
    }
    Lock asIs = fault == Fault.INSPECT_SEES_EXPIRED ? table.asIs(name) : null;
    Lock lock = asIs == null ? grants.lock(name, now) : asIs;
    Held held = lock.held;
    if (held == null) {
      table.forget(name, lock);
      if (fault == Fault.KEEPS_INSPECTED) {
        table.keep(name);
      }
      return null;
    }
    if (fault == Fault.INSPECT_PROLONGS) {
      beginLeases(lock, now);
    }
    int waiters = fault == Fault.BLIND_INSPECT ? 0 : lock.waiters.size() + lock.queue.size();
    Info first = info(held, now, waiters);
    lock.beside.values().stream()
        .filter(other -> other.token != held.token)
        .limit(fault == Fault.INSPECT_TELLS_TEN ? TOLD_HOLDERS - 1 : Long.MAX_VALUE)
        .forEach(other -> first.others().add(beside(first, info(other, now, waiters))));
    return first;
  }

  private Info beside(Info first, Info other) {
    return switch (fault) {
      case INSPECT_TELLS_ONE_LEASE -> other.withRemaining(first.remaining());
      case INSPECT_TELLS_ONE_OWNER -> other.of(first.owner());
      default -> other;
    };
  }

  private static void beginLeases(Lock lock, long now) {
    lock.holders()
        .forEach(hold -> hold.expiresAt = Math.max(hold.expiresAt, now + hold.request.lease()));
  }

  private Info info(Held held, long now, int waiters) {
    String owner = held.told == null ? held.request.owner() : held.told;
    boolean cut = fault == Fault.INSPECT_CUTS_OWNERS && owner.length() > TOLD_OF_OWNER;
    return new Info(
        cut ? owner.substring(0, TOLD_OF_OWNER) : owner,
        held.request.host(),
        held.since,
        Math.max(0, held.expiresAt - now + held.hidden),
        held.token,
        waiters,
        held.request.units(),
        held.request.capacity(),
        new ArrayList<>());
  }

  private String found(String asked) {
    return switch (fault) {
      case INSPECT_CUTS_NAMES -> beginning(asked);
      case INSPECT_FOLDS_NAMES -> table.folded(asked);
      default -> asked;
    };
  }

  /** Those who stand in the queue, in order. */
  Place[] waiters(String name, int limit) {
    Lock lock = table.asIs(name);
    List<Request> waiting = new ArrayList<>(lock == null ? List.of() : lock.queue.waiting());
    if (fault == Fault.WAITERS_IN_REVERSE) {
      Collections.reverse(waiting);
    }
    return waiting.stream()
        .limit(limit)
        .map(one -> fault == Fault.WAITERS_HAVE_NO_UNITS
            ? new Place(one.owner(), one.host(), 1, 1)
            : new Place(one.owner(), one.host(), one.units(), one.capacity()))
        .toArray(Place[]::new);
  }

  /** Lists held locks: looks at so many names, from behind this one on. */
  Page list(String prefix, String after, int limit) {
    boolean counts = fault == Fault.LIST_BY_OFFSET;
    int told = counts && !after.isEmpty() ? Integer.parseInt(after) : 0;
    List<String> left = table.names().stream()
        .filter(name -> counts || name.compareTo(after) > 0)
        .skip(told)
        .toList();
    List<String> part = left.subList(0, Math.min(limit, left.size()));
    String next = counts ? String.valueOf(told + part.size()) : next(left, limit);
    Page page =
        new Page(new ArrayList<>(), new ArrayList<>(), part.size() < left.size() ? next : null);
    for (String name : part) {
      Lock lock = table.asIs(name);
      if (lock != null && fault != Fault.LISTS_EXPIRED) {
        lock.expire(System.nanoTime());
      }
      boolean listed = fault != Fault.LISTS_NO_PARTS || lock == null || !lock.isShared();
      if (listed && lock != null && lock.held != null && begins(name, prefix)) {
        if (fault == Fault.LIST_PROLONGS) {
          beginLeases(lock, System.nanoTime());
        }
        page.names().add(name);
        Info info = info(lock.held, System.nanoTime(), lock.waiters.size());
        page.holds().add(fault == Fault.LIST_TELLS_NO_OWNER ? info.of("") : info);
      }
    }
    boolean ends = fault == Fault.LIST_ENDS_AT_EMPTY_PAGE && page.names().isEmpty();
    return ends ? new Page(page.names(), page.holds(), null) : page;
  }

  /** From behind the last one that was looked at, or the one after it. */
  private @Nullable String next(List<String> left, int limit) {
    int last = fault == Fault.LIST_SKIPS_AT_PAGES ? limit : limit - 1;
    return last < left.size() ? left.get(last) : null;
  }

  private boolean begins(String name, String prefix) {
    return fault == Fault.LIST_PREFIX_IS_PATTERN
        ? Names.like(prefix + "%").matcher(name).matches()
        : name.startsWith(prefix);
  }

  boolean forceRelease(String name, long token, long clientClock) {
    store.requireWritable();
    if (token == 0 && table.mend(name)) {
      return true;
    }
    Lock lock = grants.lock(name, table.now(clientClock));
    lock.servesNobody = false;
    boolean ofPermits = lock.holders().anyMatch(held -> held.request.isForPermits());
    boolean together =
        fault == Fault.FORCE_ENDS_ALL || (fault == Fault.FORCE_ENDS_ALL_PERMITS && ofPermits);
    boolean all = fault == Fault.FORCES_ANYBODY
        || (fault == Fault.FORCE_ZERO_IS_ANYBODY && token == 0)
        || (together && lock.holders().anyMatch(held -> held.has(token)));
    List<Held> victims = lock.holders()
        .filter(held -> all || held.has(token) || grants.formerOwners().hadByToken(token, held))
        .limit(fault == Fault.FORCE_ENDS_ONE_ENTRY ? 1 : Long.MAX_VALUE)
        .toList();
    for (Held victim : victims) {
      lock.holders()
          .filter(held -> isToldOf(held, victim))
          .forEach(held ->
              grants.tell(held.request.client(), new Event("revoked", name, held.request.id())));
      lock.endReadingOf(victim);
      lock.end(victim);
      lock.leaveLease(victim);
      table.ended(Fault.FORCE_NOT_DURABLE, name, victim);
      if (fault == Fault.FORCE_GIVES_ONE_BACK && victim.units > 1) {
        keepAllButOne(lock, victim);
      }
    }
    if (!victims.isEmpty()) {
      if (fault == Fault.FORCE_FOLDS_NAMES) {
        table.removeFolded(name);
      }
      lock.end = Lock.End.FORCED;
      lock.isLeft = true;
      if (fault == Fault.KEEPS_FORCED) {
        table.keep(name);
      }
      lock.expiredToken = victims.get(0).token;
      boolean shared = victims.get(0).request.capacity() != 1;
      if (fault != Fault.FORCE_WAKES_NOBODY
          && !(shared && fault == Fault.SHARED_FORCE_WAKES_NOBODY)
          && !(fault == Fault.FORCE_SERVES_NO_PARTS && lock.queue.beginsWithPart())) {
        grants.hand(name, lock);
      }
    }
    table.forget(name, lock);
    return !victims.isEmpty();
  }

  private boolean isToldOf(Held held, Held victim) {
    return fault == Fault.REVOKES_ALL_OF_CLIENT
        ? held.request.client().equals(victim.request.client())
        : held == victim;
  }

  /** The second half of one that is not one step: others who came meanwhile are not there. */
  boolean forceAmong(String name, long token, long clientClock, String[] before) {
    Lock lock = table.asIs(name);
    if (lock != null && lock.holders().anyMatch(held -> held.has(token))) {
      lock.retain(List.of(before));
    }
    return forceRelease(name, token, clientClock);
  }

  /** The first half: who holds it. */
  String[] holders(String name) {
    Lock lock = table.asIs(name);
    return lock == null ? new String[0] : lock.ids();
  }

  /** Nobody's hold, which goes with the lease. */
  private static void keepAllButOne(Lock lock, Held victim) {
    Held rest = new Held(victim.request.ofNobody(), 0, 1, victim.expiresAt);
    rest.units = victim.units - 1;
    if (lock.held == null) {
      lock.held = rest;
    } else {
      lock.beside.put(rest.request.id(), rest);
    }
  }

  private static String beginning(String name) {
    return name.substring(0, Math.min(INSPECTED, name.length()));
  }
}
