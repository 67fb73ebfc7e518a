package dev.interlock.tck.teststore;

import dev.interlock.tck.teststore.Wire.Answer;
import dev.interlock.tck.teststore.Wire.Event;
import dev.interlock.tck.teststore.Wire.Info;
import dev.interlock.tck.teststore.Wire.Request;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The server's state. {@link #execute} runs one command at a time. */
final class Store {
  private static final long LONGEST_RECHECK = TimeUnit.SECONDS.toNanos(5);
  private static final long ORPHANS_LIFE = TimeUnit.MINUTES.toNanos(10);
  private static final long SPIN = TimeUnit.MILLISECONDS.toNanos(4);
  private static final long POLL = TimeUnit.MILLISECONDS.toNanos(250);
  private static final long NO_EXPIRY = TimeUnit.DAYS.toNanos(1_000);
  private static final int EVERY = 7;
  private static final int SOME_RENEWALS = 3;
  private static final int TOKENS_UNTIL_WRAP = 500;
  private static final int MORE_TOKENS_UNTIL_WRAP = 1_100;
  private static final int MOST_HELD = 500;
  private static final int MOST_NOTED = 50;
  private static final int HUNDRED = 100;
  private static final int AHEAD = 1_000;
  private static final int INSPECTED = 191;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long LONGEST_LEASE = 15 * SECOND;

  /** What a command is answered that should be sent again. */
  static final String AGAIN = "again";

  static final String FULL = "the store is full";

  private static final String TOKENS = ":token";
  private static final int TOLD_HOLDERS = 10;
  private static final int CHANNEL_NAME_END = 63;
  private static final int TOLD_OF_OWNER = 64;

  private final Fault fault;
  private final Map<String, Lock> locks = new HashMap<>();
  private final Map<String, Consumer<Event>> subscribers = new ConcurrentHashMap<>();
  // In which order ids asked: what is left of a value that is compared only by its beginning.
  private final Map<String, Integer> values = new HashMap<>();
  private final Map<String, Answer> told = new HashMap<>();
  private final Set<String> everUsed = ConcurrentHashMap.newKeySet();
  private final Set<String> spoilt = ConcurrentHashMap.newKeySet();
  private final Sessions sessions = new Sessions();
  // Whose command runs.
  private String asking = "";
  private final Set<String> withTokens = new HashSet<>();
  private final Map<String, Long> arrivals = new HashMap<>();
  private long lastToken;
  // Of an attempt that has drawn its token before, else 0.
  private long drawn;
  private long grants;
  private int attempts;
  private int disturbances;
  private @Nullable String firstToAsk;
  private boolean readOnly;
  private boolean full;

  Store(Fault fault) {
    this.fault = fault;
    loseState();
  }

  synchronized void loseState() {
    locks.clear();
    lastToken = switch (fault) {
      case TOKENS_BEGIN_AGAIN -> 0;
      case TOKENS_COUNT_FROM_MILLIS -> System.currentTimeMillis();
      default -> System.currentTimeMillis() * 1_000;
    };
  }

  /** Ends as a process does; what is durable is there afterwards. */
  synchronized void crash() {
    if (fault == Fault.ORDER_NOT_DURABLE) {
      locks.values().forEach(lock -> lock.queue.reverse());
    } else {
      loseState();
    }
  }

  synchronized void disturb() {
    disturbances = 2;
  }

  synchronized void readOnly(boolean on) {
    readOnly = on;
  }

  synchronized void full(boolean on) {
    full = on;
  }

  synchronized void spoil(String name) {
    locks.remove(key(name));
    spoilt.add(key(name));
  }

  synchronized @Nullable Serializable execute(String client, Command command) {
    asking = client;
    if (disturbances > 0) {
      disturbances--;
      throw new IllegalStateException(AGAIN);
    }
    return command.run(this);
  }

  synchronized void joined(String client) {
    sessions.joined(client);
  }

  synchronized void left(String client) {
    sessions.left(client);
    if (fault == Fault.FREES_ON_DISCONNECT) {
      locks
          .values()
          .removeIf(lock -> lock.held != null && lock.held.request.client().equals(client));
    }
  }

