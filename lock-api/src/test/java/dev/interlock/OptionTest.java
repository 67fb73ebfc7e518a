package dev.interlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OptionTest {
  private static final Option<Integer> SIZE = Option.integer("size", null).atLeast(1);
  private static final Option<String> TOKEN =
      Option.text("token", null).matching("[a-z]{1,3}", "one to three letters").secret();

  @Test
  @DisplayName("a malformed value is quoted with what was expected")
  void quotesMalformed() {
    assertThatThrownBy(() -> SIZE.parse("many"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("size=many: expected a whole number");
    assertThatThrownBy(() -> Option.bool("tls", false).parse("TRUE"))
        .hasMessage("tls=TRUE: expected true or false");
  }

  @Test
  @DisplayName("E8 a secret is never quoted, malformed or not allowed")
  void quotesNoSecret() {
    assertThatThrownBy(() -> TOKEN.parse("hunter2"))
        .hasMessage("token: it must be one to three letters");
    assertThatThrownBy(() -> Option.integer("pin", null).secret().parse("hunter2"))
        .hasMessage("pin is malformed");
  }

  @Test
  @DisplayName("a refinement is a copy; the original stays as it was")
  void copies() {
    Option<Integer> bounded = SIZE.atMost(3);
    assertThat(SIZE.parse("9")).isEqualTo(9);
    assertThatThrownBy(() -> bounded.parse("9")).hasMessage("size=9: it must be at most 3");
    assertThat(SIZE.isSensitive()).isFalse();
    assertThat(SIZE.secret().isSensitive()).isTrue();
  }

  @Test
  @DisplayName("a configuration checks what is set, and tells what has neither value nor default")
  void checksOnSet() {
    LockConfig.Builder builder = LockConfig.builder("acme");
    assertThatThrownBy(() -> builder.set(SIZE, 0)).hasMessage("size=0: it must be at least 1");
    assertThatThrownBy(() -> builder.set(CommonOptions.LEASE, Duration.ofMillis(1)))
        .hasMessageContaining("at least PT0.01S");
    assertThatThrownBy(() -> builder.build().get(SIZE)).isInstanceOf(NoSuchElementException.class);
    assertThat(builder.set(SIZE, 2).build().get(SIZE)).isEqualTo(2);
  }

  @Test
  @DisplayName("a configuration keeps a list as it was when it was set")
  void copiesLists() {
    Option<List<HostPort>> hosts = Option.hosts(null);
    List<HostPort> given = new ArrayList<>(List.of(HostPort.of("a", 1)));
    LockConfig config = LockConfig.builder("acme").set(hosts, given).build();

    given.set(0, HostPort.of("b", 2));

    assertThat(config.get(hosts)).containsExactly(HostPort.of("a", 1));
  }

  @Test
  @DisplayName("E8 a configuration prints no secret")
  void printsNoSecret() {
    LockConfig config =
        LockConfig.builder("acme").set(SIZE, 2).set(TOKEN, "abc").build();
    assertThat(config).hasToString("LockConfig[acme, size=2, token=REDACTED]");
  }
}
