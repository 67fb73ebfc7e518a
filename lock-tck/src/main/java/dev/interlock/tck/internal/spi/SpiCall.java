package dev.interlock.tck.internal.spi;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A call between the engine, or the kit, and a backend. Times are readings of
 * {@link System#nanoTime()}, which is one clock for all JVMs of a host.
 *
 * @param client who called, unique in the rule's run
 * @param thread the thread it came on
 * @param call the method and its arguments
 * @param began when it went out
 * @param took how long it took; negative if it is under way
 * @param answer what came of it
 */
public record SpiCall(
    String client, String thread, String call, long began, long took, String answer)
    implements Serializable {
  private static final Pattern PATIENCE = Pattern.compile(" patience=[^ ,;)]*");
  private static final Pattern RECHECK = Pattern.compile("recheck=[^],;]*");

  /**
   * Tells the last calls in the order they began, in words. Those of a client that follow one
   * another and differ in their times only count as one.
   */
  public static List<String> lines(List<SpiCall> calls, long start) {
    List<List<SpiCall>> alike = new ArrayList<>();
    calls.stream().sorted(Comparator.comparingLong(SpiCall::began)).forEach(call -> {
      if (alike.isEmpty() || !alike.get(alike.size() - 1).get(0).isRepeatedBy(call)) {
        alike.add(new ArrayList<>());
      }
      alike.get(alike.size() - 1).add(call);
    });
    List<String> lines = new ArrayList<>();
    if (!alike.isEmpty()) {
      lines.add("calls at the SPI, of all clients that could be asked, and when they began:");
    }
    alike.stream()
        .skip(Math.max(0, alike.size() - SpiTrace.MOST_TOLD))
        .forEach(same -> lines.add(line(same, start)));
    return lines;
  }

  private static String line(List<SpiCall> same, long start) {
    int more = same.size() - 1;
    String first = same.get(0).line(start);
    return more == 0
        ? first
        : "%s, and %d times more until %.3f ms"
            .formatted(first, more, (same.get(more).began - start) / 1e6);
  }

  private boolean isRepeatedBy(SpiCall later) {
    return took >= 0
        && later.took >= 0
        && client.equals(later.client)
        && thread.equals(later.thread)
        && withoutPatience(call).equals(withoutPatience(later.call))
        && withoutTimes(answer).equals(withoutTimes(later.answer));
  }

  private static String withoutPatience(String text) {
    return PATIENCE.matcher(text).replaceAll("");
  }

  private static String withoutTimes(String text) {
    return RECHECK.matcher(text).replaceAll("");
  }

  private String line(long start) {
    String end = took < 0
        ? "not answered yet"
        : took < 1_000_000 ? answer : "%s, after %.3f ms".formatted(answer, took / 1e6);
    return "%10.3f ms  %s on %s %s: %s".formatted((began - start) / 1e6, client, thread, call, end);
  }
}