  void subscribe(String client, Consumer<Event> subscriber) {
    subscribers.put(client, subscriber);
  }

  /** Unless the client has subscribed again meanwhile. */
  void unsubscribe(String client, Consumer<Event> subscriber) {
    subscribers.remove(client, subscriber);
  }

  /** Counts what is kept. What has expired and is wanted by nobody goes, as by a time to live. */
  synchronized long entries() {
    if (fault != Fault.KEEPS_EXPIRED) {
      long now = System.nanoTime();
      List.copyOf(locks.values()).forEach(lock -> lock.expire(now));
      locks.values().removeIf(lock -> lock.held == null && !lock.isAwaited());
    }
    return (long) locks.size() + everUsed.size();
  }

  Answer attempt(Request request) {
    attempts++;
    if (fault == Fault.ERROR_MEANS_BUSY && attempts % EVERY == 0) {
      throw new IllegalStateException("try again");
    }
    requireWritable();
    if (full) {
      throw new IllegalStateException(FULL);
    }
    if (fault == Fault.ALWAYS_YES) {
      return new Answer(++lastToken, 1, 0);
    }
    long now = now(request.clientClock());
    if (fault == Fault.PASSES_AFTER_EXPIRY && isExpired(request.name(), now)) {
      return replace(request);
    }
    boolean expired = fault == Fault.TAKES_AND_SAYS_BUSY && isExpired(request.name(), now);
    if (fault == Fault.TOKENS_AMONG_NAMES && isNameOfTokens(request.name())) {
      return new Answer(Wire.BUSY, 0, TimeUnit.MILLISECONDS.toNanos(1));
    }
    Lock lock = lockForAttempt(request.name(), now);
    if (request.fair() && lock.held == null && !lock.queue.isEmpty() && !lock.isUnserved) {
      lock.queue.enter(request, now);
      serve(request.name(), lock, now);
    }
    Held held = fault == Fault.LOOKS_THEN_TAKES ? null : lock.held;
    Held own = held == null ? null : lock.holdOf(request.id());
    if (own != null) {
      long since = arrivals.getOrDefault(request.id(), now);
      own.expiresAt = Math.max(own.expiresAt, since + request.lease());
      boolean counts = fault == Fault.REPLAY_COUNTS
          || (fault == Fault.REPEATED_ENTRY_COUNTS && own != held)
          || (fault == Fault.REPEATED_READER_COUNTS
              && request.capacity() == Integer.MAX_VALUE
              && !request.waits());
      own.entries += counts ? 1 : 0;
      long same = fault == Fault.TOKEN_CHANGES ? ++lastToken : own.token;
      return new Answer(same, own.tokens, 0);
    }
    Held outer = held == null ? null : lock.outerOf(request);
    if (outer != null) {
      lock.queue.remove(request.id());
      Held entry = enter(request, lock, outer, now + request.lease());
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
      endFirstOfThree(request.client());
    }
    if (fault == Fault.EVICTS_NAMES) {
      evict(request.name());
    }
    if (fault == Fault.REFUSES_NAMES && hasNoRoom()) {
      return new Answer(Wire.BUSY, 0, TimeUnit.MILLISECONDS.toNanos(1));
    }
    Held granted = grant(request, lock, now + request.lease());
    return expired
        ? new Answer(Wire.BUSY, 0, TimeUnit.MILLISECONDS.toNanos(1))
        : new Answer(granted.token, granted.tokens, 0);
  }

  /** Lets a shared owner in beside its hold. */
  private Held enter(Request request, Lock lock, Held outer, long end) {
    boolean apart = fault == Fault.TOKEN_LEAVES_WITH_ENTRY && outer.isEntry;
    Held entry = new Held(request, apart ? ++lastToken : outer.token, 1, end);
    entry.isEntry = true;
    lock.beside.put(request.id(), entry);
    if (fault == Fault.ENTRY_CUTS_OWNERS_LEASES) {
      lock.cutLeases(end);
    }
    return entry;
  }

  /** Whether another lock that was used keeps its tokens under this name. */
  private boolean isNameOfTokens(String name) {
    withTokens.add(name);
    return name.endsWith(TOKENS) && withTokens.contains(name.replaceFirst(TOKENS + "$", ""));
  }

