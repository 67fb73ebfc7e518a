package dev.interlock.tck.internal.run;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The last calls of a test and the faults between them, for the evidence of its failure. Calls that
 * follow one another and are the same in all but their times count as one. Thread-safe.
 */
final class CallTrace {
  static final int MOST = 20;
  private static final int LONGEST_ANSWER = 300;

  /** A call that may be under way, or something that happened. */
  static final class Entry {
    private final String what;
    private final long began;
    private long ended;
    private @Nullable String answer;
    private int times = 1;

    private Entry(String what, long began) {
      this.what = what;
      this.began = began;
      this.ended = began;
    }

    private boolean isRepeatedBy(Entry later) {
      return answer != null && what.equals(later.what) && answer.equals(later.answer);
    }

    private String line(long start) {
      String begin = "%10.3f ms  %s".formatted((began - start) / 1e6, what);
      if (answer == null) {
        return begin + ": not answered yet";
      }
      String end = answer.isEmpty() ? begin : begin + ": " + answer;
      return times > 1
          ? "%s, and %d times more until %.3f ms".formatted(end, times - 1, (ended - start) / 1e6)
          : ended - began < 1_000_000
              ? end
              : "%s, after %.3f ms".formatted(end, (ended - began) / 1e6);
    }
  }

  private final Deque<Entry> entries = new ArrayDeque<>();
  private long start = System.nanoTime();
  private long left;
  private long answers;

  /** Forgets what was, for another test begins. */
  synchronized void restart() {
    entries.clear();
    start = System.nanoTime();
    left = 0;
  }

  /** Returns how many calls of the test's own threads have had an answer. */
  synchronized long answers() {
    return answers;
  }

  /** Returns when the test began. */
  synchronized long start() {
    return start;
  }

  /** Notes that a call goes out. */
  synchronized Entry begin(String call) {
    Entry entry = new Entry(call, System.nanoTime());
    entries.add(entry);
    if (entries.size() > MOST) {
      left += entries.remove().times;
    }
    return entry;
  }

  /** Notes what a call came to. */
  synchronized void end(Entry entry, String answer) {
    if (Thread.currentThread().getName().startsWith(RuleExecutor.THREAD)) {
      answers++;
    }
    finish(entry, answer);
  }

  private void finish(Entry entry, String answer) {
    entry.ended = System.nanoTime();
    entry.answer = shortened(answer);
    if (entries.peekLast() == entry) {
      entries.removeLast();
      Entry before = entries.peekLast();
      if (before != null && before.isRepeatedBy(entry)) {
        before.times++;
        before.ended = entry.ended;
      } else {
        entries.add(entry);
      }
    }
  }

  /** Notes what is no call. */
  synchronized void event(String what) {
    finish(begin(what), "");
  }

  /** Tells the calls in the order they went out, if there were any. */
  synchronized List<String> lines() {
    List<String> lines = new ArrayList<>();
    if (!entries.isEmpty()) {
      lines.add(
          left == 0
              ? "calls of the test in this JVM, and when they began:"
              : "last calls of the test in this JVM, after %,d others, and when they began:"
                  .formatted(left));
    }
    entries.forEach(entry -> lines.add(entry.line(start)));
    return lines;
  }

  /** An answer in one line that does not hide the others. */
  private static String shortened(String answer) {
    String line = answer.lines().findFirst().orElse("");
    return line.length() > LONGEST_ANSWER ? line.substring(0, LONGEST_ANSWER) + "..." : line;
  }
}
