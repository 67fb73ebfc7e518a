package dev.interlock.tck.teststore;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A lock that is held or waited for in the {@link Store}. Not thread-safe. */
final class Lock {
  /** How a hold ended. */
  enum End {
    NONE,
    EXPIRED,
    FORCED,
    ABANDONED
  }

  private static final int MOST_HOLDERS = 64;
  private static final int HALF = 16;

  @Nullable
  Held held;
  // Further holds, of the holder's shared owner and of those who share the lock, by attempt.
  final Map<String, Held> beside = new LinkedHashMap<>();
  // Attempt and client of those who want to be woken.
  final Map<String, String> waiters = new LinkedHashMap<>();
  // When they last said so, for a fault.
  final Map<String, Long> noted = new HashMap<>();
  final FairQueue queue;
  // How the last hold ended, and the token of one that expired: for faults that depend on it.
  End end = End.NONE;
  long expiredToken;

  @Nullable
  Held expired;

  long lastToken;
  // What a fault keeps of a semaphore, and of the lease of a hold that has ended.
  int leastSize = Integer.MAX_VALUE;
  long leftUntil;
  // Freed by a release that has yet to serve the queue.
  boolean isUnserved;

  // Whether those in the queue are left to wait until the next release, for a fault.
  boolean servesNobody;

  // Who had it last, for a fault.
  String lastOwner = "";
  // Those who held it beside others until their leases were over, for a fault.
  final Map<String, Held> expiredParts = new LinkedHashMap<>();

  private final Fault fault;

  Lock(Fault fault, FairQueue queue) {
    this.fault = fault;
    this.queue = queue;
  }

  @Nullable
  Held holdOf(String id) {
    Held first = held;
    return first != null && first.request.id().equals(id) ? first : beside.get(id);
  }

  /** The same request by the id of a hold that has half of its id, if there is one. */
  Wire.Request alike(Wire.Request request) {
    return holders()
        .map(hold -> hold.request.id())
        .filter(id -> id.substring(HALF).equals(request.id().substring(HALF)))
        .findFirst()
        .map(request::by)
        .orElse(request);
  }

  /** All who hold it, the first one first. */
  Stream<Held> holders() {
    return Stream.concat(Stream.ofNullable(held), beside.values().stream());
  }

  /** The hold that this is a re-entry of; null if there is none. */
  @Nullable
  Held outerOf(Wire.Request request) {
    return fault == Fault.OWNER_BEHIND_QUEUE && isAwaited()
        ? null
        : holders()
            .filter(hold -> hold.covers(fault, request) && mayEnter(request))
            .findFirst()
            .orElse(null);
  }

  /** Whether others than its owner leave room for one that enters beside its owner's hold. */
  private boolean mayEnter(Wire.Request request) {
    return (fault == Fault.OWNER_UPGRADES && request.capacity() == 1) || fits(request);
  }

  /** When the first of those who hold it ends by itself. */
  long firstEnd(long now) {
    return now + holders().mapToLong(hold -> hold.expiresAt - now).min().orElse(0);
  }

  /** Whether a hold is of the owner of one who waits. */
  boolean ownerHolds(Wire.@Nullable Request waiting) {
    if (waiting == null || !waiting.shared()) {
      return false;
    }
    return switch (fault) {
      case HIDES_OWNERS_HOLD -> false;
      case TELLS_OF_OWNER_ALWAYS -> true;
      default -> holders().anyMatch(hold -> hold.isOfSameOwner(fault, waiting));
    };
  }

  /** Whether one who is no re-entry may hold it beside those who do. */
  boolean mayJoin(Wire.Request request) {
    String own = request.beside();
    boolean isThere = own != null && (holdOf(own) != null || fault == Fault.BESIDE_IS_NOT_CHECKED);
    boolean writes = isThere && fault != Fault.WRITER_WAITS_FOR_ITSELF;
    boolean passes = fault == Fault.READERS_PASS_WAITING_WRITERS && request.capacity() != 1;
    boolean inTurn = queue.isEmpty()
        || passes
        || (fault == Fault.SMALL_PASSES_LARGE && request.units() == 1 && request.capacity() != 1);
    return writes || (inTurn && fits(request));
  }

