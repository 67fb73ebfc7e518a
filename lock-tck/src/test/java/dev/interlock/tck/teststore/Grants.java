package dev.interlock.tck.teststore;

import dev.interlock.tck.teststore.Wire.Answer;
import dev.interlock.tck.teststore.Wire.Event;
import dev.interlock.tck.teststore.Wire.Request;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Who is granted a lock, with which token; who is next, and is told of it. */
final class Grants {
  private static final int HUNDRED = 100;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long LONGEST_LEASE = 15 * SECOND;
  private static final long FADED = TimeUnit.MILLISECONDS.toNanos(300);
  private static final long NOTED = 8 * SECOND;
  private static final int CHANNEL_NAME_END = 63;

  private final LockTable table;
  private final Fault fault;
  private final Map<String, Consumer<Event>> subscribers = new ConcurrentHashMap<>();
  // In which order ids asked: what is left of a value that is compared only by its beginning.
  private final Map<String, Integer> values = new HashMap<>();
  // Whose command runs.
  private String asking = "";
  private long count;
  // When each client was told something, for a fault.
  private final Map<String, Long> lastTold = new ConcurrentHashMap<>();
  private final LateEvents late = new LateEvents();
  private final FormerOwners formerOwners;
  private final Tokens tokens;

  Grants(LockTable table, Fault fault) {
    this.table = table;
    this.fault = fault;
    this.formerOwners = new FormerOwners(fault);
    this.tokens = new Tokens(fault);
  }

  /** Notes whose command runs. */
  void asks(String client) {
    asking = client;
  }

  void subscribe(String client, Consumer<Event> subscriber) {
    subscribers.put(client, subscriber);
    lastTold.put(client, System.nanoTime());
  }

  /** Unless the client has subscribed again meanwhile. */
  void unsubscribe(String client, Consumer<Event> subscriber) {
    subscribers.remove(client, subscriber);
    lastTold.remove(client);
  }

  /** Finds or makes a lock, with what has expired handed on. */
  Lock lock(String name, long now) {
    Lock lock = table.known(name);
    lock.expire(now);
    serveUnlessLeft(name, lock, now);
    return lock;
  }

