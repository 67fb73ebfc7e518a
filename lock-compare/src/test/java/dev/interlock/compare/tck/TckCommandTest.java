package dev.interlock.compare.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.compare.Cli;
import dev.interlock.compare.PlantedProviders;
import dev.interlock.local.LocalProvider;
import dev.interlock.spi.LockProvider;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TckCommandTest {
  private static final String LOCAL = home(LocalProvider.class);

  @TempDir
  private Path directory;

  @Test
  void a_sound_provider_ends_with_0_and_a_report() {
    Cli.Outcome outcome = tck(
        LOCAL, "local://", "--in-one-jvm", "--rules", "O3,E8", "--seed", "7", "--waive", "O3=why");

    assertThat(outcome.status()).as(outcome.err()).isZero();
    assertThat(outcome.out())
        .contains("| E8 ", "PASS", "WAIVED", "Waived: why. Without the waiver: PASS")
        .contains("not judged, for not all rules were run")
        .doesNotContain("| X1 ", "Measured");
    assertThat(outcome.err()).contains("--seed 7");
    for (String report : List.of("report.json", "report.md", "report.html")) {
      assertThat(directory.resolve("out").resolve(report)).exists();
    }
  }

  @Test
  void a_rule_that_was_asked_for_and_cannot_be_judged_ends_with_1() {
    Cli.Outcome nothing = tck(LOCAL, "local://", "--rules", "M3");

    assertThat(nothing.status()).as(nothing.err()).isEqualTo(1);
    assertThat(nothing.out())
        .contains("Nothing was judged of local, for want of means: M3, so this run is no success.");
  }

  /** The second rule needs JVMs that the kit forks, and so proves that they find the provider. */
  @Test
  void a_broken_provider_ends_with_1_and_says_what_was_expected_happened_and_is_to_check()
      throws IOException {
    declare(PlantedProviders.Blind.class);
    String path = String.join(File.pathSeparator, directory + "", home(Cli.class), LOCAL);

    Cli.Outcome outcome = tck(path, "blind://", "--rules", "M1,X1", "--effort", "quick");

    assertThat(outcome.status()).as(outcome.err()).isEqualTo(1);
    assertThat(outcome.out())
        .contains("FAIL  blind M1: ", "expected: ", "happened: ", "to check: ", "seed ")
        .contains("FAIL  blind X1: ", "tck-X1")
        .doesNotContain("No lock provider");
    Cli.Outcome again = Cli.run("history", historyOf("blind-X1"));
    assertThat(again.status()).as(again.err()).isEqualTo(1);
    assertThat(again.out()).contains("blind ", "FAIL  holds of different owners do not overlap");
    String shown = again
        .out()
        .lines()
        .filter(line -> line.contains(" at once"))
        .findFirst()
        .orElseThrow();
    assertThat(outcome.out()).contains(shown.strip(), historyOf("blind-X1"));
  }

  private String historyOf(String rule) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("out/histories"))) {
      return files
          .map(Path::toString)
          .filter(file -> file.contains(rule))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void the_history_of_a_rule_that_passes_is_saved_on_request_only() throws IOException {
    tck(LOCAL, "local://", "--in-one-jvm", "--rules", "M5");
    assertThat(directory.resolve("out/histories")).doesNotExist();

    tck(LOCAL, "local://", "--in-one-jvm", "--rules", "M5", "--histories");
    Cli.Outcome outcome = Cli.run("history", historyOf("local-M5"));
    assertThat(outcome.status()).isZero();
    assertThat(outcome.out()).contains("local ", " M5, seed ", "PASS");
  }

  @Test
  void what_is_no_history_is_wrong_usage() throws IOException {
    Path other = Files.writeString(directory.resolve("other.tsv"), "something\n");

    Cli.Outcome outcome = Cli.run("history", other.toString());
    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.err()).contains("cannot be read as a saved history", "history --help");
    assertThat(Cli.run("history", directory + "/none.tsv").status()).isEqualTo(2);
  }

  @Test
  void a_provider_that_is_not_there_is_told_with_those_that_are() {
    refused(LOCAL, "acme://u:secret@h", "No lock provider 'acme'. Available: [local].");
  }

  @Test
  void a_provider_that_cannot_be_loaded_is_told_with_the_reason() throws IOException {
    declare(PlantedProviders.Unloadable.class);

    refused(
        String.join(File.pathSeparator, directory + "", home(Cli.class)),
        "unloadable://",
        "Failed to load",
        PlantedProviders.Unloadable.class.getName());
  }

  @Test
  void a_wrong_uri_is_told_with_what_is_wrong_in_it() {
    refused(LOCAL, "local://?lese=PT1S", "unknown option 'lese'");
    refused(LOCAL, "nothing", "--uri must have the form");
  }

  @Test
  void a_jar_that_is_missing_is_named_before_anything_runs() {
    refused("acme-1.jar", "acme://h", "--classpath names acme-1.jar, which does not exist.");
    refused(directory + "/*", "acme://h", "there is no jar in that directory");
    refused("", "acme://h", "--classpath is empty");
  }

  @Test
  void wrong_rules_and_waivers_are_refused() {
    refusedWith("--rules names 'X99', which is not a rule", "--rules", "X1,X99");
    refusedWith("--waive names 'X99', which is not a rule", "--waive", "X99=why");
    refusedWith("--waive must have the form ID=REASON", "--waive", "X1");
    refusedWith("--waive is given twice for X1", "--waive", "X1=a", "--waive", "X1=b");
    refusedWith("--time-scale must be", "--time-scale", "-1");
    refusedWith("--effort", "--effort", "some");
  }

  private void refusedWith(String message, String... more) {
    assertRefused(tck(LOCAL, "local://", more), message);
  }

  private void refused(String classPath, String uri, String... messages) {
    assertRefused(tck(classPath, uri), messages);
  }

  private static void assertRefused(Cli.Outcome outcome, String... messages) {
    assertThat(outcome.status()).as(outcome.err()).isEqualTo(2);
    assertThat(outcome.err()).contains(messages).contains("tck --help").doesNotContain("secret");
    assertThat(outcome.out()).isEmpty();
  }

  private Cli.Outcome tck(String classPath, String uri, String... more) {
    List<String> arguments = new ArrayList<>(List.of("tck", "--classpath", classPath));
    arguments.addAll(List.of("--uri", uri, "--out", directory.resolve("out").toString()));
    arguments.addAll(Arrays.asList(more));
    return Cli.run(arguments.toArray(String[]::new));
  }

  private void declare(Class<?> provider) throws IOException {
    Path services = Files.createDirectories(directory.resolve("META-INF/services"));
    Files.writeString(services.resolve(LockProvider.class.getName()), provider.getName());
  }

  private static String home(Class<?> type) {
    return JudgeProcess.home(type);
  }
}