  boolean fits(Wire.Request request) {
    if (fault == Fault.READS_BESIDE_WRITER && request.capacity() == Integer.MAX_VALUE) {
      return true;
    }
    boolean few = fault == Fault.SIXTY_FOUR_HOLDERS
        || (fault == Fault.SIXTY_FOUR_ENTRIES && request.shared());
    if (few && beside.size() + 1 >= MOST_HOLDERS) {
      return false;
    }
    long units = request.units();
    int capacity = request.capacity();
    for (Held hold : (Iterable<Held>) holders()::iterator) {
      if (!hold.isOfSameOwner(fault, request) && !isApart(hold.request, request)) {
        units += fault == Fault.COUNTS_HOLDERS ? 1 : hold.units;
        capacity = smaller(capacity, hold.capacity);
      }
    }
    if (fault == Fault.SIZE_STICKS && request.isForPermits()) {
      leastSize = Math.min(leastSize, capacity);
      capacity = leastSize;
    }
    if (fault == Fault.SIZE_OUTLIVES_EXPIRY && request.isForPermits()) {
      capacity = Math.min(leastSize, capacity);
    }
    return kept(units, capacity) <= kept(capacity, capacity);
  }

  private boolean isApart(Wire.Request one, Wire.Request other) {
    return fault == Fault.READERS_APART_FROM_PERMITS
        && one.capacity() != 1
        && other.capacity() != 1
        && one.isForPermits() != other.isForPermits();
  }

  /** What is left of a number of permits, of so many, where it is kept. */
  private long kept(long units, int capacity) {
    boolean readers = capacity == Integer.MAX_VALUE;
    return switch (fault) {
      case PERMITS_IN_8_BITS -> readers ? units : units & 0xFF;
      case PERMITS_IN_16_BITS -> readers ? units : (short) units;
      default -> units;
    };
  }

  private int smaller(int own, int other) {
    boolean ownOnly = fault == Fault.OWN_SIZE_COUNTS || fault == Fault.FIRST_SIZE_COUNTS;
    boolean semaphores = own != 1 && other != 1 && other != Integer.MAX_VALUE;
    if (ownOnly && semaphores) {
      return fault == Fault.OWN_SIZE_COUNTS ? own : other;
    }
    return Math.min(own, other);
  }

  long firstToken() {
    return held == null ? 0 : held.token;
  }

  /** Ends one of those whose leases are over, for a fault. */
  void expireOne(long now) {
    holders().filter(hold -> isOver(hold, now)).findFirst().ifPresent(this::end);
  }

  /** Makes the leases of those who hold it end by then. */
  void cutLeases(long end) {
    holders().forEach(hold -> hold.expiresAt = Math.min(hold.expiresAt, end));
  }

  /** Prolongs all that the owner of a hold has. */
  void prolongEntriesOf(Held one, long end) {
    holders()
        .filter(hold -> hold.isOfSameOwner(fault, one.request))
        .forEach(hold -> hold.expiresAt = Math.max(hold.expiresAt, end));
  }

  void expire(long now) {
    if (fault == Fault.ONE_EXPIRY_ENDS_ALL && holders().anyMatch(hold -> isOver(hold, now))) {
      holders().forEach(hold -> hold.expiresAt = now);
    }
    if (fault == Fault.RENEWS_EXPIRED_PARTS) {
      holders()
          .filter(hold -> isOver(hold, now))
          .forEach(hold -> expiredParts.put(hold.request.id(), hold));
    }
    if (fault == Fault.SIZE_OUTLIVES_EXPIRY) {
      holders()
          .filter(hold -> isOver(hold, now) && hold.request.isForPermits())
          .forEach(hold -> leastSize = Math.min(leastSize, hold.capacity));
    }
    beside.values().removeIf(hold -> isOver(hold, now));
    if (held != null && isOver(held, now)) {
      end = End.EXPIRED;
      servesNobody = false;
      expiredToken = held.token;
      expired = held;
      leave();
    }
  }

