package dev.interlock.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.compare.facts.FixedObservation;
import dev.interlock.compare.figures.FixedMeasurement;
import dev.interlock.compare.figures.Measurement;
import dev.interlock.tck.Rules;
import dev.interlock.tck.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReportContractTest {
  private static final String AGAIN =
      "./interlock compare --quick --providers local --facts holder-killed";

  @TempDir
  private Path directory;

  @BeforeEach
  void run() {
    FakeKit kit = new FakeKit(Map.of(
        "X1", Verdict.PASS,
        "M1", Verdict.FAIL,
        "D1", Verdict.NOT_CLAIMED));
    Measurement measured = new FixedMeasurement();
    Cli.run(
        kit,
        List.of(measured),
        List.of(new FixedObservation()),
        "compare",
        "--quick",
        "--providers",
        "local",
        "--seed",
        "42",
        "--out",
        directory.toString());
  }

  @Test
  void report_json_has_the_fields_that_others_read() throws IOException {
    JsonNode root = JsonMapper.shared().readTree(read("report.json"));

    assertThat(root.get("seed").longValue()).isEqualTo(42);
    assertThat(root.get("effort").stringValue()).isEqualTo("QUICK");
    JsonNode providers = root.get("providers");
    assertThat(providers.size()).isEqualTo(1);
    JsonNode provider = providers.get(0);
    assertThat(provider.get("id").stringValue()).isEqualTo("local");
    assertThat(provider.get("version").stringValue()).isEqualTo("1.2.3");
    assertThat(provider.get("server").stringValue()).isEqualTo("Server 4.5");
    assertThat(provider.get("capabilities").isArray()).isTrue();
    assertThat(provider.get("capabilities").get(0).stringValue()).isEqualTo("FENCED");
    assertThat(provider.get("rules").size()).isEqualTo(3);
    for (JsonNode rule : provider.get("rules").values()) {
      assertThat(rule.get("id").stringValue()).isIn("X1", "M1", "D1");
      assertThat(rule.get("level").stringValue()).isEqualTo("L1");
      assertThat(rule.get("verdict").stringValue()).isIn("PASS", "FAIL", "NOT_CLAIMED");
      assertThat(rule.get("evidence").get("operations").longValue()).isEqualTo(1234);
      assertThat(rule.get("evidence").get("message").stringValue()).isEqualTo(FakeKit.MESSAGE);
      assertThat(rule.get("evidence").get("history").size()).isEqualTo(2);
      boolean failed = rule.get("verdict").stringValue().equals("FAIL");
      assertThat(rule.get("evidence").get("historyFile").asString(""))
          .isEqualTo(failed ? "histories/local-" + rule.get("id").stringValue() + ".tsv" : "");
    }
    assertThat(provider.get("measures").isObject()).isTrue();
    assertThat(provider.has("level")).isTrue();
  }

  @Test
  void measures_in_report_json_are_numbers_or_null_with_a_note() throws IOException {
    JsonNode provider =
        JsonMapper.shared().readTree(read("report.json")).get("providers").get(0);

    assertThat(provider.get("measures").get("handOffP50Micros").doubleValue()).isEqualTo(123.4);
    assertThat(provider.get("measures").get("recoveryMillis").isNull()).isTrue();
    assertThat(provider.get("measureNotes").get("recoveryMillis").stringValue())
        .isEqualTo("no meaning here");
  }

  @Test
  void the_scales_of_a_run_are_in_each_form_of_the_report() throws IOException {
    JsonNode scales = JsonMapper.shared()
        .readTree(read("report.json"))
        .get("providers")
        .get(0)
        .get("scales");

    assertThat(scales.get("lengths").doubleValue()).isEqualTo(1);
    assertThat(scales.get("limits").doubleValue()).isEqualTo(3);
    assertThat(scales.get("roundTripMillis").doubleValue()).isEqualTo(50);
    assertThat(scales.get("granularityMillis").longValue()).isEqualTo(1000);
    String text =
        "leases and waits x1.0, limits x3.0, round trip 50.0 ms," + " leases in steps of 1000 ms";
    assertThat(read("report.md")).contains("- local: " + text);
    assertThat(read("report.html")).contains("scales: " + text);
  }

  @Test
  void facts_in_report_json_are_words_and_figures_by_happening() throws IOException {
    JsonNode root = JsonMapper.shared().readTree(read("report.json"));
    JsonNode happening = root.get("happenings").get(0);
    JsonNode fact = root.get("providers").get(0).get("facts").get("holderKilled");

    assertThat(happening.get("key").stringValue()).isEqualTo("holderKilled");
    assertThat(happening.get("title").stringValue()).isEqualTo("the holder's JVM is killed");
    assertThat(happening.get("method").stringValue()).contains("SIGKILL");
    assertThat(fact.get("words").stringValue()).isEqualTo(FixedObservation.WORDS);
    assertThat(fact.get("figures").get("millis").doubleValue()).isEqualTo(1020.5);
    assertThat(fact.get("failed").booleanValue()).isFalse();
    assertThat(fact.get("again").stringValue()).isEqualTo(AGAIN);
  }

  @Test
  void the_markdown_tells_what_happened_in_a_table_for_each_happening() throws IOException {
    assertThat(read("report.md"))
        .containsPattern("\\n\\n## What happens when \\.\\.\\.\\n\\n")
        .contains("\n\n### ... the holder's JVM is killed\n\n")
        .contains("\n\n| Provider | What happened |\n|---|---|\n| local | " + FixedObservation.WORDS
            + " |\n");
  }

  @Test
  void each_fact_has_the_command_that_looks_again() throws IOException {
    assertThat(read("report.html")).contains("<pre class=\"again\">" + AGAIN + "</pre>");
    assertThat(read("report.md"))
        .contains(
            "\n\nAgain, with the provider's id: `" + AGAIN.replace("local", "ID") + "`\n\n| Prov");
  }

  @Test
  void every_rule_of_the_specification_has_a_row_on_the_page_and_in_the_markdown()
      throws IOException {
    String page = read("report.html");
    String markdown = read("report.md");

    assertThat(Rules.all()).allSatisfy(rule -> {
      assertThat(page).contains("<tr id=\"" + rule.id() + "\" data-level=");
      assertThat(markdown).contains("| " + rule.id() + " | " + rule.level() + " |");
    });
  }

  @Test
  void the_page_escapes_what_it_shows_and_needs_no_network() throws IOException {
    String page = read("report.html");

    assertThat(page).contains("expected: &lt;one&gt; holder &amp; no").doesNotContain("<one>");
    assertThat(page).doesNotContain("src=\"", "href=\"http", "@import", "url(");
    assertThat(page)
        .as("the browser is told to fetch nothing")
        .contains("content=\"default-src 'none';")
        .doesNotContain("connect-src", "http: ", "https: ");
  }

  @Test
  void tables_in_the_markdown_have_the_same_number_of_columns_in_each_line() throws IOException {
    List<String> rows = read("report.md")
        .lines()
        .filter(line -> line.startsWith("| ") || line.startsWith("|-"))
        .toList();

    assertThat(read("report.md"))
        .as("a blank line would end a table")
        .containsPattern(
            "\\n\\n## Rules\\n\\n\\| Rule .*\\|\\n\\|---.*\\|\\n\\| X1 .*\\|\\n\\| X2 ")
        .containsPattern(
            "\\n\\n## Measured\\n\\n\\| Measure .*\\|\\n\\|---.*\\|\\n\\| Round .*\\|\\n\\| Round ");
    assertThat(rows).hasSizeGreaterThan(Rules.all().size());
    assertThat(rows).allSatisfy(row -> assertThat(row).endsWith("|"));
    assertThat(
            rows.stream().map(row -> row.chars().filter(c -> c == '|').count()).distinct())
        .containsExactlyInAnyOrder(8L, 5L, 3L);
  }

  private String read(String file) throws IOException {
    return Files.readString(directory.resolve(file));
  }
}
