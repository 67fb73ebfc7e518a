package dev.interlock.tck.teststore;

import dev.interlock.tck.teststore.Wire.Answer;
import dev.interlock.tck.teststore.Wire.Request;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What is asked by who wants a lock, in one step, or in two by a client with a fault. */
final class AttemptCommands {
  private static final long LONGEST_RECHECK = TimeUnit.SECONDS.toNanos(5);
  /** How soon one may look again that nobody will tell. */
  static final long SPIN = TimeUnit.MILLISECONDS.toNanos(4);

  private static final long POLL = TimeUnit.MILLISECONDS.toNanos(250);
  private static final long FOR_LONG = TimeUnit.SECONDS.toNanos(60);
  private static final int EVERY = 7;
  private static final int MOST_NOTED = 50;
  private static final String TOKENS = ":token";

  private final Store store;
  private final LockTable table;
  private final Grants grants;
  private final Fault fault;
  private final Map<String, Answer> told = new HashMap<>();
  private final Set<String> withTokens = new HashSet<>();
  private final Map<String, Long> arrivals = new HashMap<>();
  private final Map<String, Long> firstEnds = new HashMap<>();
  private final Set<String> looked = new HashSet<>();
  private int attempts;
  private @Nullable String firstToAsk;

  AttemptCommands(Store store, LockTable table, Grants grants, Fault fault) {
    this.store = store;
    this.table = table;
    this.grants = grants;
    this.fault = fault;
  }

  Answer attempt(Request request) {
    attempts++;
    if (fault == Fault.ERROR_MEANS_BUSY && attempts % EVERY == 0) {
      throw new IllegalStateException("try again");
    }
    store.requireWritable();
    store.requireRoom();
    if (fault == Fault.ALWAYS_YES) {
      return new Answer(grants.tokens().draw(), 1, 0);
    }
    long now = table.now(request.clientClock());
    boolean passes = fault == Fault.PASSES_AFTER_EXPIRY
        || (fault == Fault.PARTS_PASS_AFTER_EXPIRY && request.capacity() != 1)
        || (fault == Fault.CLIENT_PASSES_ITSELF && table.isAwaitedOnlyBy(request));
    if (passes && table.isExpired(request.name(), now)) {
      return replace(request);
    }
    boolean expired = fault == Fault.TAKES_AND_SAYS_BUSY && table.isExpired(request.name(), now);
    if (fault == Fault.TOKENS_AMONG_NAMES && isNameOfTokens(request.name())) {
      return new Answer(Wire.BUSY, 0, TimeUnit.MILLISECONDS.toNanos(1));
    }
    Lock lock = grants.lockForAttempt(request.name(), now);
    if (request.fair() && lock.held == null && !lock.queue.isEmpty() && !lock.isUnserved) {
      lock.queue.enter(request, now);
      grants.serve(request.name(), lock, now);
    }
    Held held = fault == Fault.LOOKS_THEN_TAKES ? null : lock.held;
    Held own = held == null ? null : lock.holdOf(request.id());
    if (own != null) {
      boolean again = own.isConfirmed || !own.isHandedOver;
      own.isConfirmed = true;
      long since = arrivals.getOrDefault(request.id(), now);
      boolean kept =
          own.fades || (fault == Fault.REPEAT_KEEPS_LEASE && own.expiresAt - now > FairQueue.CLAIM);
      own.hidden = own.fades ? since + request.lease() - own.expiresAt : own.hidden;
      own.expiresAt = kept ? own.expiresAt : Math.max(own.expiresAt, since + request.lease());
      own.granted = own.expiresAt;
      boolean counts = fault == Fault.REPLAY_COUNTS
          || (fault == Fault.REPEATED_ENTRY_COUNTS && own != held)
          || (fault == Fault.REPEATED_READER_COUNTS
              && request.capacity() == Integer.MAX_VALUE
              && !request.waits());
      own.entries += counts ? 1 : 0;
      boolean changes = fault == Fault.TOKEN_CHANGES
          || (fault == Fault.PART_TOKEN_CHANGES && again && request.capacity() != 1);
      long same = changes ? grants.tokens().draw() : own.token;
      boolean more = fault == Fault.REPEAT_TELLS_WANTED_TOKENS;
      return new Answer(same, more ? request.tokens() : own.tokens, 0);
    }
    Held outer = held == null ? null : lock.outerOf(request);
    if (outer != null) {
      lock.queue.remove(request.id());
      Held entry = grants.enter(request, lock, outer, now + request.lease());
      return new Answer(entry.token, 1, 0);
    }
    boolean ofSameClient = fault == Fault.CLIENT_REENTERS
        && held != null
        && held.request.client().equals(request.client());
    if (held != null && !ofSameClient && !lock.mayJoin(request)) {
      return waits(request, lock, held, now);
    }
    lock.queue.remove(request.id());
    lock.waiters.remove(request.id());
    if (fault == Fault.TWO_HOLDS_A_CLIENT) {
      table.endFirstOfThree(request.client());
    }
    table.makeRoom(request);
    if (fault == Fault.REFUSES_NAMES && table.hasNoRoom()) {
      return new Answer(Wire.BUSY, 0, TimeUnit.MILLISECONDS.toNanos(1));
    }
    Held granted = grants.grant(request, lock, now + request.lease());
    Held writer = request.beside() == null ? null : lock.holdOf(request.beside());
    if (writer != null && fault == Fault.BESIDE_ENDS_WRITING) {
      writer.capacity = Integer.MAX_VALUE;
    }
    return expired
        ? new Answer(Wire.BUSY, 0, TimeUnit.MILLISECONDS.toNanos(1))
        : new Answer(granted.token, granted.tokens, 0);
  }