  private void endFirstOfThree(String client) {
    List<Lock> held = locks.values().stream()
        .filter(lock -> lock.held != null && lock.held.request.client().equals(client))
        .sorted(Comparator.comparingLong(lock -> lock.held == null ? 0 : lock.held.token))
        .toList();
    if (held.size() > 1) {
      held.get(0).leave();
    }
  }

  /** Makes room as a cache does. */
  private void evict(String name) {
    locks.entrySet().stream()
        .filter(lock -> lock.getValue().held != null && !lock.getKey().equals(name))
        .sorted(Comparator.comparingLong(lock -> lock.getValue().firstToken()))
        .limit(Math.max(0, locks.size() - MOST_HELD))
        .map(Map.Entry::getKey)
        .toList()
        .forEach(locks::remove);
  }

  private boolean hasNoRoom() {
    return locks.values().stream().filter(lock -> lock.held != null).count() >= MOST_HELD;
  }

  /** The first half of an attempt that is not atomic. */
  Answer look(Request request) {
    long now = System.nanoTime();
    Lock lock = lock(request.name(), now);
    Held held = lock.held;
    if (held == null) {
      return new Answer(Wire.FREE, 0, 0);
    }
    return sameHolder(held.request, request)
        ? new Answer(held.token, held.tokens, 0)
        : waits(request, lock, held, now);
  }

  /** The first half of an attempt that counts before it takes. */
  Answer count(Request request) {
    long now = System.nanoTime();
    Lock lock = lock(request.name(), now);
    Held held = lock.held;
    return held == null || lock.holdOf(request.id()) != null || lock.mayJoin(request)
        ? new Answer(Wire.FREE, 0, 0)
        : waits(request, lock, held, now);
  }

  /** The second half. */
  Answer take(Request request) {
    long now = System.nanoTime();
    Held granted = grant(request, lock(request.name(), now), now + request.lease());
    return new Answer(granted.token, granted.tokens, 0);
  }

  private Answer waits(Request request, Lock lock, Held held, long now) {
    long left = Math.max(TimeUnit.MILLISECONDS.toNanos(1), held.expiresAt - now);
    if (fault == Fault.NO_WAIT_QUEUES && !request.waits()) {
      lock.queue.enter(request, now);
    }
    if (request.waits() && (request.fair() || request.shared())) {
      if (fault == Fault.FAIR_LEASE_FROM_ARRIVAL) {
        arrivals.putIfAbsent(request.id(), now);
      }
      return lock.queue.enter(request, now)
          ? new Answer(Wire.QUEUED, 0, Math.min(left, lock.queue.refresh()))
          : new Answer(Wire.BUSY, 0, Math.min(left, SPIN));
    }
    if (request.waits()
        && !(fault == Fault.NOTES_FIFTY_WAITERS && lock.waiters.size() >= MOST_NOTED)) {
      lock.waiters.put(request.id(), request.client());
      if (fault == Fault.KEEPS_AWAITED) {
        everUsed.add(request.name());
      }
    }
    return new Answer(Wire.BUSY, 0, Math.min(left, longestRecheck()));
  }

