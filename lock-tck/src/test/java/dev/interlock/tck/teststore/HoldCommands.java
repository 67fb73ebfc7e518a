package dev.interlock.tck.teststore;

import dev.interlock.tck.teststore.Wire.Answer;
import dev.interlock.tck.teststore.Wire.Request;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What is asked by who has a lock or a place in its queue: to keep it, or to give it back. */
final class HoldCommands {
  private static final long ORPHANS_LIFE = TimeUnit.MINUTES.toNanos(10);
  private static final long LONGEST_RENEWAL = TimeUnit.SECONDS.toNanos(10);
  private static final int SOME_RENEWALS = 3;
  private static final int MANY_RENEWALS = 100;
  private static final int MOST_OF_NAME = 64;

  private final Store store;
  private final LockTable table;
  private final Grants grants;
  private final Fault fault;

  HoldCommands(Store store, LockTable table, Grants grants, Fault fault) {
    this.store = store;
    this.table = table;
    this.grants = grants;
    this.fault = fault;
  }

  /** Renews one after the other, in one step. */
  Answer[] renewAll(List<Request> requests) {
    store.requireWritable();
    if (fault == Fault.OWNERS_BATCH_BY_NAME) {
      return renewOneOfOwner(requests);
    }
    if (fault == Fault.BATCH_BY_NAME) {
      Map<String, Answer> answers = new HashMap<>();
      Map<String, Request> last = new HashMap<>();
      requests.forEach(request -> last.put(request.name(), request));
      last.forEach((name, request) -> answers.put(name, renewOne(request)));
      return requests.stream().map(request -> answers.get(request.name())).toArray(Answer[]::new);
    }
    if (fault == Fault.BATCH_REVIVES_EXPIRED && requests.size() > 1) {
      requests.forEach(request -> table.revive(request.name(), request.id(), request.lease()));
    }
    Answer[] answers = someOfName(requests).map(this::renewOne).toArray(Answer[]::new);
    if (fault == Fault.PLACES_BY_NAME) {
      Map<String, Answer> last = new HashMap<>();
      for (int i = 0; i < answers.length; i++) {
        if (answers[i].token() == Wire.QUEUED) {
          last.put(requests.get(i).name(), answers[i]);
        }
      }
      for (int i = 0; i < answers.length; i++) {
        boolean held = answers[i].token() >= 0;
        answers[i] = held ? answers[i] : last.getOrDefault(requests.get(i).name(), answers[i]);
      }
    }
    return answers;
  }

  /** Of the entries of an owner the first is renewed, and answered for all. */
  private Answer[] renewOneOfOwner(List<Request> requests) {
    Map<String, Answer> first = new HashMap<>();
    return requests.stream()
        .map(request -> {
          Lock lock = table.asIs(request.name());
          return lock != null && lock.isOwned()
              ? first.computeIfAbsent(request.name(), name -> renewOne(request))
              : renewOne(request);
        })
        .toArray(Answer[]::new);
  }

  /** Those of a name that are too many are taken for the first of that name. */
  private Stream<Request> someOfName(List<Request> requests) {
    if (fault != Fault.RENEWS_SIXTY_FOUR_OF_NAME) {
      return requests.stream();
    }
    Map<String, Request> first = new HashMap<>();
    Map<String, Integer> counts = new HashMap<>();
    return requests.stream().map(request -> {
      Request of = first.computeIfAbsent(request.name(), name -> request);
      return counts.merge(request.name(), 1, Integer::sum) > MOST_OF_NAME ? of : request;
    });
  }

  private Answer renewOne(Request request) {
    boolean failed = fault != Fault.ONE_FAILS_ALL && table.isSpoilt(request.name());
    return failed ? new Answer(Wire.FAILED, 0, 0) : renew(request);
  }

