package dev.interlock.compare.report;

import gg.jte.html.OwaspHtmlTemplateOutput;
import gg.jte.output.StringOutput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Writes the report's files. */
public final class ReportFiles {
  private ReportFiles() {}

  /**
   * Writes {@code report.json}, {@code report.md} and {@code report.html}.
   *
   * @param directory exists
   * @return what was written
   */
  public static List<Path> write(Report report, Path directory) throws IOException {
    return List.of(
        write(directory.resolve("report.json"), ReportJson.of(report)),
        write(directory.resolve("report.md"), markdown(report)),
        write(directory.resolve("report.html"), html(report)));
  }

  @SuppressWarnings("NullAway") // generated code has no null marks; it takes no interceptor as null
  static String markdown(Report report) {
    StringOutput text = new StringOutput();
    JtemarkdownGenerated.render(text, null, report);
    return text.toString();
  }

  @SuppressWarnings("NullAway") // as above
  static String html(Report report) {
    StringOutput text = new StringOutput();
    JtepageGenerated.render(new OwaspHtmlTemplateOutput(text), null, new PageView(report));
    return text.toString();
  }

  private static Path write(Path file, String text) throws IOException {
    return Files.writeString(file, text, StandardCharsets.UTF_8);
  }
}