  private Held grant(Request request, Lock lock, long expiresAt) {
    boolean still = fault == Fault.TOKEN_STANDS_STILL;
    boolean apart = fault == Fault.READERS_COUNT_APART && request.capacity() != 1;
    long token = still ? 1 : apart ? lastToken + AHEAD + ++grants : nextToken(lock);
    int tokens = still ? 1 : request.tokens();
    lastToken = apart
        ? lastToken
        : Math.max(lastToken, token + (fault == Fault.RESERVES_ONE_TOKEN ? 1 : tokens) - 1);
    long end = expiresAt;
    if (fault == Fault.HUNDREDTH_IS_SHORT && ++grants % HUNDRED == 0) {
      end = Math.min(end, System.nanoTime() + SECOND);
    }
    long hidden =
        fault == Fault.CAPS_AND_HIDES ? Math.max(0, end - System.nanoTime() - LONGEST_LEASE) : 0;
    Held granted = new Held(request, token, tokens, end - hidden);
    granted.hidden = hidden;
    granted.since += clockAhead();
    if (fault == Fault.KEEPS_SHARED && request.capacity() != 1) {
      everUsed.add(request.name());
    }
    if (lock.held == null || fault == Fault.LOOKS_THEN_TAKES) {
      lock.held = granted;
    } else {
      lock.beside.put(request.id(), granted);
      if (fault == Fault.JOINER_SETS_LEASES) {
        lock.holders().forEach(hold -> hold.expiresAt = granted.expiresAt);
      } else if (fault == Fault.JOINER_SETS_TOKENS) {
        lock.holders().forEach(hold -> hold.token = granted.token);
      } else if (fault == Fault.PERMITS_SHARE_TOKEN && request.isForPermits()) {
        granted.token = lock.held.token;
      }
    }
    lock.end = Lock.End.NONE;
    lock.isUnserved = false;
    if (request.shared() && fault != Fault.TELLS_NO_OWNER) {
      lock.queue.waitingAs(request.owner()).stream()
          .limit(fault == Fault.TELLS_ONE_OF_OWNER ? 1 : Long.MAX_VALUE)
          .forEach(other -> tell(other.client(), new Event("wake", other.name(), other.id())));
    }
    if (fault == Fault.COMPARES_BEGINNINGS) {
      values.put(request.id(), values.size());
    }
    return granted;
  }

  private long clockAhead() {
    return switch (fault) {
      case CLOCK_AHEAD -> TimeUnit.MINUTES.toMillis(3);
      case LOCAL_TIME -> TimeUnit.HOURS.toMillis(1);
      default -> 0;
    };
  }

  private long nextToken(Lock lock) {
    if (drawn != 0) {
      return drawn;
    }
    if (fault == Fault.TOKEN_STANDS_OVER_EXPIRY && lock.expiredToken != 0) {
      return lock.expiredToken;
    }
    if (standsStill(lock)) {
      return lock.expiredToken;
    }
    if (fault == Fault.TOKEN_WRAPS_LATE) {
      return 1 + ++grants % MORE_TOKENS_UNTIL_WRAP;
    }
    if (fault == Fault.TOKEN_WRAPS) {
      return 1 + ++grants % TOKENS_UNTIL_WRAP;
    }
    return lastToken + 1;
  }

  /** Whether the last hold ended in the way over which tokens do not grow. */
  private boolean standsStill(Lock lock) {
    return (fault == Fault.TOKEN_STANDS_OVER_FORCE && lock.end == Lock.End.FORCED)
        || (fault == Fault.TOKEN_STANDS_OVER_ABANDON && lock.end == Lock.End.ABANDONED);
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
    return ++lastToken;
  }

  /** The second half. */
  Answer attemptWith(Request request, long token) {
    drawn = token;
    try {
      return attempt(request);
    } finally {
      drawn = 0;
    }
  }

  /** The first half of an attempt that replaces what has expired. */
  boolean isExpired(Request request) {
    return isExpired(request.name(), System.nanoTime());
  }

  /** The second half: whatever is there by now. */
  Answer replace(Request request) {
    locks.remove(key(request.name()));
    return attempt(request);
  }

  /** The first half of an attempt that looks before it notes that it waits. */
  boolean isHeldByAnother(Request request) {
    Lock lock = lock(request.name(), System.nanoTime());
    boolean other = lock.held != null && lock.holdOf(request.id()) == null;
    forget(request.name(), lock);
    return other;
  }

  /** The second half. */
  boolean noteWaiter(Request request) {
    lock(request.name(), System.nanoTime()).waiters.put(request.id(), request.client());
    return true;
  }

  /** The first half of an attempt that looks for its owner's hold before it enters beside it. */
  boolean isHeldByOwner(Request request) {
    Lock lock = lock(request.name(), System.nanoTime());
    boolean owns = lock.holdOf(request.id()) == null && lock.outerOf(request) != null;
    forget(request.name(), lock);
    return owns;
  }

  /** The second half, whoever holds the lock by now. */
  Answer enterOrTake(Request request) {
    long now = System.nanoTime();
    Lock lock = lock(request.name(), now);
    Held outer = lock.outerOf(request);
    return outer == null
        ? take(request)
        : new Answer(enter(request, lock, outer, now + request.lease()).token, 1, 0);
  }

