package dev.interlock.compare.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.compare.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportReaderTest {
  @TempDir
  private Path directory;

  @Test
  void every_form_is_made_again_from_the_json_and_is_the_same() throws IOException {
    Report report = SampleReport.create();
    Path made = Files.createDirectory(directory.resolve("made"));
    ReportFiles.write(report, made);
    Path again = directory.resolve("again");

    Cli.Outcome outcome =
        Cli.run("report", made.resolve("report.json").toString(), "--out", again.toString());

    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.status()).isZero();
    for (String file : new String[] {"report.json", "report.md", "report.html"}) {
      assertThat(again.resolve(file)).hasSameTextualContentAs(made.resolve(file));
    }
  }

  @Test
  void what_is_no_report_is_refused() throws IOException {
    Path text = Files.writeString(directory.resolve("text.json"), "hello");
    Path other = Files.writeString(directory.resolve("other.json"), "{}");
    Path none = directory.resolve("none.json");

    for (Path file : new Path[] {text, other, none}) {
      Cli.Outcome outcome = Cli.run("report", file.toString());
      assertThat(outcome.status()).isEqualTo(2);
      assertThat(outcome.err()).contains("cannot be used: ");
    }
  }
}
