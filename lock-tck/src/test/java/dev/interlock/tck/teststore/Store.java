package dev.interlock.tck.teststore;

import dev.interlock.tck.teststore.Wire.Answer;
import dev.interlock.tck.teststore.Wire.Event;
import dev.interlock.tck.teststore.Wire.Info;
import dev.interlock.tck.teststore.Wire.Request;
import java.io.Serializable;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
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
  private static final long POLL = TimeUnit.MILLISECONDS.toNanos(400);
  private static final long NO_EXPIRY = TimeUnit.DAYS.toNanos(1_000);
  private static final int EVERY = 7;
  private static final int SOME_RENEWALS = 3;

  /** What a command is answered that should be sent again. */
  static final String AGAIN = "again";

  private static final String FULL = "the store is full";

  private final Fault fault;
  private final Map<String, Lock> locks = new HashMap<>();
  private final Map<String, Consumer<Event>> subscribers = new ConcurrentHashMap<>();
  // In which order ids asked: what is left of a value that is compared only by its beginning.
  private final Map<String, Integer> values = new HashMap<>();
  private final Set<String> everUsed = ConcurrentHashMap.newKeySet();
  private final Set<String> spoilt = ConcurrentHashMap.newKeySet();
  private long lastToken;
  private int attempts;
  private int disturbances;
  private boolean readOnly;
  private boolean full;

  Store(Fault fault) {
    this.fault = fault;
    loseState();
  }

  synchronized void loseState() {
    locks.clear();
    lastToken = fault == Fault.TOKENS_BEGIN_AGAIN ? 0 : System.currentTimeMillis() * 1_000;
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

  synchronized @Nullable Serializable execute(Command command) {
    if (disturbances > 0) {
      disturbances--;
      throw new IllegalStateException(AGAIN);
    }
    return command.run(this);
  }

  synchronized void left(String client) {
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

  synchronized long entries() {
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
    boolean expired = fault == Fault.TAKES_AND_SAYS_BUSY && isExpired(request.name(), now);
    Lock lock = lock(request.name(), now);
    if (request.fair() && lock.held == null && !lock.queue.isEmpty()) {
      lock.queue.enter(request, now);
      serve(request.name(), lock, now);
    }
    Held held = fault == Fault.LOOKS_THEN_TAKES ? null : lock.held;
    Held own = held == null ? null : lock.holdOf(request.id());
    if (own != null) {
      own.expiresAt = Math.max(own.expiresAt, now + request.lease());
      own.entries += fault == Fault.REPLAY_COUNTS ? 1 : 0;
      long same = fault == Fault.TOKEN_CHANGES ? ++lastToken : own.token;
      return new Answer(same, own.tokens, 0);
    }
    if (held != null && lock.mayEnterBeside(request)) {
      lock.queue.remove(request.id());
      lock.beside.put(request.id(), new Held(request, held.token, 1, now + request.lease()));
      return new Answer(held.token, 1, 0);
    }
    if (held != null) {
      return waits(request, lock, held, now);
    }
    lock.waiters.remove(request.id());
    Held granted = grant(request, lock, now + request.lease());
    return expired
        ? new Answer(Wire.BUSY, 0, TimeUnit.MILLISECONDS.toNanos(1))
        : new Answer(granted.token, granted.tokens, 0);
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

  private Answer waits(Request request, Lock lock, Held held, long now) {
    long left = Math.max(TimeUnit.MILLISECONDS.toNanos(1), held.expiresAt - now);
    if (request.waits() && (request.fair() || request.shared())) {
      return lock.queue.enter(request, now)
          ? new Answer(Wire.QUEUED, 0, Math.min(left, lock.queue.refresh()))
          : new Answer(Wire.BUSY, 0, Math.min(left, SPIN));
    }
    if (request.waits()) {
      lock.waiters.put(request.id(), request.client());
    }
    return new Answer(Wire.BUSY, 0, Math.min(left, longestRecheck()));
  }

  private Held grant(Request request, Lock lock, long expiresAt) {
    boolean still = fault == Fault.TOKEN_STANDS_STILL;
    long token = still ? 1 : lastToken + 1;
    int tokens = still ? 1 : request.tokens();
    lastToken += tokens;
    Held granted = new Held(request, token, tokens, expiresAt);
    lock.held = granted;
    if (request.shared() && fault != Fault.TELLS_NO_OWNER) {
      lock.queue
          .waitingAs(request.owner())
          .forEach(other -> tell(other.client(), new Event("wake", other.name(), other.id())));
    }
    if (fault == Fault.COMPARES_BEGINNINGS) {
      values.put(request.id(), values.size());
    }
    return granted;
  }

  /**
   * Grants a free lock to the first in the queue who listens, for a short time, in which it must
   * repeat its attempt.
   */
  private boolean serve(String name, Lock lock, long now) {
    Request next = lock.held == null ? lock.queue.next(now, subscribers::containsKey) : null;
    if (next == null) {
      return false;
    }
    grant(next, lock, now + Math.min(next.lease(), FairQueue.CLAIM));
    tell(next.client(), new Event("wake", name, next.id()));
    return true;
  }

  private long longestRecheck() {
    return switch (fault) {
      case POLLS -> POLL;
      case SPINS -> SPIN;
      case TRUSTS_MESSAGES -> Long.MAX_VALUE;
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
    if (held == null || own == null) {
      boolean queued = lock.queue.refresh(request.id(), now);
      forget(request.name(), lock);
      long left = held == null ? SPIN : held.expiresAt - now;
      return new Answer(queued ? Wire.QUEUED : Wire.BUSY, 0, Math.min(left, lock.queue.refresh()));
    }
    own.renewals++;
    if (isMade(own, request.lease(), now)) {
      own.expiresAt = Math.max(own.expiresAt, now + request.lease());
    }
    return new Answer(own.token, own.tokens, 0);
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
    boolean anybody = fault == Fault.NO_OWNER_CHECK || beginsTheSame(held, request);
    if (fault == Fault.ALWAYS_YES || lock.beside.remove(request.id()) != null) {
      return true;
    }
    if (held == null || !(anybody || sameHolder(held.request, request))) {
      forget(request.name(), lock);
      return false;
    }
    held.entries--;
    if (held.entries == 0) {
      free(request.name(), lock);
    }
    return true;
  }

  /** Each value is the one before it with a suffix. */
  private boolean beginsTheSame(@Nullable Held held, Request request) {
    Integer given = values.get(request.id());
    return held != null && given != null && given <= values.get(held.request.id());
  }

  boolean abandon(Request request) {
    Lock lock = lock(request.name(), now(request.clientClock()));
    if (fault != Fault.KEEPS_WAITERS) {
      lock.waiters.remove(request.id());
    }
    if (fault != Fault.KEEPS_TIMED_OUT) {
      lock.queue.remove(request.id());
    }
    lock.beside.remove(request.id());
    Held held = lock.held;
    if (held == null) {
      wake(request.name(), lock);
      forget(request.name(), lock);
    } else if (held.request.id().equals(request.id())) {
      if (fault == Fault.RENEWS_ORPHANS) {
        held.expiresAt += ORPHANS_LIFE;
      } else {
        free(request.name(), lock);
      }
    }
    return true;
  }

  @Nullable
  Info inspect(String name, long clientClock) {
    long now = now(clientClock);
    if (spoilt.contains(key(name))) {
      return new Info("unknown", "", 0, NO_EXPIRY, 0, 0);
    }
    Lock lock = lock(name, now);
    Held held = lock.held;
    if (held == null) {
      forget(name, lock);
      return null;
    }
    int waiters = fault == Fault.BLIND_INSPECT ? 0 : lock.waiters.size() + lock.queue.size();
    return new Info(
        held.request.owner(),
        held.request.host(),
        held.since,
        held.expiresAt - now,
        held.token,
        waiters);
  }

  boolean forceRelease(String name, long token, long clientClock) {
    requireWritable();
    if (token == 0 && spoilt.remove(key(name))) {
      return true;
    }
    Lock lock = lock(name, now(clientClock));
    Held held = lock.held;
    boolean named = held != null && held.token <= token && token < held.token + held.tokens;
    if (held == null || !(named || fault == Fault.FORCES_ANYBODY)) {
      forget(name, lock);
      return false;
    }
    tell(held.request.client(), new Event("revoked", name, held.request.id()));
    lock.beside.clear();
    free(name, lock);
    return true;
  }

  private long now(long clientClock) {
    return fault == Fault.CLIENT_CLOCK
        ? TimeUnit.MILLISECONDS.toNanos(clientClock)
        : System.nanoTime();
  }

  private Lock lock(String name, long now) {
    if (fault == Fault.KEEPS_NAMES) {
      everUsed.add(name);
    }
    if (spoilt.contains(key(name))) {
      throw new IllegalStateException("the lock is spoilt");
    }
    Lock lock = locks.computeIfAbsent(key(name), key -> new Lock(fault));
    lock.expire(now);
    serve(name, lock, now);
    return lock;
  }

  private boolean isExpired(String name, long now) {
    Lock lock = locks.get(key(name));
    return lock != null && lock.held != null && lock.held.expiresAt - now <= 0;
  }

  private String key(String name) {
    return fault == Fault.FOLDS_NAMES ? name.toLowerCase(Locale.ROOT) : name;
  }

  private static boolean sameHolder(Request holder, Request other) {
    return holder.id().equals(other.id());
  }

  private void free(String name, Lock lock) {
    lock.leave();
    if (lock.held == null && !serve(name, lock, System.nanoTime())) {
      wake(name, lock);
    }
    forget(name, lock);
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
      if (subscribers.containsKey(waiter.getValue())) {
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
    if (lock.held == null && !lock.isAwaited()) {
      locks.remove(key(name));
    }
  }

  private void tell(String client, Event event) {
    Consumer<Event> subscriber = subscribers.get(client);
    if (subscriber != null) {
      subscriber.accept(event);
    }
  }
}