  /** Whether nobody but this client has asked this. */
  boolean isFirstToAsk(Request request) {
    firstToAsk = firstToAsk == null ? request.client() : firstToAsk;
    return firstToAsk.equals(request.client());
  }

  /** The first half of what is not one step: whether the hold is there. */
  boolean holds(Request request) {
    Lock lock = locks.get(key(request.name()));
    if (lock != null) {
      lock.expire(System.nanoTime());
    }
    return lock != null && lock.holdOf(request.id()) != null;
  }

  /** The second half: frees whatever hold is there. */
  boolean freeByName(String name) {
    Lock lock = lock(name, System.nanoTime());
    if (lock.held != null) {
      free(name, lock);
    }
    return true;
  }

  /** The second half: prolongs whatever hold is there. */
  Answer prolongByName(Request request) {
    Held held = lock(request.name(), System.nanoTime()).held;
    if (held == null) {
      return new Answer(Wire.BUSY, 0, 0);
    }
    held.expiresAt = Math.max(held.expiresAt, System.nanoTime() + request.lease());
    return new Answer(held.token, held.tokens, 0);
  }

  /**
   * Grants what is free of a lock to the first in the queue who listens, and to those behind it
   * that fit, for a short time, in which they must repeat their attempts.
   */
  private boolean serve(String name, Lock lock, long now) {
    boolean served = false;
    Set<String> told = new HashSet<>();
    Request next = next(lock, now);
    while (next != null) {
      grant(next, lock, now + Math.min(next.lease(), FairQueue.CLAIM));
      boolean first = told.add(next.client());
      if (fault != Fault.FAIR_WAITERS_POLL && (first || fault != Fault.TELLS_CLIENT_ONCE)) {
        tell(next.client(), new Event("wake", name, next.id()));
      }
      served = true;
      next = next(lock, now);
    }
    return served;
  }

  private @Nullable Request next(Lock lock, long now) {
    if ((fault == Fault.SERVES_ONE_OF_QUEUE && lock.held != null)
        || (fault == Fault.SERVES_THREE && lock.beside.size() >= 2)) {
      return null;
    }
    boolean last = unfair(lock);
    return lock.queue.next(now, subscribers::containsKey, lock::fits, last);
  }

  private boolean unfair(Lock lock) {
    return switch (fault) {
      case SERVES_THE_LAST -> true;
      case UNFAIR_AFTER_EXPIRY -> lock.end == Lock.End.EXPIRED;
      case UNFAIR_AFTER_FORCE -> lock.end == Lock.End.FORCED;
      default -> false;
    };
  }

  private long longestRecheck() {
    return switch (fault) {
      case POLLS -> POLL;
      case SPINS -> SPIN;
      case TRUSTS_MESSAGES, WAKES_THE_DEAD -> Long.MAX_VALUE;
      default -> LONGEST_RECHECK;
    };
  }

  private void requireWritable() {
    if (readOnly) {
      throw new IllegalStateException("the store is read-only");
    }
    if (full && fault == Fault.FULL_MEANS_STUCK) {
      throw new IllegalStateException(FULL);
    }
  }

  /** For the fault that sets the lease by a command of its own. */
  boolean expire(String name, String id, long lease) {
    Lock lock = lock(name, System.nanoTime());
    if (lock.held != null && lock.held.request.id().equals(id)) {
      lock.held.expiresAt = System.nanoTime() + lease;
    }
    return true;
  }

  /** Renews one after the other, in one step. */
  Answer[] renewAll(List<Request> requests) {
    requireWritable();
    if (fault == Fault.BATCH_BY_NAME) {
      Map<String, Answer> answers = new HashMap<>();
      Map<String, Request> last = new HashMap<>();
      requests.forEach(request -> last.put(request.name(), request));
      last.forEach((name, request) -> answers.put(name, renewOne(request)));
      return requests.stream().map(request -> answers.get(request.name())).toArray(Answer[]::new);
    }
    return requests.stream().map(this::renewOne).toArray(Answer[]::new);
  }

  private Answer renewOne(Request request) {
    boolean failed = fault != Fault.ONE_FAILS_ALL && spoilt.contains(key(request.name()));
    return failed ? new Answer(Wire.FAILED, 0, 0) : renew(request);
  }

