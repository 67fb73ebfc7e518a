package dev.interlock.compare.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.compare.Cli;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help.Ansi;

class DemoCommandTest {

  @Test
  void local_locks_are_shown_within_one_jvm_with_growing_tokens() {
    Cli.Outcome outcome = Cli.run("demo", "local://", "--seconds", "2");

    assertThat(outcome.status()).isZero();
    assertThat(outcome.out())
        .contains("private to a JVM", "HOLDS the lock, token", "client 3", "tokens grew");
  }

  @Test
  void a_wrong_uri_gives_the_message_and_no_stack_trace() {
    Cli.Outcome outcome = Cli.run("demo", "redis-hush://user:secret@host");

    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.err())
        .contains("No lock provider 'redis-hush'", "Did you mean 'redis-hash'?")
        .doesNotContain("secret", "\tat ", "Exception");
  }

  @Test
  void a_malformed_uri_is_not_repeated() {
    Cli.Outcome outcome = Cli.run("demo", "local:/secret");

    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.err()).contains("malformed").doesNotContain("secret", "Exception");
  }

  @Test
  void the_uri_is_needed_and_the_seconds_have_limits() {
    assertThat(Cli.run("demo").err()).contains("URI");
    assertThat(Cli.run("demo", "local://", "--seconds", "0").status()).isEqualTo(2);
  }

  @Test
  void tokens_that_do_not_grow_are_noticed() {
    StringWriter text = new StringWriter();
    DemoShow show = new DemoShow(new PrintWriter(text), Ansi.OFF);

    show.event("a", DemoEvent.parse(DemoEvent.holds(7, 0).line()));
    show.event("b", DemoEvent.parse(DemoEvent.holds(7, 0).line()));

    assertThat(show.summary()).isFalse();
    assertThat(text.toString()).contains("did NOT grow");
  }
}
