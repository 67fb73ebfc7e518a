package dev.interlock.tck.teststore;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Those who wait for one lock in the order of their arrival. Not thread-safe. */
final class FairQueue {
  /** How often a waiter must say that it is still there. */
  private static final long REFRESH = TimeUnit.SECONDS.toNanos(2);

  /** How long a waiter has to confirm that it got the lock. */
  static final long CLAIM = TimeUnit.SECONDS.toNanos(2);

  /** For longer than this nobody keeps others out who does not say that it is still there. */
  private static final long SILENCE = TimeUnit.SECONDS.toNanos(4);

  private static final long LIFE = TimeUnit.SECONDS.toNanos(20);
  private static final long SHORT_LIFE = TimeUnit.SECONDS.toNanos(5);
  private static final long LONGER_LIFE = TimeUnit.SECONDS.toNanos(18);
  private static final long POLL = TimeUnit.MILLISECONDS.toNanos(250);
  private static final int CAPACITY = 20;
  private static final int FAIR_PLACES = 9;
  private static final int FAIR_CLIENTS = 16;
  private static final int THOUSAND = 1_000;

  private static final class Entry {
    final Wire.Request request;
    long deadline;
    long heardAt;
    int place;

    Entry(Wire.Request request) {
      this.request = request;
    }
  }

  private final Fault fault;
  private final List<Entry> entries = new ArrayList<>();
  private final List<Entry> departed = new ArrayList<>();
  private int arrivals;
  // Whether who enters was found not to be there before, for a fault.
  boolean takesAsNew;

