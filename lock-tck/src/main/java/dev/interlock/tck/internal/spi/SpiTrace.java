package dev.interlock.tck.internal.spi;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The last calls at the SPI in one JVM. They are put into words only when they are asked for, since
 * nearly all of them are forgotten unread. Thread-safe.
 */
public final class SpiTrace {
  /** How many lines are told of one failure. */
  static final int MOST_TOLD = 40;

  /** How many of a JVM are put into words for these lines, each of which may be many calls. */
  private static final int MOST_ASKED = 400;

  /** So many that those on one lock are still there when a crowd on many locks was judged. */
  static final int MOST_KEPT = 2_000;

  /** What is called, or answered. */
  interface Told {

    /**
     * Puts it into words. Of a batch only a part is told.
     *
     * @param lock whose part is wanted first; empty if none is
     */
    String words(String lock);
  }

  /** A call that may be under way. */
  static final class Entry {
    private final String client;
    private final String thread;
    private final Supplier<Set<String>> locks;
    private final Told call;
    private final long began = System.nanoTime();
    private long ended;
    private @Nullable Told answer;

    private Entry(String client, String thread, Supplier<Set<String>> locks, Told call) {
      this.client = client;
      this.thread = thread;
      this.locks = locks;
      this.call = call;
    }

    /** Whether it is about a lock, as it is if it is about none in particular. */
    private boolean isAbout(String lock) {
      Set<String> named = lock.isEmpty() ? Set.of() : locks.get();
      return named.isEmpty() || named.contains(lock);
    }

    private SpiCall told(String lock) {
      Told ending = answer;
      return ending == null
          ? new SpiCall(client, thread, call.words(lock), began, -1, "")
          : new SpiCall(client, thread, call.words(lock), began, ended - began, ending.words(lock));
    }
  }

  private final Deque<Entry> entries = new ArrayDeque<>();

  /**
   * Notes that a call goes out.
   *
   * @param locks the names that it is about; none if it is about all
   */
  synchronized Entry begin(String client, Supplier<Set<String>> locks, Told call) {
    Entry entry = new Entry(client, Thread.currentThread().getName(), locks, call);
    entries.add(entry);
    if (entries.size() > MOST_KEPT) {
      entries.remove();
    }
    return entry;
  }

  /** Notes what a call came to. */
  synchronized void end(Entry entry, Told answer) {
    entry.ended = System.nanoTime();
    entry.answer = answer;
  }

  /**
   * Tells the last calls that began within some time.
   *
   * @param lock the name of the lock that they must be about; empty if that does not matter
   */
  public synchronized List<SpiCall> calls(long from, long to, String lock) {
    Deque<SpiCall> last = new ArrayDeque<>();
    var latestFirst = entries.descendingIterator();
    while (latestFirst.hasNext() && last.size() < MOST_ASKED) {
      Entry entry = latestFirst.next();
      if (entry.began - from >= 0 && to - entry.began >= 0 && entry.isAbout(lock)) {
        last.addFirst(entry.told(lock));
      }
    }
    return List.copyOf(last);
  }
}
