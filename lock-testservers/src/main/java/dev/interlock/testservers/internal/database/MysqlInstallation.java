package dev.interlock.testservers.internal.database;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The server's programs on this machine.
 *
 * @param server mysqld or mariadbd
 * @param installer mariadb-install-db; null where the server itself prepares its data
 * @param base the directory that holds them; null where they find their files by themselves
 */
record MysqlInstallation(
    Path server, @Nullable Path installer, @Nullable Path base) {

  /** An installation of the system's, found by its server program. */
  static MysqlInstallation at(Path server) {
    for (String bin : List.of("/usr/bin", String.valueOf(server.getParent()))) {
      Path installer = Path.of(bin, "mariadb-install-db");
      if (Files.isExecutable(installer)) {
        return new MysqlInstallation(server, installer, null);
      }
    }
    return new MysqlInstallation(server, null, null);
  }

  /** The command that prepares an empty data directory. */
  List<String> preparation(Path data) {
    List<String> command = new ArrayList<>();
    command.add((installer == null ? server : installer).toString());
    command.add("--no-defaults");
    if (installer == null) {
      command.add("--initialize-insecure");
    } else {
      command.addAll(List.of(
          "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"));
    }
    addPlace(command, data);
    return command;
  }

  /** The command that runs the server. */
  List<String> run(Path data) {
    List<String> command = new ArrayList<>(List.of(server.toString(), "--no-defaults"));
    addPlace(command, data);
    return command;
  }

  private void addPlace(List<String> command, Path data) {
    command.add("--datadir=" + data);
    // Of its own, also while the data is prepared: a server that starts removes all temporary
    // tables
    // there. MariaDB 11.4 crashes when one of its tables goes before it was opened, and its
    // preparation fails.
    command.add("--tmpdir=" + data.resolveSibling("tmp"));
    if (base != null) {
      command.add("--basedir=" + base);
    }
    if (System.getProperty("user.name").equals("root")) {
      // Both servers refuse to run as root unless told to.
      command.add("--user=root");
    }
  }
}
