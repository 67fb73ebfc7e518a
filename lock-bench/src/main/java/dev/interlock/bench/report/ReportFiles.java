package dev.interlock.bench.report;

import dev.interlock.bench.report.Tables.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Writes a report as JSON and as Markdown. */
public final class ReportFiles {
  private ReportFiles() {}

  /**
   * Writes both files.
   *
   * @param directory created if it is not there
   * @param stem the files' name
   * @return the files
   */
  public static List<Path> write(BenchReport report, Path directory, String stem)
      throws IOException {
    Files.createDirectories(directory);
    Path json = directory.resolve(stem + ".json");
    Path markdown = directory.resolve(stem + ".md");
    Files.writeString(json, json(report));
    Files.writeString(markdown, markdown(report));
    return List.of(json, markdown);
  }

  static String json(BenchReport report) {
    JsonMapper mapper =
        JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    return mapper.writeValueAsString(report) + "\n";
  }

  static String markdown(BenchReport report) {
    List<String> lines = new ArrayList<>();
    lines.add("# Interlock bench");
    lines.add("");
    Tables.notes(report).forEach(note -> lines.add("- " + note));
    for (Table table : TerminalReport.tables(report)) {
      lines.add("");
      lines.add("## " + table.title());
      lines.add("");
      lines.add(markdownRow(table.header()));
      List<String> rule = new ArrayList<>(Collections.nCopies(table.header().size(), "---:"));
      rule.set(0, "---");
      lines.add(markdownRow(rule));
      table.rows().forEach(row -> lines.add(markdownRow(row)));
    }
    return String.join("\n", lines) + "\n";
  }

  private static String markdownRow(List<String> cells) {
    return "| " + String.join(" | ", cells) + " |";
  }
}
