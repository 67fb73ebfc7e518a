package dev.interlock.internal.opening;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class NearestTest {
  private static final List<String> NAMES = List.of("lease", "namespace", "pool-size", "tls");

  @Test
  @DisplayName("a slip of the fingers is recognised, whatever its case")
  void findsSlips() {
    assertThat(Nearest.to("laese", NAMES)).contains("lease");
    assertThat(Nearest.to("NameSpce", NAMES)).contains("namespace");
    assertThat(Nearest.to("poolsize", NAMES)).contains("pool-size");
    assertThat(Nearest.to("tsl", List.of("tls", "ssl"))).contains("ssl");
  }

  @Test
  @DisplayName("another word is not taken for a slip")
  void leavesOtherWords() {
    assertThat(Nearest.to("timeout", NAMES)).isEmpty();
    assertThat(Nearest.to("db", NAMES)).isEmpty();
    assertThat(Nearest.to("", NAMES)).isEmpty();
  }

  @Test
  @DisplayName("of equally near ones the first in the alphabet is proposed")
  void breaksTies() {
    assertThat(Nearest.to("bat", List.of("cat", "bar"))).contains("bar");
  }
}
