package dev.interlock.compare.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("thorough")
class DatabaseBackendsTest {
  static Stream<Arguments> kinds() {
    return Stream.of(
        Arguments.of(DatabaseBackends.MYSQL, "mysql"),
        Arguments.of(DatabaseBackends.POSTGRES, "postgres"));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void starts_a_server_and_uses_one_that_is_named(DatabaseBackends<?> kind, String id) {
    try (Backend started = kind.start(id)) {
      String address = started.uri().replaceFirst("\\?.*", "");
      assertThat(started.uri())
          .startsWith(id + "://")
          .contains("schema=create", "namespace=compare-");
      assertThat(started.probe()).isPresent();
      assertThat(started.admin().database()).isPresent();

      try (Backend given = kind.at(address + "?schema=none")) {
        assertThat(given.origin()).isEqualTo(Backend.GIVEN);
        assertThat(given.uri())
            .startsWith(address + "?schema=none&namespace=compare-")
            .isNotEqualTo(started.uri());
        assertThat(given.probe()).isPresent();
        assertThat(given.admin()).isEqualTo(Admin.NONE);
      }
      try (Backend encrypted = kind.at(address + "?tls=verify-ca")) {
        assertThat(encrypted.probe()).as("asked by the provider only").isEmpty();
      }
    }
  }
}
