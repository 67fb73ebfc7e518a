package dev.interlock.testservers.internal.database;

import dev.interlock.testservers.PostgresServer;
import dev.interlock.testservers.internal.control.ControlledServer;
import dev.interlock.testservers.internal.control.FreePorts;
import dev.interlock.testservers.internal.control.PrivateDirectory;
import dev.interlock.testservers.internal.control.ServerProcess;
import dev.interlock.testservers.internal.control.Shell;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Runs PostgreSQL's programs on this machine. */
final class ProcessPostgres {
  private static final String ADDRESS = "127.0.0.1";
  private static final String ACCOUNT = "interlock";

  /** Without waiting for the clients to leave, which is what TERM means. */
  private static final String FAST_SHUTDOWN = "INT";

  /**
   * Prepares the data once and becomes the server. Inside the supervised process, so that a JVM
   * that ends meanwhile leaves nothing behind.
   */
  private static final String LAUNCH =
      "if [ ! -e prepared ]; then rm -rf data; %s || exit 1; : >prepared; fi; exec %s";

  private static final String NEW_DATA = "echo interlock >password && %s --pwfile=password"
      + " && echo 'CREATE DATABASE interlock' | %s";

  private static final String COPY = "cp -Rp %s data && : >data/standby.signal";

  /**
   * The server refuses to run as root. Neither of these programs stays in between, so signals reach
   * the server.
   */
  private static final String AS_NOBODY = "chown nobody . || exit 1; group=$(id -g nobody);"
      + " if command -v setpriv >/dev/null; then"
      + " exec setpriv --reuid=nobody --regid=\"$group\" --clear-groups /bin/sh -c %1$s; else"
      + " exec chroot --userspec=\"nobody:$group\" --skip-chdir / /bin/sh -c %1$s; fi";

  private ProcessPostgres() {}

  /**
   * Starts a server.
   *
   * @param followed the data directory of the server that it follows; empty for none
   * @param origin what {@link PostgresServer#source()} says, without the version
   * @param programs finds the directory of the programs, or puts it into the server's own
   */
  static PostgresServer start(
      List<String> options,
      String followed,
      String origin,
      Function<PrivateDirectory, Path> programs) {
    return FreePorts.startOnNext(
        port -> ControlledServer.started(prepare(options, followed, port, origin, programs)));
  }

  private static ProcessDatabase prepare(
      List<String> options,
      String followed,
      int port,
      String origin,
      Function<PrivateDirectory, Path> programs) {
    PrivateDirectory home = PrivateDirectory.create();
    try {
      Path bin = programs.apply(home);
      Path data = home.path().resolve("data");
      String server = bin.resolve("postgres").toString();
      List<String> run = new ArrayList<>(List.of(server, "-D", data.toString()));
      run.addAll(List.of("-c", "listen_addresses=" + ADDRESS, "-c", "port=" + port));
      run.addAll(List.of("-c", "unix_socket_directories=", "-c", "shared_buffers=64MB"));
      run.addAll(options);
      String preparation =
          followed.isEmpty() ? newData(bin, data) : COPY.formatted(Shell.quoted(List.of(followed)));
      String launch = LAUNCH.formatted(preparation, Shell.quoted(run));
      if (System.getProperty("user.name").equals("root")) {
        launch = AS_NOBODY.formatted(Shell.quoted(List.of(launch)));
      }
      return new ProcessDatabase(
          new DatabaseEndpoint(DatabaseKind.POSTGRES, ADDRESS, port, ACCOUNT, ACCOUNT, ACCOUNT),
          origin,
          new ServerProcess(home, List.of("/bin/sh", "-c", launch), FAST_SHUTDOWN),
          data);
    } catch (RuntimeException e) {
      home.delete();
      throw e;
    }
  }

  private static String newData(Path bin, Path data) {
    List<String> installation = List.of(
        bin.resolve("initdb").toString(),
        "--pgdata=" + data,
        "--username=" + ACCOUNT,
        "--auth=password",
        "--encoding=UTF8",
        "--locale=C",
        "--no-sync");
    List<String> single =
        List.of(bin.resolve("postgres").toString(), "--single", "-D", data.toString(), "postgres");
    return NEW_DATA.formatted(Shell.quoted(installation), Shell.quoted(single));
  }
}
