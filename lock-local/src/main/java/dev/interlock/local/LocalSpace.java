package dev.interlock.local;

import dev.interlock.spi.HoldQuery;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one namespace of this JVM; what a server is to the other providers. Thread-safe;
 * every operation on a lock is one step under one monitor. Memory is used only by locks that are
 * held or waited for.
 *
 * <p>Time is whatever the ticker says, so a test can let leases run out at will. The validity that
 * a {@link dev.interlock.Lease} reports is counted on {@link System#nanoTime()} all the same.
 */
public final class LocalSpace {
  private static final ConcurrentHashMap<String, LocalSpace> NAMED = new ConcurrentHashMap<>();

  /** At how many locks whoever adds one looks; with one, those that are over would never go. */
  private static final int LOOKS = 2;

  private final LongSupplier ticker;
  // Guarded by the map.
  private final Map<String, LocalLock> locks = new LinkedHashMap<>();
  private final Map<String, LocalBackend> clients = new ConcurrentHashMap<>();
  private final AtomicLong lastToken =
      new AtomicLong(TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));

  private LocalSpace(LongSupplier ticker) {
    this.ticker = ticker;
  }

  /**
   * Creates a space with the JVM's own clock.
   *
   * @return an empty space
   */
  public static LocalSpace create() {
    return new LocalSpace(System::nanoTime);
  }

  /**
   * Creates a space with a clock of its own.
   *
   * @param ticker nanoseconds from any origin; must never go back
   * @return an empty space
   */
  public static LocalSpace create(LongSupplier ticker) {
    return new LocalSpace(ticker);
  }

  static LocalSpace named(String namespace) {
    return NAMED.computeIfAbsent(namespace, name -> create());
  }

  void join(String client, LocalBackend backend) {
    clients.put(client, backend);
  }

  void leave(String client) {
    clients.remove(client);
  }

  /** Reserves fencing tokens and returns the first. */
  long tokens(int count) {
    return lastToken.getAndAdd(count) + 1;
  }

  /** Gives out no fencing token up to this one any more. */
  void reserveUpTo(long last) {
    lastToken.accumulateAndGet(last, Math::max);
  }

  /**
   * Runs one step on a lock, and then, outside the monitor, tells those clients whom it concerns.
   *
   * @param step gets the lock and the time
   */
  <T> T step(String name, BiFunction<LocalLock, Long, T> step) {
    List<LocalLock.Notice> notices;
    T result;
    synchronized (locks) {
      LocalLock lock = locks.get(name);
      if (lock == null) {
        tidy();
        lock = new LocalLock(name, this);
        locks.put(name, lock);
      }
      result = step.apply(lock, ticker.getAsLong());
      notices = new ArrayList<>(lock.takeNotices());
      if (lock.isIdle()) {
        locks.remove(name);
      }
    }
    for (LocalLock.Notice notice : notices) {
      @Nullable LocalBackend client = clients.get(notice.client());
      if (client != null) {
        notice.tell().accept(client.events());
      }
    }
    return result;
  }

  /**
   * Leases that ran out unreleased are noticed at the next use of their lock, or else here: whoever
   * adds a lock looks at more than one, in turns, so that those that are over become fewer.
   */
  private void tidy() {
    long now = ticker.getAsLong();
    for (int i = 0; i < LOOKS && !locks.isEmpty(); i++) {
      String eldest = locks.keySet().iterator().next();
      LocalLock lock = Objects.requireNonNull(locks.remove(eldest));
      if (!lock.isOver(now)) {
        locks.put(eldest, lock); // its turn comes after all others
      }
    }
  }

  /** The first names, in their order, of locks that are held or waited for. */
  List<String> names(HoldQuery query) {
    String after = query.after().orElse("");
    synchronized (locks) {
      return locks.keySet().stream()
          .filter(name -> name.startsWith(query.prefix()) && name.compareTo(after) > 0)
          .sorted()
          .limit(query.limit())
          .toList();
    }
  }

  /** How many locks are held or waited for. */
  int size() {
    synchronized (locks) {
      long now = ticker.getAsLong();
      locks.values().removeIf(lock -> lock.isOver(now));
      return locks.size();
    }
  }
}
