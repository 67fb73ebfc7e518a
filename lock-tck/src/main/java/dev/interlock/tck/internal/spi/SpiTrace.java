package dev.interlock.tck.internal.spi;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
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

  /** A call that may be under way. */
  static final class Entry {
    private final String client;
    private final String thread;
    private final Supplier<String> call;
    private final long began = System.nanoTime();
    private long ended;
    private @Nullable Supplier<String> answer;

    private Entry(String client, String thread, Supplier<String> call) {
      this.client = client;
      this.thread = thread;
      this.call = call;
    }

    private SpiCall told() {
      Supplier<String> words = answer;
      return words == null
          ? new SpiCall(client, thread, call.get(), began, -1, "")
          : new SpiCall(client, thread, call.get(), began, ended - began, words.get());
    }
  }

  private final Deque<Entry> entries = new ArrayDeque<>();

  /** Notes that a call goes out. */
  synchronized Entry begin(String client, Supplier<String> call) {
    Entry entry = new Entry(client, Thread.currentThread().getName(), call);
    entries.add(entry);
    if (entries.size() > MOST_KEPT) {
      entries.remove();
    }
    return entry;
  }

  /** Notes what a call came to. */
  synchronized void end(Entry entry, Supplier<String> answer) {
    entry.ended = System.nanoTime();
    entry.answer = answer;
  }

  /**
   * Tells the last calls that began within some time.
   *
   * @param part what a call's words must contain, such as a lock's name
   */
  public synchronized List<SpiCall> calls(long from, long to, String part) {
    Deque<SpiCall> last = new ArrayDeque<>();
    var latestFirst = entries.descendingIterator();
    while (latestFirst.hasNext() && last.size() < MOST_ASKED) {
      Entry entry = latestFirst.next();
      if (entry.began - from >= 0 && to - entry.began >= 0) {
        SpiCall call = entry.told();
        if (call.call().contains(part)) {
          last.addFirst(call);
        }
      }
    }
    return List.copyOf(last);
  }
}
