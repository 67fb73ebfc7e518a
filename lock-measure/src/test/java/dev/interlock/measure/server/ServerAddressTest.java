package dev.interlock.measure.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerAddressTest {

  @Test
  void portAndDatabaseHaveTheUsualDefaults() {
    ServerAddress address = parse("redis://localhost");

    assertThat(address.port()).isEqualTo(6379);
    assertThat(address.database()).isEqualTo("0");
    assertThat(address.user()).isEmpty();
    assertThat(address.password()).isEmpty();
  }

  @Test
  void credentialsAreDecodedForLibrariesAndKeptEncodedInUris() {
    ServerAddress address = parse("redis://bob:p%40ss+word@example.org:7000/3");

    assertThat(address.user()).hasValue("bob");
    assertThat(address.password()).hasValue("p@ss+word");
    assertThat(address.uri("redis-setnx"))
        .isEqualTo("redis-setnx://bob:p%40ss+word@example.org:7000/3");
  }

  @Test
  void aPasswordNeedsNoUser() {
    ServerAddress address = parse("redis://:secret@localhost");

    assertThat(address.user()).isEmpty();
    assertThat(address.password()).hasValue("secret");
  }

  @Test
  void theTextShowsNoPassword() {
    assertThat(parse("redis://bob:secret@localhost").toString()).isEqualTo("localhost:6379/0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost:6379 secret",
        "rediss://:secret@localhost",
        "redis://:secret@",
        "redis://:secret@localhost/zero",
        "redis://:secret@localhost?timeout=1",
        "redis://:sec%secret@localhost"
      })
  void whatIsWrongIsRefusedWithoutThePassword(String text) {
    assertThatThrownBy(() -> parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Give it as redis://")
        .hasMessageNotContaining("secret");
  }

  private static ServerAddress parse(String text) {
    return ServerAddress.parse(ServerKind.REDIS, text);
  }
}