  /** Whether another lock that was used keeps its tokens under this name. */
  private boolean isNameOfTokens(String name) {
    withTokens.add(name);
    return name.endsWith(TOKENS) && withTokens.contains(name.replaceFirst(TOKENS + "$", ""));
  }

  /** The first half of an attempt that is not atomic. */
  Answer look(Request request) {
    long now = System.nanoTime();
    Lock lock = grants.lock(request.name(), now);
    Held held = lock.held;
    if (held == null) {
      return new Answer(Wire.FREE, 0, 0);
    }
    return held.isOf(request)
        ? new Answer(held.token, held.tokens, 0)
        : waits(request, lock, held, now);
  }

  /** The first half of one that is not atomic only where it finds the lock free. */
  boolean isFree(Request request) {
    Lock lock = grants.lock(request.name(), System.nanoTime());
    boolean free = lock.held == null && lock.queue.isEmpty();
    table.forget(request.name(), lock);
    return free;
  }

  /** The first half of an attempt that counts before it takes. */
  Answer count(Request request) {
    long now = System.nanoTime();
    Lock lock = grants.lock(request.name(), now);
    Held held = lock.held;
    return held == null || lock.holdOf(request.id()) != null || lock.mayJoin(request)
        ? new Answer(Wire.FREE, 0, 0)
        : waits(request, lock, held, now);
  }

  /** The second half. */
  Answer take(Request request) {
    long now = System.nanoTime();
    Held granted = grants.grant(request, grants.lock(request.name(), now), now + request.lease());
    return new Answer(granted.token, granted.tokens, 0);
  }

  private Answer waits(Request request, Lock lock, Held held, long now) {
    long end = fault == Fault.LOOKS_AFTER_FIRST_HOLDER ? held.expiresAt : lock.firstEnd(now);
    if (fault == Fault.LOOKS_AFTER_LEASE_FOUND_FIRST) {
      end = Math.max(end, firstEnds.computeIfAbsent(request.id(), id -> held.expiresAt));
    }
    long left = Math.max(TimeUnit.MILLISECONDS.toNanos(1), end - now);
    if (fault == Fault.LOOKS_TWICE
        && request.waits()
        && !request.fair()
        && !looked.add(request.id())) {
      left = FOR_LONG;
    }
    if (fault == Fault.NOTES_FEW_NAMES && request.waits() && !table.mayAwait(request)) {
      return new Answer(Wire.BUSY, 0, Math.min(left, LONGEST_RECHECK));
    }
    if (fault == Fault.NO_WAIT_QUEUES && !request.waits()) {
      lock.queue.enter(request, now);
    }
    if (request.waits() && (request.fair() || request.shared())) {
      if (fault == Fault.FAIR_LEASE_FROM_ARRIVAL) {
        arrivals.putIfAbsent(request.id(), now);
      }
      boolean part = fault == Fault.KEEPS_AWAITED_PARTS && request.capacity() != 1;
      if (part || fault == Fault.KEEPS_QUEUES) {
        table.keep(request.name());
      }
      return lock.queue.enter(request, now)
          ? new Answer(Wire.QUEUED, 0, lock.recheck(left))
          : new Answer(Wire.BUSY, 0, Math.min(left, SPIN));
    }
    if (request.waits()
        && !(fault == Fault.NOTES_FIFTY_WAITERS && lock.waiters.size() >= MOST_NOTED)) {
      lock.waiters.put(request.id(), request.client());
      lock.noted.put(request.id(), now);
      if (fault == Fault.KEEPS_AWAITED) {
        table.keep(request.name());
      }
    }
    return new Answer(Wire.BUSY, 0, left == FOR_LONG ? left : Math.min(left, longestRecheck()));
  }

