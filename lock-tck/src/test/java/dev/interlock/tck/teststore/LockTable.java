package dev.interlock.tck.teststore;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The locks that are held or waited for, found by name, and what is kept of other names. */
final class LockTable {
  private static final int MOST_HELD = 500;
  private static final int MOST_SHARED = 100;
  private static final int MOST_AWAITED = 150;

  private final Fault fault;
  private final Map<String, Lock> locks = new HashMap<>();
  private final Set<String> everUsed = ConcurrentHashMap.newKeySet();
  private final Map<String, Held> ended = new HashMap<>();
  private final Map<String, FairQueue> queues = new HashMap<>();
  private final Set<String> spoilt = ConcurrentHashMap.newKeySet();
  private final Sessions sessions;

  LockTable(Fault fault) {
    this.fault = fault;
    this.sessions = new Sessions(fault);
  }

  void clear() {
    locks.clear();
  }

  boolean isEmpty() {
    return locks.isEmpty();
  }

  void spoil(String name) {
    locks.remove(key(name));
    spoilt.add(key(name));
  }

  boolean isSpoilt(String name) {
    return spoilt.contains(key(name));
  }

  /** Answers whether it was spoilt. */
  boolean mend(String name) {
    return spoilt.remove(key(name));
  }

  void joined(String client) {
    if (fault == Fault.KEEPS_CLIENTS) {
      keep("client " + client);
    }
    sessions.joined(client);
  }

  void left(String client) {
    sessions.left(client);
    if (fault == Fault.FREES_ON_DISCONNECT) {
      locks
          .values()
          .removeIf(lock -> lock.held != null && lock.held.request.client().equals(client));
    }
    if (fault == Fault.OWNERS_END_ON_DISCONNECT) {
      locks
          .values()
          .forEach(lock -> lock.holders()
              .filter(hold -> hold.request.shared() && hold.request.client().equals(client))
              .toList()
              .forEach(lock::end));
    }
  }

  /** Ends all that a client holds, for a fault. */
  void endAllOf(String client) {
    locks
        .values()
        .forEach(lock -> lock.holders()
            .filter(hold -> hold.request.client().equals(client))
            .toList()
            .forEach(lock::end));
  }

  /** Loses what was done without being kept, for a fault. */
  void crash() {
    switch (fault) {
      case ORDER_NOT_DURABLE -> reverseQueues();
      case DEPARTURES_NOT_DURABLE ->
        locks.values().forEach(lock -> lock.queue.undoDepartures(System.nanoTime()));
      case RENEWALS_NOT_DURABLE -> undoRenewals(hold -> true);
      case PART_RENEWALS_NOT_DURABLE -> undoRenewals(hold -> hold.request.capacity() != 1);
      case HAND_OFFS_NOT_DURABLE ->
        locks
            .values()
            .forEach(lock ->
                lock.holders().filter(hold -> hold.isHandedOver).toList().forEach(lock::end));
      case FORCE_NOT_DURABLE, ABANDON_NOT_DURABLE, PART_RELEASES_NOT_DURABLE ->
        ended.forEach((name, hold) -> {
          Lock lock = known(name);
          lock.held = lock.held == null ? hold : lock.held;
        });
      case UNITS_NOT_DURABLE -> holds().forEach(hold -> hold.units = 1);
      case CAPACITY_NOT_DURABLE -> holds().forEach(hold -> hold.capacity = Integer.MAX_VALUE);
      case TOKEN_NOT_DURABLE -> holds().forEach(hold -> hold.token--);
      case OWNERS_NOT_DURABLE -> holds().forEach(hold -> hold.isOwnerLost = true);
      case RESTART_HALVES_LEASES -> {
        long now = System.nanoTime();
        holds().forEach(hold -> hold.expiresAt = now + (hold.expiresAt - now) / 2);
      }
      case RESTART_RENEWS_LEASES -> {
        long now = System.nanoTime();
        holds().forEach(hold -> hold.expiresAt = now + hold.request.lease());
      }
      case RAISES_NOT_DURABLE, RESERVATIONS_NOT_DURABLE -> {
        // The locks are.
      }
      default -> clear();
    }
  }

  /** Notes a hold that ends, if a restart is to bring it back. */
  void ended(Fault how, String name, Held hold) {
    if (fault == how) {
      ended.put(name, hold);
    }
  }

  /** The names of all locks that are known, in one order. */
  List<String> names() {
    return locks.keySet().stream().sorted().toList();
  }

  /** The known name that is the same without regard to case; the name itself if there is none. */
  String folded(String name) {
    return names().stream().filter(name::equalsIgnoreCase).findFirst().orElse(name);
  }

  /** Removes all whose names are the same without regard to case. */
  void removeFolded(String name) {
    locks.keySet().removeIf(other -> other.equalsIgnoreCase(name) && !other.equals(name));
  }

  private FairQueue queue(String key) {
    return fault == Fault.QUEUES_FOLD_NAMES
        ? queues.computeIfAbsent(key.toLowerCase(Locale.ROOT), folded -> new FairQueue(fault))
        : new FairQueue(fault);
  }

  private void reverseQueues() {
    locks.values().forEach(lock -> lock.queue.reverse());
  }

  private Stream<Held> holds() {
    return locks.values().stream().flatMap(Lock::holders);
  }

