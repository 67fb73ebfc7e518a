package dev.interlock.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendUnavailableException;
import dev.interlock.compare.facts.FailingObservation;
import dev.interlock.compare.facts.FixedObservation;
import dev.interlock.compare.facts.Happening;
import dev.interlock.compare.facts.Observation;
import dev.interlock.compare.figures.Figures;
import dev.interlock.compare.figures.FixedMeasurement;
import dev.interlock.compare.figures.Measure;
import dev.interlock.compare.figures.Measurement;
import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.tck.RuleRunner;
import dev.interlock.tck.Effort;
import dev.interlock.tck.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompareCommandTest {
  private static final RuleRunner PASSING = FakeKit.of("M1", Verdict.PASS);

  @TempDir
  private Path directory;

  @Test
  void ends_with_0_when_every_claimed_rule_holds() {
    Cli.Outcome outcome = compare(FakeKit.of("D1", Verdict.NOT_CLAIMED));

    assertThat(outcome.status()).isZero();
    assertThat(outcome.out()).contains("| X1", "PASS", "not claimed").contains("report.json");
  }

  @Test
  void ends_with_1_and_shows_what_happened_when_a_claimed_rule_fails() {
    Cli.Outcome outcome = compare(FakeKit.of("M1", Verdict.FAIL));

    assertThat(outcome.status()).isEqualTo(1);
    assertThat(outcome.err()).contains("FAIL", "M1", "happened: | two |");
    assertThat(outcome.out()).as("failures come first").containsSubsequence("| M1", "| X1");
    assertThat(outcome.out())
        .contains("judge it again: history " + directory.resolve("histories/local-M1.tsv"));
    assertThat(directory.resolve("report.html")).exists();
  }

  @Test
  void ends_with_1_when_a_claimed_rule_remains_undecided() {
    assertThat(compare(FakeKit.of("M1", Verdict.INCONCLUSIVE)).status()).isEqualTo(1);
    // A SHOULD rule only warns.
    assertThat(compare(FakeKit.of("W9", Verdict.INCONCLUSIVE)).status()).isZero();
  }

  @Test
  void a_waived_rule_does_not_fail_the_run_and_never_shows_as_passed() {
    Cli.Outcome outcome = compare(new FakeKit(Map.of("M1", Verdict.WAIVED)));

    assertThat(outcome.status()).isZero();
    assertThat(outcome.out()).contains("1 WAIVED").doesNotContain("PASS");
  }

  @Test
  void ends_with_1_and_still_reports_when_the_kit_cannot_run() throws IOException {
    RuleRunner broken = (backend, settings, progress) -> {
      throw new BackendUnavailableException("The server said no.");
    };

    Cli.Outcome outcome = compare(broken);

    assertThat(outcome.status()).isEqualTo(1);
    assertThat(outcome.err()).contains("The server said no.");
    assertThat(Files.readString(directory.resolve("report.json"))).contains("The server said no.");
  }

  @Test
  void ends_with_1_when_the_only_peer_cannot_be_judged() {
    RuleRunner broken = (backend, settings, progress) -> {
      throw new BackendUnavailableException("The server said no.");
    };

    Cli.Outcome outcome = Cli.run(
        broken,
        "compare",
        "--providers",
        "none",
        "--peers=redisson",
        "--out",
        directory.toString());

    assertThat(outcome.status()).isEqualTo(1);
    assertThat(outcome.out()).contains("Nothing was judged of redisson (peer), so this run is no");
  }

  @Test
  void ends_with_1_when_a_figure_cannot_be_taken() {
    Measurement failing = new Measurement() {
      @Override
      public String title() {
        return "nothing";
      }

      @Override
      public List<Measure> measures() {
        return List.of(Measure.JAIN);
      }

      @Override
      public void take(Backend backend, Effort effort, Figures into) {
        throw new IllegalStateException("no luck");
      }
    };

    Cli.Outcome outcome = Cli.run(PASSING, List.of(failing), arguments());

    assertThat(outcome.status()).isEqualTo(1);
    assertThat(outcome.out()).contains("failed", "no luck");
  }

  @Test
  void what_happens_is_told_under_the_rules() {
    Cli.Outcome outcome = Cli.run(PASSING, List.of(), List.of(new FixedObservation()), arguments());

    assertThat(outcome.status()).isZero();
    assertThat(outcome.out().lines())
        .containsSequence(
            "What happens when ...",
            "... the holder's JVM is killed",
            "    local  " + FixedObservation.WORDS,
            "    again: ./interlock compare --providers ID --facts holder-killed");
  }

  @Test
  void what_cannot_be_brought_about_is_said_and_fails_nothing() {
    Observation failing = new FailingObservation(Happening.STATE_LOST, "no luck");

    Cli.Outcome outcome =
        Cli.run(PASSING, List.of(), List.of(failing, new FixedObservation()), arguments());

    assertThat(outcome.status()).isZero();
    assertThat(outcome.out())
        .contains("could not be measured: ", "no luck")
        .contains(FixedObservation.WORDS);
  }

  @Test
  void what_changed_since_a_baseline_is_printed_and_written() throws IOException {
    Cli.run(new FakeKit(Map.of("M1", Verdict.PASS, "D1", Verdict.NOT_CLAIMED)), arguments());
    Path old = Files.move(directory.resolve("report.json"), directory.resolve("old.json"));
    FakeKit now = new FakeKit(Map.of("M1", Verdict.FAIL, "X1", Verdict.PASS));

    Cli.Outcome outcome = Cli.run(now, baseline(old));

    assertThat(outcome.status()).isEqualTo(1);
    assertThat(outcome.out())
        .contains("local  M1 inspect tells the truth: PASS -> FAIL")
        .containsPattern("local  X1 .*: - -> PASS")
        .contains("local  D1: NOT_CLAIMED -> -");
    assertThat(Files.readString(directory.resolve("report.md"))).contains("| PASS | FAIL |");
    assertThat(Files.readString(directory.resolve("report.html"))).contains("What changed");
    assertThat(Files.readString(directory.resolve("report.json"))).contains("\"changes\" : {");
  }

  @Test
  void a_warning_is_called_so_in_every_form_and_what_was_found_is_in_the_json() throws IOException {
    Cli.run(FakeKit.of("W9", Verdict.FAIL), arguments());
    Path old = Files.move(directory.resolve("report.json"), directory.resolve("old.json"));

    Cli.Outcome outcome = Cli.run(FakeKit.of("W9", Verdict.FAIL), baseline(old));

    assertThat(outcome.out()).contains("WARNING").containsPattern("Changed since.*:\\R  nothing");
    assertThat(Files.readString(directory.resolve("report.json")))
        .contains("\"verdict\" : \"WARNING\"", "\"warning\" : true", "\"found\" : \"FAIL\"")
        .doesNotContain("\"verdict\" : \"FAIL\"");
    assertThat(Files.readString(directory.resolve("report.md"))).contains("| WARNING |");
  }

  @Test
  void nothing_changed_is_said_too() throws IOException {
    Cli.run(PASSING, arguments());
    Path old = Files.move(directory.resolve("report.json"), directory.resolve("old.json"));

    Cli.Outcome outcome = Cli.run(PASSING, baseline(old));

    assertThat(outcome.status()).isZero();
    assertThat(outcome.out()).containsPattern("Changed since 20[^\n]*:\\R  nothing");
  }

  @Test
  void a_baseline_that_is_no_report_is_refused() throws IOException {
    refused(
        "there is no such file", "--baseline", directory.resolve("none.json").toString());
    Path text = Files.writeString(directory.resolve("text.json"), "hello");
    refused("it is not JSON", "--baseline", text.toString());
    Path other = Files.writeString(directory.resolve("other.json"), "{}");
    refused("it is no report.json", "--baseline", other.toString());
  }

  @Test
  void an_unknown_provider_is_answered_with_the_known_ones() {
    refused("Unknown provider 'redis-sentx'. Known: local", "--providers", "local,redis-sentx");
  }

  @Test
  void an_unknown_peer_is_answered_with_the_known_ones() {
    refused("Unknown peer 'redison'. Known: redisson,", "--peers=redison");
  }

  @Test
  void a_peer_is_shown_as_such_and_its_failures_do_not_fail_the_run() throws IOException {
    RuleRunner kit = (backend, settings, progress) -> FakeKit.of(
            "M1", backend.source().isPresent() ? Verdict.FAIL : Verdict.PASS)
        .run(backend, settings, progress);
    List<String> arguments = new ArrayList<>(List.of(arguments()));
    arguments.add("--peers=redisson");

    Cli.Outcome outcome = Cli.run(kit, arguments.toArray(String[]::new));

    assertThat(outcome.status()).isZero();
    assertThat(outcome.out()).contains("redisson (peer)", "not judged, for it is a peer");
    assertThat(Files.readString(directory.resolve("report.md"))).contains(" redisson (peer) |");
    assertThat(Files.readString(directory.resolve("report.html"))).contains(">redisson (peer)<");
    assertThat(Files.readString(directory.resolve("report.json")))
        .containsPattern("\"id\" : \"redisson\",\\R\\s*\"peer\" : true");
  }

  @Test
  void only_the_named_rules_are_run_and_nothing_is_measured() {
    List<String> asked = new ArrayList<>();
    RuleRunner kit = (backend, settings, progress) -> {
      asked.addAll(settings.rules());
      return PASSING.run(backend, settings, progress);
    };
    List<String> arguments = new ArrayList<>(List.of(arguments()));
    arguments.addAll(List.of("--rules", "X1,L5"));

    Cli.Outcome outcome = Cli.run(
        kit,
        List.of(new FixedMeasurement()),
        List.of(new FixedObservation()),
        arguments.toArray(String[]::new));

    assertThat(outcome.status()).isZero();
    assertThat(asked).containsExactly("L5", "X1");
    assertThat(outcome.out()).doesNotContain("Measured", "What happens when");
  }

  @Test
  void only_the_named_facts_are_looked_at_and_no_rule_is_run() {
    RuleRunner kit = (backend, settings, progress) -> {
      throw new AssertionError("the kit is run");
    };
    List<String> arguments = new ArrayList<>(List.of(arguments()));
    arguments.addAll(List.of("--facts", "holder-killed,idle"));
    List<Observation> observations = List.of(seen(Happening.STATE_LOST), new FixedObservation());

    Cli.Outcome outcome = Cli.run(
        kit, List.of(new FixedMeasurement()), observations, arguments.toArray(String[]::new));

    assertThat(outcome.status()).isZero();
    assertThat(outcome.out())
        .contains(FixedObservation.WORDS, "local on this JVM", "no rule was run")
        .doesNotContain("Measured", "X1", "all state is lost");
    assertThat(outcome.out()).doesNotContain("Nothing was judged");
    refused("Unknown fact 'holder-kiled'. Known: holder-killed,", "--facts", "holder-kiled");
    refused("exclude each other", "--facts", "idle", "--rules", "X1");
  }

  @Test
  void facts_alone_of_which_none_could_be_measured_are_no_success() {
    List<String> arguments = new ArrayList<>(List.of(arguments()));
    arguments.addAll(List.of("--facts", "idle"));

    Cli.Outcome outcome = Cli.run(
        PASSING, List.of(), List.of(seen(Happening.IDLE)), arguments.toArray(String[]::new));

    assertThat(outcome.status()).isEqualTo(1);
    assertThat(outcome.out()).contains("it was not asked for", "Nothing was judged of local");
  }

  @Test
  void facts_alone_of_which_one_could_not_be_measured_are_no_success() {
    for (List<String> whose : List.of(List.of("local"), List.of("none", "--peers=redisson"))) {
      List<String> arguments = new ArrayList<>(List.of("compare", "--providers"));
      arguments.addAll(whose);
      arguments.addAll(List.of("--facts", "holder-killed,idle", "--out", directory.toString()));

      Cli.Outcome outcome = Cli.run(
          PASSING,
          List.of(),
          List.of(new FixedObservation(), seen(Happening.IDLE)),
          arguments.toArray(String[]::new));

      assertThat(outcome.status()).isEqualTo(1);
      assertThat(outcome.out())
          .contains(FixedObservation.WORDS, "it was not asked for")
          .doesNotContain("Nothing was judged");
    }
  }

  private static Observation seen(Happening happening) {
    return new FailingObservation(happening, "it was not asked for");
  }

  @Test
  void a_peer_can_be_judged_alone() {
    Cli.Outcome outcome = Cli.run(
        PASSING,
        "compare",
        "--providers",
        "none",
        "--peers=redisson",
        "--rules",
        "X1",
        "--seed",
        "3",
        "--out",
        directory.toString());

    assertThat(outcome.status()).isZero();
    assertThat(outcome.out())
        .contains("redisson (peer)", "Any cell again: ./interlock compare")
        .doesNotContain("| local");
    refused("nothing is compared", "--providers", "none");
  }

  @Test
  void a_failure_is_followed_by_the_command_that_does_it_again() throws IOException {
    List<String> arguments = new ArrayList<>(List.of(arguments()));
    arguments.addAll(List.of("--quick", "--seed", "42"));
    String again = "./interlock compare --quick --providers local --rules M1 --seed 42";

    Cli.Outcome outcome = Cli.run(FakeKit.of("M1", Verdict.FAIL), arguments.toArray(String[]::new));

    assertThat(outcome.out()).contains("again: " + again);
    assertThat(Files.readString(directory.resolve("report.md"))).contains("Again: `" + again + "`");
    assertThat(Files.readString(directory.resolve("report.html"))).contains(again);
    assertThat(Files.readString(directory.resolve("report.json")))
        .contains("\"again\" : \"" + again + "\"");
  }

  @Test
  void an_unknown_rule_is_refused() {
    refused("names 'X99', which is not a rule", "--rules", "X1,X99");
  }

  @Test
  void an_unknown_option_is_answered_with_the_nearest_one() {
    refused("Possible solutions: --quick", "--quik");
  }

  @Test
  void quick_and_full_exclude_each_other() {
    refused("mutually exclusive", "--quick", "--full");
  }

  @Test
  void numbers_must_be_numbers_and_in_range() {
    refused("--seed", "--seed", "abc");
    refused("--time-scale", "--time-scale", "0");
  }

  @Test
  void a_directory_that_cannot_be_written_is_told_before_anything_runs() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");

    refused("cannot be written", "--out", file.toString());
  }

  @Test
  void a_uri_of_the_wrong_form_is_refused_without_its_password() {
    refused("ID=URI", "--uri", "local://u:secret@h");
    refused("must begin with local://", "--uri", "local=redis-setnx://u:secret@h");
    refused(
        "not compared in this run", "--providers", "local", "--uri", "other=other://u:secret@h");
    refused("given twice", "--uri", "local=local://", "--uri", "local=local://u:secret@h");
  }

  private static void refused(String message, String... args) {
    String[] all = new String[args.length + 1];
    all[0] = "compare";
    System.arraycopy(args, 0, all, 1, args.length);
    Cli.Outcome outcome = Cli.run(PASSING, all);

    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.err()).contains(message).contains("compare --help").doesNotContain("secret");
    assertThat(outcome.out()).isEmpty();
  }

  private Cli.Outcome compare(RuleRunner kit) {
    return Cli.run(kit, arguments());
  }

  private String[] baseline(Path old) {
    List<String> arguments = new ArrayList<>(List.of(arguments()));
    arguments.addAll(List.of("--baseline", old.toString()));
    return arguments.toArray(String[]::new);
  }

  private String[] arguments() {
    return new String[] {"compare", "--providers", "local", "--out", directory.toString()};
  }
}
