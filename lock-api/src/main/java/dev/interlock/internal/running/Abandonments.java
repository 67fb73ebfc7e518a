package dev.interlock.internal.running;

import dev.interlock.LockException;
import dev.interlock.LockListener;
import dev.interlock.spi.HoldId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Removes from the server what an attempt may have left there, in the background, until the server
 * has confirmed it or one lease has passed, after which the server has dropped it by itself.
 */
public final class Abandonments {
  private static final long FIRST_RETRY = 100_000_000;
  private static final long LONGEST_RETRY = 2_000_000_000;

  // A command without an answer may still run. Servers run what they have read within one round of
  // their loop, so a second abandonment, sent after the first was answered, comes after it.
  private static final long SECOND_LOOK = 1_000_000_000;

  private static final class Residue {
    final String name;
    final List<HoldId> ids;
    final long until;
    final Runnable removed;
    int looks;
    long retry = FIRST_RETRY;
    boolean failed;

    Residue(String name, List<HoldId> ids, long until, int looks, Runnable removed) {
      this.name = name;
      this.ids = ids;
      this.until = until;
      this.looks = looks;
      this.removed = removed;
    }
  }

  private final BackendCalls calls;
  private final ClientThreads threads;
  private final LockListener listener;
  private final Consumer<String> freed;
  private final Set<Residue> pending = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** @param freed told of a lock that may have become free by an abandonment */
  public Abandonments(
      BackendCalls calls, ClientThreads threads, LockListener listener, Consumer<String> freed) {
    this.calls = calls;
    this.threads = threads;
    this.listener = listener;
    this.freed = freed;
  }

  /**
   * Removes it soon.
   *
   * @param lease how long the server would keep it, in nanoseconds
   * @param mayRunLate a command of this id has not been answered
   * @param removed told once the server has confirmed, or nobody will ask it any more; must not
   *     block
   */
  public void add(String name, HoldId id, long lease, boolean mayRunLate, Runnable removed) {
    addLater(name, id, lease, mayRunLate, removed, 0);
  }

  /** The same for several, in one step, all of whose commands have been answered. */
  public void addTogether(String name, List<HoldId> ids, long lease) {
    add(new Residue(name, ids, System.nanoTime() + lease, 1, () -> {}), 0);
  }

  /** The same, not before a delay in nanoseconds is over. */
  public void addLater(
      String name, HoldId id, long lease, boolean mayRunLate, Runnable removed, long delay) {
    long until = System.nanoTime() + delay + lease;
    add(new Residue(name, List.of(id), until, mayRunLate ? 2 : 1, removed), delay);
  }

  private void add(Residue residue, long delay) {
    pending.add(residue);
    if (closed) { // looked at after it was added: the last try has seen it, or nobody will
      forget();
    } else if (delay == 0) {
      cleanUp(residue);
    } else {
      var unused = threads.schedule(() -> cleanUp(residue), delay);
    }
  }

  private void cleanUp(Residue residue) {
    // A server that has not answered before would take up the threads that others can use at once.
    threads.cleanUp(() -> remove(residue), residue.looks > 1 || residue.failed);
  }

  private void remove(Residue residue) {
    residue.failed = !isAbandoned(residue);
    long delay = SECOND_LOOK;
    if (residue.failed) {
      delay = residue.retry;
      residue.retry = Math.min(LONGEST_RETRY, 2 * delay);
    } else {
      residue.looks--;
    }
    if (residue.looks == 0 || System.nanoTime() - residue.until >= 0) {
      pending.remove(residue);
      residue.removed.run(); // also if the server has not confirmed: nobody asks it any more
    } else {
      var unused = threads.schedule(() -> cleanUp(residue), delay);
    }
    if (!residue.failed) {
      freed.accept(residue.name);
    }
    if (residue.looks == 0) {
      listener.abandoned(residue.name);
    }
  }

  /**
   * Last try, for closing, until the time is over. Whatever fails once is tried again. Answers
   * whether no answer is missing.
   */
  public boolean flush(long deadline) {
    boolean over = threads.closeAll(
        pending,
        residue -> {
          if (!isAbandoned(residue) && System.nanoTime() - deadline < 0) {
            isAbandoned(residue);
          }
        },
        deadline);
    closed = true;
    forget();
    return over;
  }

  private void forget() {
    pending.removeIf(residue -> {
      residue.removed.run();
      return true;
    });
  }

  private boolean isAbandoned(Residue residue) {
    try {
      calls.abandon(residue.name, residue.ids);
      residue.removed.run();
      return true;
    } catch (LockException e) { // the listener has heard of it from BackendCalls
      return false;
    }
  }
}