  /** Answers the token and the number of tokens reserved, or that it waits, or that it is gone. */
  Answer renew(Request request) {
    long now = now(request.clientClock());
    Lock lock = lock(request.name(), now);
    Held held = lock.held;
    if (held == null && fault == Fault.RESURRECTS) {
      held = new Held(request, lastToken, 1, now);
      lock.held = held;
    }
    Held own = lock.holdOf(request.id());
    if (own == null
        && fault == Fault.RENEWS_BY_CLIENT
        && held != null
        && held.request.client().equals(request.client())) {
      own = held;
    }
    if (held == null || own == null) {
      boolean queued = lock.queue.refresh(request.id(), now);
      forget(request.name(), lock);
      long left = held == null ? SPIN : held.expiresAt - now;
      return new Answer(queued ? Wire.QUEUED : Wire.BUSY, 0, Math.min(left, lock.queue.refresh()));
    }
    own.renewals++;
    own.since = fault == Fault.SINCE_OF_RENEWAL ? System.currentTimeMillis() : own.since;
    own.units = fault == Fault.RENEWAL_LOSES_UNITS ? 1 : own.units;
    if (request.minToken() > own.token && fault != Fault.IGNORES_MIN_TOKEN) {
      raise(lock, own, request.minToken());
    }
    long end = (fault == Fault.RENEWALS_ADD_UP ? own.expiresAt : now) + request.lease();
    if (fault == Fault.RENEWAL_CUTS_OTHERS) {
      lock.cutLeases(end);
    }
    if (fault == Fault.RENEWS_OWNERS_ENTRIES) {
      lock.prolongEntriesOf(own, end);
    }
    if (fault == Fault.RENEWS_ALL_HOLDERS) {
      lock.holders().forEach(hold -> hold.expiresAt = Math.max(hold.expiresAt, end));
    } else if (isMade(own, request.lease(), now)) {
      own.expiresAt = fault == Fault.RENEWAL_SHORTENS ? end : Math.max(own.expiresAt, end);
    }
    return new Answer(own.token, own.tokens, 0);
  }

  /** The entries of one owner have one token. */
  private void raise(Lock lock, Held own, long token) {
    long before = own.token;
    lock.holders().filter(hold -> hold.token == before).forEach(hold -> hold.token = token);
    if (fault != Fault.RAISES_NO_COUNTER) {
      lastToken = Math.max(lastToken, token + own.tokens - 1);
    }
  }

  private boolean isMade(Held renewed, long lease, long now) {
    return switch (fault) {
      case FORGETS_RENEWALS -> renewed.renewals <= SOME_RENEWALS;
      case SKIPS_EARLY_RENEWALS -> renewed.expiresAt - now < lease / 2;
      default -> true;
    };
  }

  boolean release(Request request) {
    requireWritable();
    Lock lock = lock(request.name(), now(request.clientClock()));
    Held held = lock.held;
    boolean anybody = fault == Fault.NO_OWNER_CHECK
        || beginsTheSame(held, request)
        || (fault == Fault.COMPARES_CLIENTS
            && held != null
            && held.request.client().equals(request.client()));
    Held entry = lock.beside.get(request.id());
    boolean counted = fault == Fault.REPEATED_ENTRY_COUNTS || fault == Fault.REPEATED_READER_COUNTS;
    if (counted && entry != null && --entry.entries > 0) {
      return true;
    }
    if (fault == Fault.ALWAYS_YES || lock.beside.remove(request.id()) != null) {
      serve(request.name(), lock, System.nanoTime());
      return true;
    }
    if (fault == Fault.PERMITS_COME_BACK_TWICE && held != null && held.request.isForPermits()) {
      lock.end(held);
      return false;
    }
    if (held == null || !(anybody || sameHolder(held.request, request))) {
      forget(request.name(), lock);
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
      free(request.name(), lock);
    }
    return true;
  }

  /** The second half of a release that is not one step. */
  boolean serveReleased(String name) {
    Lock lock = lock(name, System.nanoTime());
    lock.isUnserved = false;
    if (lock.held == null) {
      hand(name, lock);
      forget(name, lock);
    }
    return true;
  }