  /** Answers the token and the number of tokens reserved, or that it waits, or that it is gone. */
  Answer renew(Request asked) {
    Request request = asked;
    long now = table.now(request.clientClock());
    Lock lock = grants.lock(request.name(), now);
    if (fault == Fault.RENEWS_BY_HALF) {
      request = lock.alike(request);
    }
    Held held = lock.held;
    if (held == null && fault == Fault.RESURRECTS) {
      held = new Held(request, grants.tokens().last(), 1, now);
      lock.held = held;
    }
    Held own = lock.holdOf(request.id());
    if (own == null
        && fault == Fault.RENEWS_BY_CLIENT
        && held != null
        && held.request.client().equals(request.client())) {
      own = held;
    }
    Held expired = lock.expiredParts.remove(request.id());
    if (own == null && held != null && expired != null) {
      own = expired;
      lock.beside.put(request.id(), own);
    }
    if (fault == Fault.PLACE_HIDES_GRANT && own != null && own.isHandedOver && !own.isConfirmed) {
      return new Answer(Wire.QUEUED, 0, lock.queue.refresh());
    }
    Answer before = grants.servedBefore(request);
    if (own == null && before != null) {
      return before;
    }
    if (held == null || own == null) {
      Request waiting = lock.queue.refresh(request.id(), now);
      table.forget(request.name(), lock);
      long left = held == null ? AttemptCommands.SPIN : held.expiresAt - now;
      long place = lock.ownerHolds(waiting) ? Wire.QUEUED_BEHIND_OWNER : Wire.QUEUED;
      return new Answer(waiting == null ? Wire.BUSY : place, 0, lock.recheck(left, now));
    }
    if (own.request.capacity() != 1) {
      store.requireRoomForPart();
    }
    own.renewals++;
    own.since = fault == Fault.SINCE_OF_RENEWAL ? System.currentTimeMillis() : own.since;
    own.units = fault == Fault.RENEWAL_LOSES_UNITS ? 1 : own.units;
    own.capacity = fault == Fault.RENEWAL_LOSES_SIZE && own.request.isForPermits()
        ? Integer.MAX_VALUE
        : own.capacity;
    if (request.minToken() > own.token && fault != Fault.IGNORES_MIN_TOKEN) {
      grants.tokens().raise(lock, own, request.minToken());
    }
    long lease = request.lease();
    boolean hides = fault == Fault.SHARED_RENEWALS_CAPPED_AND_HIDDEN;
    if (own.request.capacity() != 1 && (hides || fault == Fault.SHARED_RENEWALS_CAPPED)) {
      lease = Math.min(lease, LONGEST_RENEWAL);
      own.hidden = hides ? request.lease() - lease : 0;
    }
    long end = (fault == Fault.RENEWALS_ADD_UP ? own.expiresAt : now) + lease;
    if (fault == Fault.RENEWAL_CUTS_OTHERS) {
      lock.cutLeases(end);
    }
    if (fault == Fault.RENEWS_OWNERS_ENTRIES) {
      lock.prolongEntriesOf(own, end);
    }
    if (fault == Fault.RENEWS_ALL_HOLDERS) {
      lock.holders().forEach(hold -> hold.expiresAt = Math.max(hold.expiresAt, end));
    } else if (isMade(own, lease, now)) {
      own.expiresAt = fault == Fault.RENEWAL_SHORTENS ? end : Math.max(own.expiresAt, end);
    }
    return new Answer(own.token, own.tokens, 0);
  }

  private boolean isMade(Held renewed, long lease, long now) {
    return switch (fault) {
      case FORGETS_RENEWALS -> renewed.renewals <= SOME_RENEWALS;
      case RENEWALS_RUN_OUT -> renewed.renewals <= MANY_RENEWALS;
      case PART_RENEWALS_RUN_OUT ->
        renewed.request.capacity() == 1 || renewed.renewals <= MANY_RENEWALS;
      case RENEWAL_AFTER_WAIT_IS_VAIN -> !renewed.isHandedOver;
      case SKIPS_EARLY_RENEWALS -> renewed.expiresAt - now < lease / 2;
      default -> true;
    };
  }

