package dev.interlock.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.testservers.internal.source.Surroundings;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("thorough")
@Timeout(120)
class PostgresSourcesTest {

  @Test
  void aGivenServerIsUsedAsItIs() {
    try (PostgresServer started =
            TestPostgres.builder().from(PostgresSource.EMBEDDED).start();
        PostgresServer given = new PostgresServerBuilder(new Surroundings<>(
                started.uri(),
                null,
                "none",
                "",
                List.of(),
                PostgresSourcesTest.class.getClassLoader()))
            .start()) {
      assertThat(given.isControllable()).isFalse();
      assertThat(given.source()).startsWith("given URI, PostgreSQL 18.");
      assertThatThrownBy(given::kill).isInstanceOf(UnsupportedOperationException.class);
      given.close();
      assertThat(started.execute("SELECT 1")).isEqualTo("1");
    }
  }
}
