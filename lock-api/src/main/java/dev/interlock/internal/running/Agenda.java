package dev.interlock.internal.running;

import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * When to look at which hold or queue entry again. One timer serves them all: a quick cycle of
 * acquire and release leaves no timer behind, because there is only ever the one for the earliest
 * item, and it is not touched when an item is removed.
 *
 * <p>No item is overlooked: it is entered before the timer is looked at, and the timer is taken
 * away before it looks at the items.
 */
public final class Agenda {
  /** After a fault, so that a hold is renewed in time all the same. */
  private static final long RETRY = 50_000_000;

  /** The timer, too, stands still while the machine is suspended: it looks for that so often. */
  private static final long LONGEST_SLEEP = 1_000_000_000;

  /** Something to be looked at. */
  public abstract static class Item {
    // Guarded by this item.
    private @Nullable Entry entry;
    private boolean retired;

    /** Called on the timer thread when the time has come; must not block. */
    public abstract void due();

    /** Called there when time may have passed that was not counted; must not block. */
    public void clocksJumped() {}

    /**
     * Called once the client is closed, if it was to be looked at later: its time will not come
     * here. Must not block.
     */
    public void outlivesClient(long at) {}
  }

  private record Entry(long at, long sequence, Item item) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      long difference = at - other.at; // nanoTime may wrap: only differences count
      return difference != 0 ? Long.signum(difference) : Long.compare(sequence, other.sequence);
    }
  }

  private static final class Timer {
    final long at;

    @Nullable
    Future<?> task; // guarded by timerLock

    Timer(long at) {
      this.at = at;
    }
  }

  private final ClientThreads threads;
  private final Clocks clocks;
  private int jumps; // only looked at on the timer thread
  private final ConcurrentSkipListSet<Entry> entries = new ConcurrentSkipListSet<>();
  private final AtomicLong sequence = new AtomicLong();
  private final Object timerLock = new Object();
  private volatile @Nullable Timer timer; // written under timerLock
  private volatile boolean closed;

  public Agenda(ClientThreads threads, Clocks clocks) {
    this.threads = threads;
    this.clocks = clocks;
    this.jumps = clocks.jumps();
  }

  /** Sets or moves the time of an item. Does nothing for one that was retired. */
  public void put(Item item, long at) {
    Entry entry = new Entry(at, sequence.getAndIncrement(), item);
    synchronized (item) {
      if (item.retired) {
        return;
      }
      removeEntry(item);
      item.entry = entry;
      entries.add(entry);
    }
    if (closed) { // looked at after it was entered: either way it hears of it
      item.outlivesClient(at);
    } else {
      setTimer(at);
    }
  }

  /** No time comes any more. */
  public void close() {
    closed = true;
    entries.forEach(entry -> entry.item().outlivesClient(entry.at()));
  }

  public void remove(Item item) {
    synchronized (item) {
      removeEntry(item);
    }
  }

  /** Removes an item for good, also against whoever is just about to put it back. */
  public void retire(Item item) {
    synchronized (item) {
      item.retired = true;
      removeEntry(item);
    }
  }

  private void removeEntry(Item item) {
    Entry old = item.entry;
    if (old != null) {
      entries.remove(old);
      item.entry = null;
    }
  }

  private void setTimer(long wanted) {
    long latest = System.nanoTime() + LONGEST_SLEEP;
    long at = wanted - latest > 0 ? latest : wanted;
    if (isSoonEnough(timer, at)) {
      return;
    }
    synchronized (timerLock) {
      Timer late = timer;
      if (isSoonEnough(late, at)) {
        return;
      }
      Timer next = new Timer(at);
      next.task = threads.schedule(() -> run(next), at - System.nanoTime());
      timer = next;
      if (late != null && late.task != null) {
        late.task.cancel(false); // or each short lease would leave one behind until a long one ends
      }
    }
  }

  private static boolean isSoonEnough(@Nullable Timer set, long at) {
    return set != null && at - set.at >= 0;
  }

  private void run(Timer mine) {
    synchronized (timerLock) {
      if (timer != mine) {
        return; // overtaken by an earlier one, which looks at everything
      }
      timer = null;
    }
    try {
      lookAtAll();
    } catch (Throwable e) { // memory, at worst: without a timer nothing would be looked at any more
      setTimer(System.nanoTime() + RETRY);
      throw e;
    }
  }

  private void lookAtAll() {
    int seen = clocks.jumps();
    if (seen != jumps) {
      jumps = seen;
      // A copy: each is entered anew, behind those of the same time, where the set's own iterator
      // would meet it again and again.
      for (Entry entry : List.copyOf(entries)) {
        guard(entry.item(), entry.item()::clocksJumped);
      }
    }
    long now = System.nanoTime();
    for (Entry first = firstOrNull(); first != null; first = firstOrNull()) {
      if (first.at() - now > 0) {
        setTimer(first.at());
        return;
      }
      if (take(first)) {
        guard(first.item(), first.item()::due);
      }
    }
  }

  private void guard(Item item, Runnable look) {
    try {
      look.run();
    } catch (Throwable e) {
      put(item, System.nanoTime() + RETRY);
      threads.report("A timed task of the lock client failed; it is tried again", e);
    }
  }

  private @Nullable Entry firstOrNull() {
    for (Entry entry : entries) {
      return entry;
    }
    return null;
  }

  private boolean take(Entry entry) {
    synchronized (entry.item()) {
      if (entry.equals(entry.item().entry)) {
        removeEntry(entry.item());
        return true;
      }
    }
    entries.remove(entry);
    return false;
  }
}
