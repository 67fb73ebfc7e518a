package dev.interlock.tck.internal.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Two holds that cannot both be right. */
public record Violation(String what, Hold first, Hold second) {

  /** Prints the events of the two holds in order of time. */
  public List<String> lines() {
    long start = Math.min(first.acquired(), second.acquired());
    List<Event> events = new ArrayList<>();
    for (Hold hold : List.of(first, second)) {
      String who = hold.owner();
      String token = hold.token() == 0 ? "" : " with token " + hold.token();
      events.add(new Event(hold.acquired(), who + " had acquired \"" + hold.name() + "\"" + token));
      if (hold.released() <= hold.until()) {
        events.add(new Event(hold.released(), who + " called release"));
      } else {
        events.add(new Event(hold.until(), who + "'s lease was valid until here"));
      }
    }
    List<String> lines = new ArrayList<>();
    lines.add(what);
    events.stream()
        .sorted(Comparator.comparingLong(Event::at))
        .forEach(event -> lines.add(line(event, start)));
    return lines;
  }

  private static String line(Event event, long start) {
    return String.format(Locale.ROOT, "%+12.3f ms  %s", (event.at() - start) / 1e6, event.text());
  }

  private record Event(long at, String text) {}
}