  /** Lets leases end as they were granted. */
  private void undoRenewals(Predicate<Held> which) {
    holds().filter(which).forEach(hold -> hold.expiresAt = Math.min(hold.expiresAt, hold.granted));
  }

  /** Counts what is kept. What has expired and is wanted by nobody goes, as by a time to live. */
  long entries() {
    if (fault != Fault.KEEPS_EXPIRED) {
      long now = System.nanoTime();
      locks.values().stream()
          .filter(lock -> fault != Fault.KEEPS_EXPIRED_PARTS || !lock.isShared())
          .filter(lock ->
              fault != Fault.KEEPS_EXTENDED || lock.holders().noneMatch(hold -> hold.renewals > 0))
          .toList()
          .forEach(lock -> lock.expire(now));
      locks.values().removeIf(lock -> lock.held == null && !lock.isAwaited());
    }
    return (long) locks.size() + everUsed.size();
  }

  /** Keeps something of a name for ever. */
  void keep(String name) {
    everUsed.add(name);
  }

  /** The clock by which leases end. */
  long now(long clientClock) {
    return fault == Fault.CLIENT_CLOCK
        ? TimeUnit.MILLISECONDS.toNanos(clientClock)
        : System.nanoTime();
  }

  /** Finds a lock as it is, with what has expired. */
  @Nullable
  Lock asIs(String name) {
    return locks.get(key(name));
  }

  /** Finds or makes it. */
  Lock known(String name) {
    if (fault == Fault.KEEPS_NAMES) {
      keep(name);
    }
    if (isSpoilt(name)) {
      throw new IllegalStateException("the lock is spoilt");
    }
    Lock lock = locks.computeIfAbsent(key(name), key -> new Lock(fault, queue(key)));
    if (fault == Fault.SESSIONS_END || fault == Fault.SESSIONS_END_LATE) {
      long now = System.nanoTime();
      lock.holders()
          .filter(hold -> sessions.isOver(hold.request.client(), now))
          .toList()
          .forEach(lock::end);
    }
    return lock;
  }

  /** Prolongs a hold that nobody has looked at since its lease was over, for a fault. */
  void revive(String name, String id, long lease) {
    Lock lock = asIs(name);
    Held own = lock == null ? null : lock.holdOf(id);
    if (own != null) {
      own.expiresAt = Math.max(own.expiresAt, System.nanoTime() + lease);
    }
  }

  boolean isExpired(String name, long now) {
    Lock lock = asIs(name);
    return lock != null && lock.held != null && lock.held.expiresAt - now <= 0;
  }

  void remove(String name) {
    locks.remove(key(name));
  }

  /** Forgets it if nothing is left to know. */
  void forget(String name, Lock lock) {
    if (lock.held == null && !lock.isAwaited() && !lock.isRemembered()) {
      remove(name);
    }
  }

  void endFirstOfThree(String client) {
    List<Lock> held = locks.values().stream()
        .filter(lock -> lock.held != null && lock.held.request.client().equals(client))
        .sorted(Comparator.comparingLong(lock -> lock.held == null ? 0 : lock.held.token))
        .toList();
    if (held.size() > 1) {
      held.get(0).leave();
    }
  }

  /** Makes room as a cache does, for a fault. */
  void makeRoom(Wire.Request request) {
    if (fault == Fault.EVICTS_NAMES) {
      evict(request.name(), lock -> true, MOST_HELD);
    } else if (fault == Fault.EVICTS_PARTS && request.capacity() != 1) {
      evict(request.name(), Lock::isShared, MOST_SHARED);
    }
  }

  private void evict(String name, Predicate<Lock> which, int most) {
    List<String> oldest = locks.entrySet().stream()
        .filter(lock -> lock.getValue().held != null && which.test(lock.getValue()))
        .filter(lock -> !lock.getKey().equals(name))
        .sorted(Comparator.comparingLong(lock -> lock.getValue().firstToken()))
        .map(Map.Entry::getKey)
        .toList();
    oldest.subList(0, Math.max(0, oldest.size() - most)).forEach(locks::remove);
  }

  /** Whether nobody but this client waits for a lock whose holder's lease is over. */
  boolean isAwaitedOnlyBy(Wire.Request request) {
    Lock lock = asIs(request.name());
    return lock != null
        && !lock.queue.isEmpty()
        && lock.queue.waiting().stream().allMatch(one -> one.client().equals(request.client()));
  }

  /** Whether one more lock may be awaited by its client, for a fault. */
  boolean mayAwait(Wire.Request request) {
    return locks.values().stream()
            .filter(lock -> lock.isAwaitedBy(request.client()))
            .count()
        < MOST_AWAITED;
  }

  boolean hasNoRoom() {
    return locks.values().stream().filter(lock -> lock.held != null).count() >= MOST_HELD;
  }

  private String key(String name) {
    if (fault == Fault.PARTS_FOLD_NAMES) {
      return locks.keySet().stream()
          .filter(other -> other.equalsIgnoreCase(name) && isShared(other))
          .findFirst()
          .orElse(name);
    }
    return Names.key(fault, name, locks.keySet());
  }

  private boolean isShared(String key) {
    Lock lock = locks.get(key);
    return lock != null && lock.isShared();
  }
}
