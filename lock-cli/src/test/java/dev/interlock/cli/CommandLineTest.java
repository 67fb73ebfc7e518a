package dev.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.HoldInfo;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;

/** What needs no server. */
@Timeout(60)
class CommandLineTest {

  @Test
  void every_command_has_a_help() {
    for (String command : new String[] {"ls", "inspect", "watch", "force"}) {
      assertThat(Cli.run("help").out()).contains(command);
      assertThat(Cli.run(command, "--help").out())
          .contains("URI", "--json", "Exit status", "settings that do not fit");
    }
  }

  @Test
  void wrong_arguments_are_told() {
    assertThat(Cli.run().status()).isEqualTo(2);
    assertThat(Cli.run("ls").status()).isEqualTo(2);
    assertThat(Cli.run("inspect", "local://", "").err()).contains("name");
    assertThat(Cli.run("inspect", "local://", "").status()).isEqualTo(2);
    assertThat(Cli.run("ls", "--limit", "0", "local://").status()).isEqualTo(2);
    assertThat(Cli.run("ls", "nosuch://host").status()).isEqualTo(2);
    assertThat(Cli.run("ls", "local://?nosuch=1").err()).contains("nosuch");
    assertThat(Cli.run("ls", "-").err()).contains("INTERLOCK_URI");
    for (String command : new String[] {"watch", "ls"}) {
      Cli.Outcome outcome = Cli.run(command, "local://", "\uFFFD\uFFFD");
      assertThat(outcome.status()).isEqualTo(2);
      assertThat(outcome.err()).contains("UTF-8 locale");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis-hash://user:s3cret@host",
        "redis-hash://user:x@y@s3cret@host",
        "redis-hash://user:it's s3cret@host",
        "redis-hash://h/0?password=s3cret",
        "redis-hash://h1,h2/0?topology=sentinel&master=m&sentinelPassword=s3cret",
        "redis-hash://h/0?tls=true&trustStorePassword=s3cret",
      })
  void a_password_in_the_wrong_place_is_not_told(String uri) {
    for (String[] args : List.of(
        new String[] {"ls", "--limit", uri},
        new String[] {"ls", "--limit=" + uri},
        new String[] {"ls", "local://", "x", uri},
        new String[] {uri})) {
      Cli.Outcome outcome = Cli.run(args);
      assertThat(outcome.status()).isEqualTo(2);
      assertThat(outcome.err()).contains("redis-hash://...").doesNotContain("s3cret");
    }
  }

  /** Whoever writes it so wrongly still has a password in it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis-hash:user:s3cret@host",
        "redis-hash:/user:s3cret@host",
        "redis-hash//user:x@s3cret@host",
        "user:it's s3cret@host:6379",
      })
  void a_password_in_what_is_no_uri_is_not_told(String wrong) {
    for (String[] args : List.of(
        new String[] {"ls", wrong},
        new String[] {"ls", "--limit", wrong},
        new String[] {"ls", "--limit=" + wrong},
        new String[] {"ls", "local://", "x", wrong},
        new String[] {wrong})) {
      Cli.Outcome outcome = Cli.run(args);
      assertThat(outcome.status()).isEqualTo(2);
      assertThat(outcome.err()).doesNotContain("s3cret");
    }
    assertThat(Cli.run("ls", "local://", "x", wrong).err()).contains("...@host");
    assertThat(Cli.run("ls", "local://", "x", "@job").err()).contains("'@job'");
  }

  /** As a pipe to {@code head} is soon, and a full disk. */
  @Test
  void a_command_ends_if_its_output_cannot_be_written() {
    for (String command : new String[] {"ls", "watch"}) {
      StringWriter err = new StringWriter();
      int status = Operators.commandLine()
          .setOut(new PrintWriter(new Full(), true, StandardCharsets.UTF_8))
          .setErr(new PrintWriter(err))
          .execute(command, "local://");
      assertThat(status).isEqualTo(1);
      assertThat(err.toString()).contains("output cannot be written");
    }
  }

  private static final class Full extends OutputStream {
    @Override
    public void write(int b) throws IOException {
      throw new IOException("no space left");
    }
  }

  @Test
  void a_server_that_cannot_be_reached_is_told() {
    Cli.Outcome outcome = Cli.run("ls", "redis-setnx://127.0.0.1:1");

    assertThat(outcome.status()).isEqualTo(1);
    assertThat(outcome.err()).contains("127.0.0.1:1");
  }

  @Test
  void a_library_that_is_missing_is_told_in_one_line() {
    StringWriter err = new StringWriter();
    int status = Operators.commandLine()
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
  void a_free_lock_is_told_in_each_form() {
    assertThat(Cli.run("inspect", "local://", "free").out()).contains("is free");
    assertThat(Cli.run("inspect", "--json", "local://", "free").json().isNull()).isTrue();
    assertThat(Cli.run("force", "local://", "free").status()).isEqualTo(Operators.NOT_HELD);
    assertThat(
            Cli.run("force", "--json", "local://", "free").json().path("forced").asBoolean())
        .isFalse();
    assertThat(Cli.run("watch", "--count", "1", "local://", "free").out()).contains("0 held");
  }

  @Test
  void what_a_server_tells_does_not_steer_the_terminal() {
    assertThat(Printable.of("a\u001b[2J\n\\\u202e\ud83d\ude00\u00e4\ud800\udbff\udfff"))
        .isEqualTo("a\\u001b[2J\\u000a\\\\\\u202e\ud83d\ude00\u00e4\\ud800\\u{10ffff}");
  }

  @Test
  void columns_stand_below_their_headers() {
    List<HoldInfo> holds = List.of(
        HoldInfo.of(
            "short", "owner", "host:1", Instant.ofEpochSecond(1), Duration.ofSeconds(9), 7, 12),
        HoldInfo.of("a longer name", "", "", Instant.EPOCH, Duration.ofSeconds(10), 0, 0));

    assertThat(HoldTable.of(holds).lines())
        .containsExactly(
            "NAME           SINCE                   LEFT  WAITERS  TOKEN  SHARE  OWNER  HOST",
            "short          1970-01-01T00:00:01Z   9.0 s       12      7  -      owner  host:1",
            "a longer name  -                     10.0 s        0      -  -");
  }

  @Test
  void times_are_told_in_the_unit_that_a_reader_would_choose() {
    assertThat(HoldTable.time(Duration.ofMillis(29_940))).isEqualTo("29.9 s");
    assertThat(HoldTable.time(Duration.ofSeconds(61))).isEqualTo("1 min 1 s");
    assertThat(HoldTable.time(Duration.ofMinutes(61))).isEqualTo("1 h 1 min");
    assertThat(HoldTable.time(Duration.ofHours(49))).isEqualTo("2 d 1 h");
    assertThat(HoldTable.since(Instant.parse("2026-11-25T21:00:00.123Z")))
        .isEqualTo("2026-11-25T21:00:00Z");
  }
}
