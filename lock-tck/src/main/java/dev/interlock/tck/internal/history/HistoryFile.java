package dev.interlock.tck.internal.history;

import dev.interlock.tck.internal.history.History.Check;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The histories of one rule in a text file: a row in columns for each hold or call, in nanoseconds
 * since the first, and lines beginning with # that say what they are. A time of
 * {@link Long#MAX_VALUE} stands for one that did not come about.
 *
 * @param rule the rule's id
 * @param provider the provider that did this, with its version
 * @param seed of the run
 * @param histories in the order in which they were judged
 */
public record HistoryFile(String rule, String provider, long seed, List<History> histories) {
  private static final String TITLE = "# Interlock history 1";
  private static final String MARK = "# ";
  private static final String CHECK = "check";

  public HistoryFile {
    histories = List.copyOf(histories);
  }

  /** Writes the file, in place of what is there. */
  public void write(Path file) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      line(out, TITLE);
      line(out, MARK + Row.of("rule", rule));
      line(out, MARK + Row.of("provider", provider));
      line(out, MARK + Row.of("seed", seed));
      for (History history : histories) {
        line(out, MARK + Row.of(CHECK, history.check(), history.check().words()));
        line(out, MARK + history.check().columns());
        for (Iterator<String> rows = history.rows().iterator(); rows.hasNext(); ) {
          line(out, rows.next());
        }
      }
    }
  }

  private static void line(BufferedWriter out, String text) throws IOException {
    out.write(text);
    out.write('\n');
  }

  /**
   * Reads a file.
   *
   * @throws IOException if it cannot be read, or is something else
   */
  public static HistoryFile read(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    if (lines.isEmpty() || !lines.get(0).equals(TITLE)) {
      throw new IOException("its first line is not \"" + TITLE + "\"");
    }
    try {
      return parse(lines.subList(1, lines.size()));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new IOException("a line is not of the form of a history: " + e.getMessage(), e);
    }
  }

  private static HistoryFile parse(List<String> lines) {
    Map<String, String> head = new HashMap<>();
    List<Check> checks = new ArrayList<>();
    List<List<String>> rows = new ArrayList<>();
    for (String line : lines) {
      if (!line.startsWith(MARK)) {
        rows.get(rows.size() - 1).add(line);
        continue;
      }
      List<String> columns = Row.columns(line.substring(MARK.length()));
      if (columns.get(0).equals(CHECK)) {
        checks.add(Check.valueOf(columns.get(1)));
        rows.add(new ArrayList<>());
      } else {
        head.put(columns.get(0), columns.get(1));
      }
    }
    List<History> histories = new ArrayList<>();
    for (int i = 0; i < checks.size(); i++) {
      histories.add(History.ofRows(checks.get(i), rows.get(i)));
    }
    return new HistoryFile(
        head.getOrDefault("rule", ""),
        head.getOrDefault("provider", ""),
        Long.parseLong(head.getOrDefault("seed", "")),
        histories);
  }
}