  private boolean isOver(Held hold, long now) {
    boolean stays = fault == Fault.PERMITS_HAVE_NO_LEASE && hold.request.isForPermits();
    return hold.expiresAt - early(hold) - now <= 0 && !stays;
  }

  /** By how much a lease ends before its time, though inspection tells all of it. */
  private long early(Held hold) {
    boolean ends = switch (fault) {
      case PARTS_END_EARLY -> hold.request.capacity() != 1;
      case RENEWED_LEASES_END_EARLY -> hold.renewals > 0;
      default -> false;
    };
    return ends ? hold.request.lease() / 10 : 0;
  }

  /** Ends the first hold; another one takes its place. */
  void leave() {
    Iterator<Held> others = beside.values().iterator();
    held = others.hasNext() ? others.next() : null;
    if (held != null) {
      others.remove();
    }
  }

  /** Ends those that are not among these. */
  void retain(List<String> ids) {
    holders().filter(hold -> !ids.contains(hold.request.id())).toList().forEach(this::end);
  }

  /** Ends the other entries of the client that has this one. */
  void endOthersOfClient(Wire.Request one) {
    Held own = holdOf(one.id());
    holders()
        .filter(hold -> own != null && hold != own && hold.isOfSameOwner(fault, own.request))
        .filter(hold -> hold.request.client().equals(one.client()))
        .toList()
        .forEach(this::end);
  }

  String[] ids() {
    return holders().map(hold -> hold.request.id()).toArray(String[]::new);
  }

  /** Ends a hold of those that are there. */
  void end(Held hold) {
    if (hold == held) {
      leave();
    } else {
      beside.remove(hold.request.id());
    }
  }

  /** Notes what is left of the lease of one that was forced out or abandoned, for a fault. */
  void leaveLease(Held hold) {
    leftUntil = fault == Fault.LEASE_OUTLIVES_HOLD ? hold.expiresAt : 0;
  }

  /** Whether a fault keeps something of it when it is free. */
  boolean isRemembered() {
    return keepsToken() || leftUntil != 0 || leastSize != Integer.MAX_VALUE;
  }

  /** Whether the last hold ended in the way over which tokens do not grow. */
  boolean keepsToken() {
    return (fault == Fault.TOKEN_STANDS_OVER_FORCE && end == End.FORCED)
        || (fault == Fault.TOKEN_STANDS_OVER_ABANDON && end == End.ABANDONED);
  }

  /** Whether it comes from who had the lock when a lease ran out, for a fault. */
  boolean comesAgain(Wire.Request request) {
    Held last = end == End.EXPIRED ? expired : null;
    return last != null
        && switch (fault) {
          case OWNER_KEEPS_TOKEN -> last.isOfSameOwner(fault, request);
          case CLIENT_KEEPS_TOKEN -> last.request.client().equals(request.client());
          default -> false;
        };
  }

  /** When one in the queue looks again, if so much is left of the hold that it waits for. */
  long recheck(long left) {
    return fault == Fault.QUEUE_SLEEPS_PAST_EXPIRY
        ? queue.refresh()
        : Math.min(left, queue.refresh());
  }

  boolean isAwaitedBy(String client) {
    return waiters.containsValue(client)
        || queue.waiting().stream().anyMatch(one -> one.client().equals(client));
  }

  /** Whether somebody holds a part of it. */
  boolean isShared() {
    return holders().anyMatch(hold -> hold.request.capacity() != 1);
  }

  /** Whether a named owner holds it. */
  boolean isOwned() {
    return held != null && held.request.shared();
  }

  boolean isAwaited() {
    return !waiters.isEmpty() || !queue.isEmpty();
  }
}