  FairQueue(Fault fault) {
    this.fault = fault;
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  void reverse() {
    Collections.reverse(entries);
  }

  int size() {
    return entries.size();
  }

  /** Gives a place at the end, unless it has one. Answers false if there is no room. */
  boolean enter(Wire.Request request, long now) {
    boolean twice = fault == Fault.QUEUES_TWICE
        || takesAsNew
        || (fault == Fault.PARTS_QUEUE_TWICE && request.capacity() != 1);
    boolean known = !twice && refresh(request.id(), now) != null;
    if (fault == Fault.QUEUE_SPLITS_ENTRIES && request.owner().indexOf('|') >= 0) {
      return true;
    }
    if (known || (fault == Fault.MATCHES_SUBSTRINGS && isPartOfAnother(request.owner()))) {
      return true;
    }
    if (fault == Fault.QUEUE_OF_TWENTY && entries.size() >= CAPACITY) {
      return false;
    }
    Entry entry = new Entry(request);
    entry.deadline = now + life();
    entry.heardAt = now;
    if (fault == Fault.UNFAIR_FROM_TEN && entries.size() > FAIR_PLACES) {
      entries.add(entries.size() - 1, entry);
      return true;
    }
    if (fault == Fault.UNFAIR_FROM_SEVENTEEN_CLIENTS && othersWait(request.client())) {
      entries.add(entries.size() - 1, entry);
      return true;
    }
    entries.add(entry);
    entry.place = ++arrivals % THOUSAND;
    if (fault == Fault.PLACES_OF_THREE_DIGITS) {
      entries.sort(Comparator.comparingInt(one -> one.place));
    }
    if (fault == Fault.QUEUE_BY_CLIENT_CLOCK) {
      entries.sort(Comparator.comparingLong(one -> one.request.clientClock()));
    }
    return true;
  }

  /** Whether more clients than are served in order wait already, and not this one. */
  private boolean othersWait(String client) {
    Set<String> clients =
        entries.stream().map(entry -> entry.request.client()).collect(Collectors.toSet());
    return !clients.contains(client) && clients.size() > FAIR_CLIENTS;
  }

  /** How long a place lasts: from its last renewal, or from its beginning if it is shorter. */
  private long life() {
    return switch (fault) {
      case PLACE_LASTS_FIVE_SECONDS -> SHORT_LIFE;
      case PLACE_LASTS_EIGHTEEN_SECONDS -> LONGER_LIFE;
      default -> LIFE;
    };
  }

  List<Wire.Request> waitingAs(String owner) {
    return entries.stream()
        .map(entry -> entry.request)
        .filter(request -> request.shared() && request.owner().equals(owner))
        .toList();
  }

  /** How often a waiter looks again. One who is told nothing would otherwise find out that way. */
  long refresh() {
    return switch (fault) {
      case TELLS_NO_OWNER,
          TELLS_ONE_OF_OWNER,
          SHARED_FORCE_WAKES_NOBODY,
          FORCE_SERVES_NO_PARTS,
          LOOKS_AFTER_FIRST_HOLDER,
          LOOKS_AFTER_LEASE_FOUND_FIRST,
          LEAVER_SERVES_NO_PERMITS,
          PLACE_HIDES_GRANT,
          FORCE_SERVES_ONE,
          EXPIRY_SERVES_ONE,
          QUEUE_SLEEPS_PAST_EXPIRY -> LIFE / 2;
      case FAIR_WAITERS_POLL, PARTS_POLL, LINES_POLL -> POLL;
      case FAIR_WAITERS_SPIN -> AttemptCommands.SPIN;
      default -> REFRESH;
    };
  }

  /** Whether it keeps its place, and others out, though nobody hears it any more. */
  private boolean outlivesItsClient(Wire.Request request) {
    return switch (fault) {
      case DEAD_WRITER_KEEPS_READERS_OUT -> request.capacity() == 1;
      case DEAD_WAITER_KEEPS_PERMITS ->
        request.isForPermits() && request.units() == request.capacity();
      default -> false;
    };
  }

  private boolean isSilent(Entry entry, long now) {
    return fault != Fault.DEAD_MEANS_DISCONNECTED && now - entry.heardAt > SILENCE;
  }

  /** When those behind the first may pass it if nothing is heard of it until then. */
  long untilPassed(long now) {
    boolean looksSeldom = refresh() > REFRESH;
    long left = entries.isEmpty() || looksSeldom ? 0 : entries.get(0).heardAt + SILENCE - now;
    return left > 0 ? left + AttemptCommands.SPIN : LIFE;
  }

  private boolean isPartOfAnother(String owner) {
    return entries.stream()
        .map(entry -> entry.request.owner())
        .anyMatch(other -> other.contains(owner) && !other.equals(owner));
  }

  /** Keeps the place of a request, and answers who has it; null if there is none. */
  Wire.@Nullable Request refresh(String id, long now) {
    Wire.Request known = null;
    for (Entry entry : entries) {
      if (entry.request.id().equals(id)) {
        entry.deadline = life() == LIFE ? now + LIFE : entry.deadline;
        entry.heardAt = now;
        known = entry.request;
      }
    }
    return known;
  }

  String[] ids() {
    return entries.stream().map(entry -> entry.request.id()).toArray(String[]::new);
  }

  void retain(List<String> ids) {
    entries.removeIf(entry -> !ids.contains(entry.request.id()));
  }

  /** Whether the first who stands there waits for a part. */
  boolean beginsWithPart() {
    return !entries.isEmpty() && entries.get(0).request.capacity() != 1;
  }

  boolean endsWithPart() {
    return !entries.isEmpty() && entries.get(entries.size() - 1).request.capacity() != 1;
  }

  boolean beginsWithPermits() {
    return !entries.isEmpty() && entries.get(0).request.isForPermits();
  }

  /** Those who stand there, in order. */
  List<Wire.Request> waiting() {
    return entries.stream().map(entry -> entry.request).toList();
  }

  void removeClient(String client) {
    entries.removeIf(entry -> entry.request.client().equals(client));
  }

  void removeUnlessForPermits(String id) {
    entries.removeIf(entry -> entry.request.id().equals(id) && !entry.request.isForPermits());
  }

  /** Takes one out who gives up. */
  void leave(String id) {
    if (fault == Fault.DEPARTURES_NOT_DURABLE) {
      entries.stream().filter(entry -> entry.request.id().equals(id)).forEach(departed::add);
    }
    remove(id);
  }

  /** Brings back who has left, for a fault. */
  void undoDepartures(long now) {
    departed.forEach(entry -> entry.deadline = now + LIFE);
    entries.addAll(0, departed);
    departed.clear();
  }

  void remove(String id) {
    entries.removeIf(entry -> entry.request.id().equals(id));
  }

  /**
   * Takes the first out who can be told, or the last, if it fits; others keep their places until
   * their time is over.
   */
  Wire.@Nullable Request next(
      long now,
      Predicate<String> listens,
      Predicate<Wire.Request> fits,
      boolean last,
      boolean afterRelease) {
    entries.removeIf(entry -> entry.deadline - now <= 0);
    int end = fault == Fault.DEAD_HEAD_BLOCKS ? Math.min(1, entries.size()) : entries.size();
    for (int i = 0; i < end; i++) {
      int place = last ? end - 1 - i : i;
      Entry entry = entries.get(place);
      Wire.Request request = entry.request;
      boolean blocks = outlivesItsClient(request) && !fits.test(request);
      if (blocks || listens.test(request.client())) {
        if (fits.test(request)) {
          entries.remove(place);
          return request;
        }
        boolean passed = (!blocks && isSilent(entry, now))
            || fault == Fault.READERS_OVERTAKE_IN_QUEUE
            || (fault == Fault.SMALL_OVERTAKES_AT_RELEASE
                && afterRelease
                && request.isForPermits());
        if (!passed) {
          return null;
        }
      }
    }
    return null;
  }
}
