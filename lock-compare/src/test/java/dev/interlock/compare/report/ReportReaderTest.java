package dev.interlock.compare.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.compare.Cli;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Help.Ansi;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

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
  void what_is_no_report_is_refused_in_one_sentence() throws IOException {
    refused(directory.resolve("none.json"), "there is no such file");
    refused(directory, "it is a directory, and the report.json in it is to be named");
    refused(file("hello"), "it is not JSON");
    refused(file(""), "it is not JSON");
    refused(Files.write(directory.resolve("bytes"), new byte[] {(byte) 0xff, 0}), "it is not JSON");
    for (String other : List.of("{}", "[]", "null", "7", "{\"providers\":[]}")) {
      refused(file(other), "it has no list of providers, so it is no report.json");
    }
    for (String other : List.of("[null]", "[7]", "[{\"id\":\"acme\"}]")) {
      refused(file("{\"providers\":" + other + "}"), "it is a report of another build");
    }
  }

  /** An older build's, or a damaged one. */
  @Test
  void a_report_that_lacks_something_is_read_or_refused_in_one_sentence() throws IOException {
    JsonNode whole = JsonMapper.shared().readTree(ReportJson.of(SampleReport.create()));
    shorten(whole);
    assertThat(ReportReader.read(file(whole.toString())).providers()).hasSize(2);
    int refused = 0;
    for (String path : fields(whole, "")) {
      int name = path.lastIndexOf('/');
      for (String instead : Arrays.asList(null, "null", "\"x\"", "-1", "[]", "{}", "[null]")) {
        JsonNode damaged = whole.deepCopy();
        ObjectNode parent = (ObjectNode) damaged.at(path.substring(0, name));
        String field = path.substring(name + 1);
        if (instead == null) {
          parent.remove(field);
        } else {
          parent.set(field, JsonMapper.shared().readTree(instead));
        }
        Path out = directory.resolve("out");
        Cli.Outcome outcome =
            Cli.run("report", file(damaged.toString()).toString(), "--out", out.toString());
        assertThat(outcome.status())
            .as("%s: %s%n%s", path, instead, outcome.err())
            .isIn(0, 2);
        refused += outcome.status() == 2 ? 1 : 0;
      }
    }
    assertThat(refused).isGreaterThan(50);
  }

  @Test
  void an_older_report_has_the_warning_beside_what_was_found() throws IOException {
    Report report = SampleReport.wide();
    String now = ReportJson.of(report);
    JsonNode old = JsonMapper.shared().readTree(now);
    ((ObjectNode) old.get("environment")).remove(List.of("inOneJvm", "waivers", "compiler"));
    for (JsonNode provider : old.get("providers").values()) {
      for (JsonNode rule : provider.get("rules").values()) {
        ((ObjectNode) rule).set("verdict", ((ObjectNode) rule).remove("found"));
      }
    }
    Path file = file(old.toString());

    assertThat(ReportReader.read(file).rows()).isEqualTo(report.rows());
    assertThat(report.rows()).anyMatch(row -> row.cells().contains("WARNING"));
    assertThat(report.since(Baseline.read(file)).changes().orElseThrow().verdicts())
        .isEmpty();
  }

  @Test
  void a_peer_that_hung_says_so_in_all_forms() throws IOException {
    Report report = SampleReport.wide();
    String json = ReportJson.of(report);
    Path made = Files.createDirectory(directory.resolve("made"));
    ReportFiles.write(ReportReader.read(file(json)), made);

    assertThat(made.resolve("report.json")).hasContent(json);
    assertThat(made.resolve("report.md")).content().containsOnlyOnce("| hangs |");
    assertThat(made.resolve("report.html")).content().contains("hangs");
    assertThat(report.providers())
        .filteredOn(provider -> provider.id().equals("redisson"))
        .allMatch(provider -> !provider.figures().anyFailed());
    Path old = file(json.replace("measuresHung", "somethingElse"));
    assertThat(ReportReader.read(old).providers()).hasSameSizeAs(report.providers());
  }

  @Test
  void that_the_jvm_left_out_its_optimising_compiler_is_said_in_all_forms() throws IOException {
    Report report = SampleReport.wide();
    Path made = Files.createDirectory(directory.resolve("made"));
    ReportFiles.write(ReportReader.read(file(ReportJson.of(report))), made);
    StringWriter terminal = new StringWriter();
    new TerminalReport(report, Ansi.OFF, true).print(new PrintWriter(terminal));

    String words = "JDK 17.0.15 with -XX:TieredStopAtLevel=1 (no optimising compiler)";
    assertThat(terminal.toString()).contains("Measured on " + words);
    assertThat(made.resolve("report.md")).content().contains(words);
    assertThat(made.resolve("report.html")).content().contains(words);
    assertThat(made.resolve("report.json")).content().contains("\"-XX:TieredStopAtLevel=1\"");
    assertThat(Circumstances.compiler(List.of("-Xmx1g", "-XX:TieredStopAtLevel=1", "-Da=b")))
        .isEqualTo("-XX:TieredStopAtLevel=1");
  }

  /** Leaves two elements of each list, of which only the first is damaged. */
  private static void shorten(JsonNode node) {
    while (node instanceof ArrayNode list && list.size() > 2) {
      list.remove(2);
    }
    node.forEach(ReportReaderTest::shorten);
  }

  /** The paths of one field of each kind: of a list, those of its first element. */
  private static List<String> fields(JsonNode node, String at) {
    List<String> paths = new ArrayList<>();
    if (node.isArray() && !node.isEmpty()) {
      paths.addAll(fields(node.get(0), at + "/0"));
    }
    node.properties().forEach(field -> {
      paths.add(at + "/" + field.getKey());
      paths.addAll(fields(field.getValue(), at + "/" + field.getKey()));
    });
    return paths;
  }

  private static void refused(Path file, String why) {
    Cli.Outcome outcome = Cli.run("report", file.toString());
    assertThat(outcome.status()).as(outcome.err()).isEqualTo(2);
    assertThat(outcome.err().lines().findFirst().orElseThrow())
        .startsWith(file + " cannot be used: " + why)
        .endsWith(".");
    assertThat(outcome.err().lines()).hasSize(2);
  }

  private Path file(String text) throws IOException {
    return Files.writeString(directory.resolve("file.json"), text);
  }
}
