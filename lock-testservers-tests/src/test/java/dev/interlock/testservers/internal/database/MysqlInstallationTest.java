package dev.interlock.testservers.internal.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MysqlInstallationTest {

  /**
   * Seen in a build on a busy machine: the preparation of one server's data failed because another
   * server, which was starting, removed the temporary tables of the first in /tmp. Four loops that
   * prepare data side by side met it in 2 of 80 preparations, and with directories of their own in
   * none of 200.
   */
  @Test
  void temporaryTablesAreOutOfReachOfOtherServersFromTheFirstCommandOn() {
    MysqlInstallation mariaDb = new MysqlInstallation(
        Path.of("/base/bin/mariadbd"), Path.of("/base/mariadb-install-db"), Path.of("/base"));
    MysqlInstallation mysql = new MysqlInstallation(Path.of("/usr/sbin/mysqld"), null, null);
    Path data = Path.of("/home/data");

    assertThat(mariaDb.preparation(data)).contains("--tmpdir=/home/tmp");
    assertThat(mysql.preparation(data)).contains("--tmpdir=/home/tmp");
    assertThat(mariaDb.run(data)).contains("--tmpdir=/home/tmp");
    assertThat(mysql.run(data)).contains("--tmpdir=/home/tmp");
  }
}