  /** The same for an attempt. */
  Lock lockForAttempt(String name, long now) {
    Lock lock = table.known(name);
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

  void serveUnlessLeft(String name, Lock lock, long now) {
    if (fault != Fault.SERVES_ON_RELEASE_ONLY || lock.held == null) {
      serve(name, lock, now);
    }
  }

  Held grant(Request request, Lock lock, long expiresAt) {
    long token = tokens.take(request, lock);
    int reserved = fault == Fault.TOKEN_STANDS_STILL ? 1 : request.tokens();
    long end = expiresAt;
    if (fault == Fault.HUNDREDTH_IS_SHORT && ++count % HUNDRED == 0) {
      end = Math.min(end, System.nanoTime() + SECOND);
    }
    end = Math.max(end, lock.leftUntil == 0 ? end : lock.leftUntil);
    lock.leftUntil = 0;
    long hidden =
        fault == Fault.CAPS_AND_HIDES ? Math.max(0, end - System.nanoTime() - LONGEST_LEASE) : 0;
    Held granted = new Held(request, token, reserved, end - hidden);
    granted.hidden = hidden;
    granted.since = since(request, granted.since);
    if (fault == Fault.KEEPS_SHARED && request.capacity() != 1) {
      table.keep(request.name());
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
    formerOwners.granted(granted);
    if (fades(granted, lock)) {
      granted.fade(System.nanoTime() + FADED);
    }
    lock.end = Lock.End.NONE;
    lock.lastToken = token;
    lock.lastOwner = request.owner();
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

  private boolean fades(Held granted, Lock lock) {
    Held expired = lock.end == Lock.End.EXPIRED ? lock.expired : null;
    return switch (fault) {
      case FADES_AFTER_EXPIRY ->
        expired != null && !expired.request.client().equals(granted.request.client());
      case FADES_AFTER_FORCE -> lock.end == Lock.End.FORCED;
      case FADES_AFTER_ABANDON -> lock.end == Lock.End.ABANDONED;
      default -> false;
    };
  }

  /** Lets a shared owner in beside its hold. */
  Held enter(Request request, Lock lock, Held outer, long end) {
    boolean apart = fault == Fault.TOKEN_LEAVES_WITH_ENTRY && outer.isEntry;
    Held entry = new Held(request, apart ? tokens.draw() : outer.token, 1, end);
    entry.isEntry = true;
    lock.beside.put(request.id(), entry);
    if (fault == Fault.ENTRY_CUTS_OWNERS_LEASES) {
      lock.cutLeases(end);
    }
    return entry;
  }

  private long since(Request request, long now) {
    return switch (fault) {
      case CLOCK_AHEAD -> now + TimeUnit.MINUTES.toMillis(3);
      case LOCAL_TIME -> now + TimeUnit.HOURS.toMillis(1);
      case SINCE_OF_ARRIVAL -> request.clientClock();
      default -> now;
    };
  }

  /** Whether one is taken for the other: each value is the one before it with a suffix. */
  boolean beginsTheSame(@Nullable Held held, Request request) {
    Integer given = values.get(request.id());
    return held != null && given != null && given <= values.get(held.request.id());
  }

  Tokens tokens() {
    return tokens;
  }

  FormerOwners formerOwners() {
    return formerOwners;
  }

  void free(String name, Lock lock) {
    lock.leave();
    hand(name, lock);
    table.forget(name, lock);
  }

  void hand(String name, Lock lock) {
    if (!serve(name, lock, System.nanoTime()) && lock.held == null) {
      wake(name, lock);
    }
  }

  /**
   * Grants what is free of a lock to the first in the queue who listens, and to those behind it
   * that fit, for a short time, in which they must repeat their attempts.
   */
  boolean serve(String name, Lock lock, long now) {
    boolean served = false;
    Set<String> told = new HashSet<>();
    boolean servesOne = (fault == Fault.FORCE_SERVES_ONE && lock.end == Lock.End.FORCED)
        || (fault == Fault.EXPIRY_SERVES_ONE && lock.end == Lock.End.EXPIRED);
    Request next = next(lock, now);
    long firstToken = 0;
    while (next != null) {
      tokens.drawn(fault == Fault.QUEUE_KEEPS_TOKEN ? lock.lastToken : 0);
      String ownerBefore = lock.lastOwner;
      boolean inFull =
          fault == Fault.COUNTS_GRANTS_FROM_MESSAGE || fault == Fault.PLACE_HIDES_GRANT;
      long lease = inFull ? next.lease() : Math.min(next.lease(), FairQueue.CLAIM);
      Held granted = grant(next, lock, now + lease);
      granted.isHandedOver = true;
      if (fault == Fault.OWN_HAND_OFF_FADES && next.client().equals(asking)) {
        granted.fade(now + FADED);
      }
      granted.told = fault == Fault.INSPECT_TELLS_OWNER_BEFORE ? ownerBefore : null;
      tokens.served(granted);
      firstToken = firstToken == 0 ? granted.token : firstToken;
      granted.token = fault == Fault.SERVED_TOGETHER_SHARE_TOKEN ? firstToken : granted.token;
      boolean first = told.add(next.client());
      if (isTold(next, first, lock)) {
        tell(next.client(), served(name, granted));
      }
      served = true;
      if (fault == Fault.QUEUE_FORGETS_OTHERS) {
        lock.waiters.clear();
      }
      lock.servesNobody = servesOne;
      next = next(lock, now);
    }
    if (served && fault == Fault.QUEUE_WAKES_ALL) {
      lock.queue
          .waiting()
          .forEach(other -> tell(other.client(), new Event("wake", name, other.id())));
    }
    return served;
  }

  private boolean isTold(Request served, boolean first, Lock lock) {
    return switch (fault) {
      case FAIR_WAITERS_POLL -> false;
      case PARTS_POLL -> served.capacity() == 1;
      case TELLS_CLIENT_ONCE -> first;
      case LINES_POLL -> lock.queue.isEmpty();
      default -> true;
    };
  }

  private Event served(String name, Held granted) {
    String id = granted.request.id();
    return fault == Fault.COUNTS_GRANTS_FROM_MESSAGE
        ? new Event(
            "granted",
            name,
            id,
            new Answer(granted.token, granted.tokens, 0),
            granted.request.lease())
        : new Event("wake", name, id);
  }

  private @Nullable Request next(Lock lock, long now) {
    long mostServed = switch (fault) {
      case SERVES_ONE_OF_QUEUE -> 1;
      case SERVES_THREE -> 3;
      case SERVES_SIXTEEN -> 16;
      default -> Long.MAX_VALUE;
    };
    if (lock.servesNobody || lock.holders().count() >= mostServed) {
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
      case UNFAIR_AFTER_ABANDON -> lock.end == Lock.End.ABANDONED;
      case PARTS_UNFAIR_AFTER_FORCE -> lock.end == Lock.End.FORCED && lock.queue.endsWithPart();
      default -> false;
    };
  }

  /**
   * Wakes the first who listens. It says in its attempt whether it still wants the lock, or gives
   * up in a way that wakes the next.
   */
  void wake(String name, Lock lock) {
    if (fault == Fault.NOTES_LAST_EIGHT_SECONDS) {
      long now = System.nanoTime();
      lock.waiters.keySet().removeIf(id -> now - lock.noted.getOrDefault(id, now) > NOTED);
    }
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

  private boolean isIdle(String client) {
    return fault == Fault.DEAF_WHEN_IDLE
        && System.nanoTime() - lastTold.getOrDefault(client, 0L) > 4 * SECOND;
  }

  void tell(String client, Event event) {
    Consumer<Event> subscriber = subscribers.get(client);
    boolean own = fault == Fault.TELLS_NOT_ITSELF && client.equals(asking);
    boolean unknown = fault == Fault.CUTS_CHANNEL_NAMES && event.name().length() > CHANNEL_NAME_END;
    if (subscriber != null && !own && !unknown && !isIdle(client)) {
      lastTold.put(client, System.nanoTime());
      if (fault == Fault.FIFTH_EVENT_IS_LATE) {
        late.tell(subscriber, event);
      } else {
        subscriber.accept(event);
      }
    }
  }
}