  /** Each value is the one before it with a suffix. */
  private boolean beginsTheSame(@Nullable Held held, Request request) {
    Integer given = values.get(request.id());
    return held != null && given != null && given <= values.get(held.request.id());
  }

  boolean abandon(Request request) {
    requireWritable();
    Lock lock = lock(request.name(), now(request.clientClock()));
    if (fault != Fault.KEEPS_WAITERS) {
      lock.waiters.remove(request.id());
    }
    if (fault != Fault.KEEPS_TIMED_OUT) {
      lock.queue.remove(request.id());
    }
    if (fault == Fault.ABANDON_REMOVES_CLIENT) {
      lock.waiters.values().removeIf(request.client()::equals);
      lock.queue.removeClient(request.client());
    }
    lock.beside.remove(request.id());
    serveUnlessLeft(request.name(), lock, System.nanoTime());
    Held held = lock.held;
    if (held == null) {
      wake(request.name(), lock);
      forget(request.name(), lock);
    } else if (held.request.id().equals(request.id()) || fault == Fault.ABANDONS_ANYBODY) {
      if (fault == Fault.RENEWS_ORPHANS) {
        held.expiresAt += ORPHANS_LIFE;
      } else if (fault == Fault.ABANDON_WAKES_NOBODY) {
        lock.leave();
      } else {
        lock.end = Lock.End.ABANDONED;
        lock.expiredToken = held.token;
        free(request.name(), lock);
      }
    }
    return true;
  }

  @Nullable
  Info inspect(String asked, long clientClock) {
    String name = fault == Fault.INSPECT_CUTS_NAMES ? beginning(asked) : asked;
    long now = now(clientClock);
    if (spoilt.contains(key(name))) {
      return new Info("unknown", "", 0, NO_EXPIRY, 0, 0, new ArrayList<>());
    }
    Lock asIs = fault == Fault.INSPECT_SEES_EXPIRED ? locks.get(key(name)) : null;
    Lock lock = asIs == null ? lock(name, now) : asIs;
    Held held = lock.held;
    if (held == null) {
      forget(name, lock);
      if (fault == Fault.KEEPS_INSPECTED) {
        everUsed.add(name);
      }
      return null;
    }
    int waiters = fault == Fault.BLIND_INSPECT ? 0 : lock.waiters.size() + lock.queue.size();
    Info first = info(held, now, waiters);
    lock.beside.values().stream()
        .filter(other -> other.token != held.token)
        .limit(fault == Fault.INSPECT_TELLS_TEN ? TOLD_HOLDERS - 1 : Long.MAX_VALUE)
        .forEach(other -> first.others().add(info(other, now, waiters)));
    return first;
  }

  private Info info(Held held, long now, int waiters) {
    String owner = held.request.owner();
    boolean cut = fault == Fault.INSPECT_CUTS_OWNERS && owner.length() > TOLD_OF_OWNER;
    return new Info(
        cut ? owner.substring(0, TOLD_OF_OWNER) : owner,
        held.request.host(),
        held.since,
        Math.max(0, held.expiresAt - now + held.hidden),
        held.token,
        waiters,
        new ArrayList<>());
  }

