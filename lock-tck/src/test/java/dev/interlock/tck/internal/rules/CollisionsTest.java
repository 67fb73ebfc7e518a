package dev.interlock.tck.internal.rules;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CollisionsTest {
  /** What PostgreSQL 15 answered to {@code SELECT hashtext(...)}. */
  @ParameterizedTest
  @CsvSource({
    "'', -1477818771",
    "a, 1075015857",
    "interlock, -512659144",
    "twelve bytes, 652846557",
    "a lock of thirteen, -1716093431",
    "0123456789abcdefghijklmnopqrstuvwxyz, -933383701",
    "\u00e9\u20ac, -843005055"
  })
  void hashesTextAsPostgresDoes(String text, int hash) {
    assertThat(Collisions.lookup3(text.getBytes(UTF_8))).isEqualTo(hash);
  }
}