  boolean release(Request request) {
    store.requireWritable();
    Lock lock = grants.lock(request.name(), table.now(request.clientClock()));
    lock.servesNobody = false;
    lock.isLeft = lock.holdOf(request.id()) != null
        && (lock.isOwned() || fault == Fault.SMALL_OVERTAKES_AT_RELEASE);
    Held held = lock.held;
    if (lock.isShared()) {
      store.requireRoomForPart();
    }
    boolean anybody = fault == Fault.NO_OWNER_CHECK
        || grants.beginsTheSame(held, request)
        || (held != null && grants.formerOwners().hadByAttempt(request.id(), held))
        || (fault == Fault.COMPARES_CLIENTS
            && held != null
            && held.request.client().equals(request.client()));
    Held entry = lock.beside.get(request.id());
    boolean counted = fault == Fault.REPEATED_ENTRY_COUNTS || fault == Fault.REPEATED_READER_COUNTS;
    if (counted && entry != null && --entry.entries > 0) {
      return true;
    }
    Held own = lock.holdOf(request.id());
    if (own != null && own.request.capacity() != 1) {
      table.ended(Fault.PART_RELEASES_NOT_DURABLE, request.name(), own);
    }
    if (fault == Fault.EXIT_ENDS_ALL_OF_CLIENT) {
      lock.endOthersOfClient(request);
    }
    if (fault == Fault.ALWAYS_YES || lock.beside.remove(request.id()) != null) {
      grants.serve(request.name(), lock, System.nanoTime());
      return true;
    }
    if (fault == Fault.PERMITS_COME_BACK_TWICE && held != null && held.request.isForPermits()) {
      lock.end(held);
      return false;
    }
    if (held == null || !(anybody || held.isOf(request))) {
      table.forget(request.name(), lock);
      return false;
    }
    held.entries--;
    if (fault == Fault.ONE_EXIT_ENDS_ALL) {
      lock.beside.clear();
    }
    if (held.entries == 0 && fault == Fault.RELEASES_THEN_SERVES) {
      lock.leave();
      lock.isUnserved = true;
    } else if (held.entries == 0) {
      grants.free(request.name(), lock);
    }
    return true;
  }

  /** The second half of a release that is not one step. */
  boolean serveReleased(String name) {
    Lock lock = grants.lock(name, System.nanoTime());
    lock.isUnserved = false;
    if (lock.held == null) {
      grants.hand(name, lock);
      table.forget(name, lock);
    }
    return true;
  }

  boolean abandon(Request asked) {
    store.requireWritable();
    Lock lock = grants.lock(asked.name(), table.now(asked.clientClock()));
    Request request = fault == Fault.ABANDONS_BY_HALF ? lock.alike(asked) : asked;
    lock.servesNobody = false;
    boolean noted = lock.waiters.containsKey(request.id());
    if (fault != Fault.KEEPS_WAITERS) {
      lock.waiters.remove(request.id());
    }
    if (lock.holdOf(request.id()) != null) {
      lock.isLeft = lock.isOwned();
      if (fault == Fault.KEEPS_ABANDONED) {
        table.keep(request.name());
      } else if (fault == Fault.ABANDON_ENDS_ALL_PARTS && lock.isShared()) {
        lock.retain(List.of());
      }
    }
    if (fault == Fault.KEEPS_TIMED_OUT_PERMITS) {
      lock.queue.removeUnlessForPermits(request.id());
    } else if (fault != Fault.KEEPS_TIMED_OUT) {
      lock.queue.leave(request.id());
    }
    if (fault == Fault.ABANDON_REMOVES_CLIENT) {
      lock.waiters.values().removeIf(request.client()::equals);
      lock.queue.removeClient(request.client());
    }
    lock.beside.remove(request.id());
    if (fault != Fault.LEAVER_SERVES_NO_PERMITS || !lock.queue.beginsWithPermits()) {
      grants.serveUnlessLeft(request.name(), lock, System.nanoTime());
    }
    Held held = lock.held;
    if (held == null) {
      if (noted || fault != Fault.WOKEN_LEAVER_WAKES_NOBODY) {
        grants.wake(request.name(), lock);
      }
      table.forget(request.name(), lock);
    } else if (held.isOf(request) || fault == Fault.ABANDONS_ANYBODY) {
      if (fault == Fault.RENEWS_ORPHANS) {
        held.expiresAt += ORPHANS_LIFE;
      } else if (fault == Fault.ABANDON_WAKES_NOBODY) {
        lock.leave();
      } else {
        table.ended(Fault.ABANDON_NOT_DURABLE, request.name(), held);
        lock.end = Lock.End.ABANDONED;
        lock.expiredToken = held.token;
        lock.leaveLease(held);
        grants.free(request.name(), lock);
      }
    }
    return true;
  }

