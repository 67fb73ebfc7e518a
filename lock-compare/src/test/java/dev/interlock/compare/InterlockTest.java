package dev.interlock.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Locks;
import dev.interlock.ProviderInfo;
import dev.interlock.compare.servers.Subject;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;

class InterlockTest {

  @Test
  void help_lists_the_commands() {
    for (String word : new String[] {"help", "--help", "-h"}) {
      Cli.Outcome outcome = Cli.run(word);

      assertThat(outcome.status()).isZero();
      assertThat(outcome.out())
          .contains("compare", "tck", "history", "demo", "help", "bench", "force");
    }
  }

  @Test
  void every_command_has_a_help_of_its_own() {
    assertThat(Cli.run("help", "compare").out()).contains("--quick", "--providers", "Exit status");
    assertThat(Cli.run("compare", "--help").out()).contains("--quick", "--providers");
    assertThat(Cli.run("tck", "--help").out()).contains("--classpath", "--waive", "Exit status");
    assertThat(Cli.run("history", "--help").out()).contains("FILE", "Exit status");
    assertThat(Cli.run("demo", "--help").out()).contains("--seconds", "URI");
  }

  @Test
  void a_missing_or_unknown_command_is_wrong_usage() {
    assertThat(Cli.run().status()).isEqualTo(2);
    Cli.Outcome outcome = Cli.run("compere");
    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.err()).contains("compare");
  }

  @Test
  void a_library_that_is_missing_is_told_in_one_line() {
    StringWriter err = new StringWriter();
    int status = Interlock.commandLine()
        .addSubcommand("lacking", new Lacking())
        .setErr(new PrintWriter(err))
        .setColorScheme(Help.defaultColorScheme(Ansi.OFF))
        .execute("lacking");

    assertThat(status).isEqualTo(1);
    assertThat(err.toString().lines())
        .containsExactly("A library is missing on the class path, or too old or too new:"
            + " java.lang.NoClassDefFoundError: acme/Driver");
  }

  @Command
  private static final class Lacking implements Runnable {
    @Override
    public void run() {
      throw new NoClassDefFoundError("acme/Driver");
    }
  }

  @Test
  void a_password_in_the_wrong_place_is_not_told() {
    for (String uri : new String[] {
      "redis-setnx://user:s3cret@host",
      "redis-hash://h1,h2/0?topology=sentinel&sentinelPassword=s3cret"
    }) {
      for (String[] args : List.of(
          new String[] {uri},
          new String[] {"compare", uri},
          new String[] {"compare", "--rules", "X1", "--seed=" + uri},
          new String[] {"demo", "--seconds", uri})) {
        Cli.Outcome outcome = Cli.run(args);
        assertThat(outcome.status()).isEqualTo(2);
        assertThat(outcome.err()).contains("://...").doesNotContain("s3cret");
      }
    }
  }

  @Test
  void every_provider_on_the_class_path_can_be_compared() {
    assertThat(Locks.providers().stream().map(ProviderInfo::id))
        .containsExactlyInAnyOrderElementsOf(
            Subject.ALL.stream().map(Subject::id).toList());
  }
}