  boolean forceRelease(String name, long token, long clientClock) {
    requireWritable();
    if (token == 0 && spoilt.remove(key(name))) {
      return true;
    }
    Lock lock = lock(name, now(clientClock));
    boolean all = fault == Fault.FORCES_ANYBODY
        || (fault == Fault.FORCE_ENDS_ALL && lock.holders().anyMatch(held -> held.has(token)));
    List<Held> victims = lock.holders()
        .filter(held -> all || held.has(token))
        .limit(fault == Fault.FORCE_ENDS_ONE_ENTRY ? 1 : Long.MAX_VALUE)
        .toList();
    for (Held victim : victims) {
      tell(victim.request.client(), new Event("revoked", name, victim.request.id()));
      lock.end(victim);
      if (fault == Fault.FORCE_GIVES_ONE_BACK && victim.units > 1) {
        keepAllButOne(lock, victim);
      }
    }
    if (!victims.isEmpty()) {
      lock.end = Lock.End.FORCED;
      if (fault == Fault.KEEPS_FORCED) {
        everUsed.add(name);
      }
      lock.expiredToken = victims.get(0).token;
      boolean shared = victims.get(0).request.capacity() != 1;
      if (fault != Fault.FORCE_WAKES_NOBODY
          && !(shared && fault == Fault.SHARED_FORCE_WAKES_NOBODY)) {
        hand(name, lock);
      }
    }
    forget(name, lock);
    return !victims.isEmpty();
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

  private long now(long clientClock) {
    return fault == Fault.CLIENT_CLOCK
        ? TimeUnit.MILLISECONDS.toNanos(clientClock)
        : System.nanoTime();
  }

  private Lock lock(String name, long now) {
    Lock lock = known(name);
    lock.expire(now);
    serveUnlessLeft(name, lock, now);
    return lock;
  }

  /** The same for an attempt. */
  private Lock lockForAttempt(String name, long now) {
    Lock lock = known(name);
    if (fault == Fault.EXPIRES_ONE_AT_A_TIME) {
      lock.expireOne(now);
    } else {
      lock.expire(now);
    }
    if (!lock.isUnserved) {
      serveUnlessLeft(name, lock, now);
    }
    return lock;
  }

  private Lock known(String name) {
    if (fault == Fault.KEEPS_NAMES) {
      everUsed.add(name);
    }
    if (spoilt.contains(key(name))) {
      throw new IllegalStateException("the lock is spoilt");
    }
    Lock lock = locks.computeIfAbsent(key(name), key -> new Lock(fault));
    if (fault == Fault.SESSIONS_END) {
      long now = System.nanoTime();
      lock.holders()
          .filter(hold -> sessions.isOver(hold.request.client(), now))
          .toList()
          .forEach(lock::end);
    }
    return lock;
  }

  private void serveUnlessLeft(String name, Lock lock, long now) {
    if (fault != Fault.SERVES_ON_RELEASE_ONLY || lock.held == null) {
      serve(name, lock, now);
    }
  }

  private boolean isExpired(String name, long now) {
    Lock lock = locks.get(key(name));
    return lock != null && lock.held != null && lock.held.expiresAt - now <= 0;
  }

  private String key(String name) {
    return Names.key(fault, name, locks.keySet());
  }

  private static boolean sameHolder(Request holder, Request other) {
    return holder.id().equals(other.id());
  }

  private void free(String name, Lock lock) {
    lock.leave();
    hand(name, lock);
    forget(name, lock);
  }

  private void hand(String name, Lock lock) {
    if (!serve(name, lock, System.nanoTime()) && lock.held == null) {
      wake(name, lock);
    }
  }

  /**
   * Wakes the first who listens. It says in its attempt whether it still wants the lock, or gives
   * up in a way that wakes the next.
   */
  private void wake(String name, Lock lock) {
    Iterator<Map.Entry<String, String>> waiters = lock.waiters.entrySet().iterator();
    boolean told = false;
    while (waiters.hasNext() && (!told || wakesAll())) {
      Map.Entry<String, String> waiter = waiters.next();
      if (subscribers.containsKey(waiter.getValue()) || fault == Fault.WAKES_THE_DEAD) {
        waiters.remove();
        if (fault != Fault.POLLS) {
          tell(waiter.getValue(), new Event("wake", name, waiter.getKey()));
        }
        told = true;
      }
    }
  }

  /** Who keeps waiters that have left must wake those behind them too. */
  private boolean wakesAll() {
    return fault == Fault.WAKES_ALL || fault == Fault.KEEPS_WAITERS;
  }

  private void forget(String name, Lock lock) {
    if (lock.held == null && !lock.isAwaited() && !standsStill(lock)) {
      locks.remove(key(name));
    }
  }

  private void tell(String client, Event event) {
    Consumer<Event> subscriber = subscribers.get(client);
    boolean own = fault == Fault.TELLS_NOT_ITSELF && client.equals(asking);
    boolean unknown = fault == Fault.CUTS_CHANNEL_NAMES && event.name().length() > CHANNEL_NAME_END;
    if (subscriber != null && !own && !unknown) {
      subscriber.accept(event);
    }
  }
}