  /** Ends all that a client holds, for a fault. */
  boolean endAllOf(String client) {
    table.endAllOf(client);
    return true;
  }

  /** For the fault that sets the lease by a command of its own. */
  boolean expire(String name, String id, long lease) {
    Lock lock = grants.lock(name, System.nanoTime());
    if (lock.held != null && lock.held.request.id().equals(id)) {
      lock.held.expiresAt = System.nanoTime() + lease;
    }
    return true;
  }

  /** The first half of what is not one step: whether the hold is there. */
  boolean isThere(Request request) {
    Lock lock = table.asIs(request.name());
    if (lock != null) {
      lock.expire(System.nanoTime());
    }
    return lock != null && lock.holdOf(request.id()) != null;
  }

  /** The second half: frees whatever hold is there. */
  boolean freeByName(String name) {
    Lock lock = grants.lock(name, System.nanoTime());
    if (lock.held != null) {
      grants.free(name, lock);
    }
    return true;
  }

  /** The second half of what frees its own hold, or what came in its place. */
  boolean freeOwnOrAny(Request request) {
    Lock lock = grants.lock(request.name(), System.nanoTime());
    return lock.holdOf(request.id()) == null ? freeByName(request.name()) : release(request);
  }

  /** The first half of what reads who holds a lock, and writes that back in another step. */
  String[] holders(Request request) {
    Lock lock = grants.lock(request.name(), System.nanoTime());
    boolean entries = fault == Fault.OWNER_RELEASE_REWRITES_ENTRIES && lock.isOwned();
    String[] ids = lock.isShared() || entries ? lock.ids() : new String[0];
    table.forget(request.name(), lock);
    return ids;
  }

  String[][] holdersOfAll(List<Request> requests) {
    return requests.stream().map(this::holders).toArray(String[][]::new);
  }

  /** The second half of a release: others who came meanwhile are not in what was read. */
  boolean releaseAmong(Request request, String[] before) {
    retain(request, before);
    return release(request);
  }

  /** The second half of renewals: the same. */
  Answer[] renewAmong(List<Request> requests, String[][] before) {
    for (int i = 0; i < requests.size(); i++) {
      retain(requests.get(i), before[i]);
    }
    return renewAll(requests);
  }

  private void retain(Request request, String[] before) {
    List<String> ids = List.of(before);
    Lock lock = table.asIs(request.name());
    if (lock != null && ids.contains(request.id())) {
      lock.retain(ids);
    }
  }

  /** The second half of what prolongs its own hold, or what came in its place. */
  Answer prolongOwnOrAny(Request request) {
    Lock lock = grants.lock(request.name(), System.nanoTime());
    return lock.holdOf(request.id()) == null ? prolongByName(request) : renew(request);
  }

  /** The second half: prolongs whatever hold is there. */
  Answer prolongByName(Request request) {
    Held held = grants.lock(request.name(), System.nanoTime()).held;
    if (held == null) {
      return new Answer(Wire.BUSY, 0, 0);
    }
    held.expiresAt = Math.max(held.expiresAt, System.nanoTime() + request.lease());
    return new Answer(held.token, held.tokens, 0);
  }
}