  private long longestRecheck() {
    return switch (fault) {
      case POLLS -> POLL;
      case SPINS -> SPIN;
      case TRUSTS_MESSAGES,
          WAKES_THE_DEAD,
          LOOKS_AFTER_LEASE_FOUND_FIRST,
          DEAF_WHEN_IDLE,
          NOTES_LAST_EIGHT_SECONDS -> Long.MAX_VALUE;
      default -> LONGEST_RECHECK;
    };
  }

  /** An attempt whose grant is told again to its repetition, whatever became of the hold. */
  Answer attemptOnce(Request request) {
    Answer before = told.get(request.id());
    if (before != null) {
      return before;
    }
    Answer answer = attempt(request);
    if (answer.token() > 0) {
      told.put(request.id(), answer);
    }
    return answer;
  }

  /** The first half of an attempt that draws its token before it looks. */
  long draw() {
    return grants.tokens().draw();
  }

  /** The second half. */
  Answer attemptWith(Request request, long token) {
    grants.tokens().drawn(token);
    try {
      return attempt(request);
    } finally {
      grants.tokens().drawn(0);
    }
  }

  /** The first half of an attempt that replaces what has expired. */
  boolean isExpired(Request request) {
    return table.isExpired(request.name(), System.nanoTime());
  }

  /** The second half of what removes an expired hold: whatever is there by now. */
  boolean remove(String name) {
    table.remove(name);
    return true;
  }

  /** The same of an attempt. */
  Answer replace(Request request) {
    table.remove(request.name());
    return attempt(request);
  }

  /** The first half of an attempt that looks before it notes that it waits. */
  boolean isHeldByAnother(Request request) {
    Lock lock = grants.lock(request.name(), System.nanoTime());
    boolean other = lock.held != null && lock.holdOf(request.id()) == null;
    table.forget(request.name(), lock);
    return other;
  }

  /** The second half. */
  boolean noteWaiter(Request request) {
    grants.lock(request.name(), System.nanoTime()).waiters.put(request.id(), request.client());
    return true;
  }

  /** The first half of an attempt that looks for its owner's hold before it enters beside it. */
  boolean isHeldByOwner(Request request) {
    Lock lock = grants.lock(request.name(), System.nanoTime());
    boolean owns = lock.holdOf(request.id()) == null && lock.outerOf(request) != null;
    table.forget(request.name(), lock);
    return owns;
  }

  /** The second half, whoever holds the lock by now. */
  Answer enterOrTake(Request request) {
    long now = System.nanoTime();
    Lock lock = grants.lock(request.name(), now);
    Held outer = lock.outerOf(request);
    return outer == null
        ? take(request)
        : new Answer(grants.enter(request, lock, outer, now + request.lease()).token, 1, 0);
  }

  /** The first half of an arrival, or of what else changes the queue, that is not one step. */
  String[] queue(Request request) {
    return grants.lock(request.name(), System.nanoTime()).queue.ids();
  }

  /** The second half of what is no arrival: drops those who came meanwhile. */
  boolean writeQueue(Request request, String[] before) {
    Lock lock = table.asIs(request.name());
    if (lock != null) {
      lock.queue.retain(List.of(before));
    }
    return true;
  }

  /** The second half: others who came meanwhile are not in what was read. */
  Answer attemptInQueueOf(Request request, String[] before) {
    Lock lock = table.asIs(request.name());
    if (lock != null) {
      lock.queue.retain(List.of(before));
    }
    return attempt(request);
  }

  /** Whether nobody but this client has asked this. */
  boolean isFirstToAsk(Request request) {
    firstToAsk = firstToAsk == null ? request.client() : firstToAsk;
    return firstToAsk.equals(request.client());
  }
}
