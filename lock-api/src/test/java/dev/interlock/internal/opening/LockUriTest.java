package dev.interlock.internal.opening;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockConfigurationException;
import dev.interlock.Option.Part;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockUriTest {

  @Test
  @DisplayName("a URI is taken apart into user, password, hosts, path and query")
  void takesApart() {
    LockUri uri = LockUri.parse("acme://me:pa%2Fss@a:1,[::1]:2/db/x?lease=PT5S&flag&lease=PT6S");

    assertThat(uri.scheme()).isEqualTo("acme");
    assertThat(uri.parts())
        .containsOnly(
            Map.entry(Part.USER, "me"),
            Map.entry(Part.PASSWORD, "pa/ss"),
            Map.entry(Part.HOSTS, "a:1,[::1]:2"),
            Map.entry(Part.PATH, "db/x"));
    assertThat(uri.query())
        .containsExactly(
            Map.entry("lease", "PT5S"), Map.entry("flag", ""), Map.entry("lease", "PT6S"));
  }

  @Test
  @DisplayName("a plus sign is itself, not a blank")
  void keepsPlus() {
    assertThat(LockUri.parse("acme://u:a+b@h").parts()).containsEntry(Part.PASSWORD, "a+b");
  }

  @ParameterizedTest
  @DisplayName("E8 a malformed URI is refused without showing any of it")
  @ValueSource(
      strings = {
        "hunter2",
        "acme:hunter2@h",
        "acme://u:hun@ter2@h",
        "acme://u:hunter2/x@h",
        "acme://u:hunter2?x@h",
        "acme://u:hunter2#x@h",
        "acme://u:hunter2%zz@h",
        "acme://u:hunter2%@h",
        "ACME://u:hunter2@h"
      })
  void echoesNothing(String uri) {
    assertThatThrownBy(() -> LockUri.parse(uri))
        .isInstanceOf(LockConfigurationException.class)
        .hasNoCause()
        .message()
        .doesNotContain("hun")
        .doesNotContain("ter2");
  }

  @Test
  @DisplayName("E8 a URI prints its scheme only")
  void printsScheme() {
    assertThat(LockUri.parse("acme://u:hunter2@h?token=hunter2")).hasToString("acme://...");
  }
}
