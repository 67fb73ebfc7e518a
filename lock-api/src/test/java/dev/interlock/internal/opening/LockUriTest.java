package dev.interlock.internal.opening;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockConfigurationException;
import dev.interlock.Option.Part;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
        "acme://u:hunter2%E4@h",
        "acme://u:hunter2%ED%A0%80@h",
        "acme://h?token=hunter2%FF",
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
  @DisplayName("characters of all lengths are decoded, also beside such as are not encoded")
  void decodes() {
    assertThat(
            LockUri.parse("acme://u:%24%c3%A4\u00e4%E2%82%AC%F0%9F%98%80%5C1@h").parts())
        .containsEntry(Part.PASSWORD, "$\u00e4\u00e4\u20ac\ud83d\ude00\\1");
  }

  @ParameterizedTest
  @DisplayName("E8 what cannot be decoded is named, be it bytes that are no UTF-8")
  @CsvSource({
    "acme://%E4@h, The user",
    "acme://u:%E4@h, The password",
    "acme://%E4, The hosts",
    "acme://h/%E4, The path",
    "acme://h?zone=%E4, The option 'zone'",
    "acme://h?%E4=x, The name of an option",
    "acme://h?zone=%4, The option 'zone'"
  })
  void namesWhatItCannotDecode(String uri, String what) {
    assertThatThrownBy(() -> LockUri.parse(uri))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageStartingWith(what + " of the lock URI cannot be decoded");
  }

  @Test
  @DisplayName("E8 a URI prints its scheme only")
  void printsScheme() {
    assertThat(LockUri.parse("acme://u:hunter2@h?token=hunter2")).hasToString("acme://...");
  }
}
