package dev.interlock.testservers.internal.database;

import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.TestServerException;
import dev.interlock.testservers.internal.control.ControlledServer;
import dev.interlock.testservers.internal.control.FreePorts;
import dev.interlock.testservers.internal.control.PrivateDirectory;
import dev.interlock.testservers.internal.control.ServerProcess;
import dev.interlock.testservers.internal.control.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Runs programs of MySQL or MariaDB on this machine. */
final class ProcessMysql {
  private static final String ADDRESS = "127.0.0.1";
  private static final String ACCOUNT = "interlock";

  /** Sockets have names of 107 bytes at the most, so theirs is relative to the directory. */
  private static final String SOCKET = "s";

  /** Run at each start, before the server takes connections. */
  private static final List<String> INIT = List.of(
      "CREATE DATABASE IF NOT EXISTS interlock;",
      "CREATE USER IF NOT EXISTS 'interlock'@'%' IDENTIFIED BY 'interlock';",
      "GRANT ALL PRIVILEGES ON *.* TO 'interlock'@'%' WITH GRANT OPTION;");

  /**
   * Prepares the data once and becomes the server. Inside the supervised process, so that a JVM
   * that ends meanwhile leaves nothing behind.
   */
  private static final String LAUNCH =
      "if [ ! -e prepared ]; then rm -rf data tmp; mkdir data tmp; %s || exit 1; : >prepared; fi; exec %s";

  private ProcessMysql() {}

  /**
   * Starts a server.
   *
   * @param origin what {@link MysqlServer#source()} says, without the version
   * @param programs finds the programs, or puts them into the server's directory
   */
  static MysqlServer start(
      List<String> options, String origin, Function<PrivateDirectory, MysqlInstallation> programs) {
    return FreePorts.startOnNext(
        port -> ControlledServer.started(prepare(options, port, origin, programs)));
  }

  private static ProcessDatabase prepare(
      List<String> options,
      int port,
      String origin,
      Function<PrivateDirectory, MysqlInstallation> programs) {
    PrivateDirectory home = PrivateDirectory.create();
    try {
      MysqlInstallation installation = programs.apply(home);
      Path data = home.path().resolve("data");
      Path init = Files.write(home.path().resolve("init.sql"), INIT);
      List<String> run = new ArrayList<>(installation.run(data));
      run.addAll(List.of(
          "--bind-address=" + ADDRESS,
          "--port=" + port,
          "--socket=" + SOCKET,
          "--pid-file=" + home.path().resolve("pid"),
          "--init-file=" + init,
          "--innodb-buffer-pool-size=64M"));
      if (installation.installer() == null) {
        run.add("--mysqlx=OFF");
      } else if (options.stream().noneMatch(option -> option.startsWith("--ssl"))) {
        // MariaDB makes an RSA key at each start otherwise, which takes up to 15 s.
        run.add("--skip-ssl");
      }
      run.addAll(options);
      String launch =
          LAUNCH.formatted(Shell.quoted(installation.preparation(data)), Shell.quoted(run));
      return new ProcessDatabase(
          new DatabaseEndpoint(DatabaseKind.MYSQL, ADDRESS, port, ACCOUNT, ACCOUNT, ACCOUNT),
          origin,
          new ServerProcess(home, List.of("/bin/sh", "-c", launch), "TERM"),
          data);
    } catch (IOException e) {
      home.delete();
      throw new TestServerException("No configuration can be written to " + home.path() + ".", e);
    } catch (RuntimeException e) {
      home.delete();
      throw e;
    }
  }
}
