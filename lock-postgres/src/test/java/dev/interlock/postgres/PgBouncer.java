package dev.interlock.postgres;

import dev.interlock.testservers.PostgresServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * PgBouncer in transaction mode before a server, from the program on the PATH. It ends with this
 * JVM: a shell waits for the end of its input, and ends it then.
 */
final class PgBouncer implements AutoCloseable {
  private static final String CONFIG = """
      [databases]
      * = host=127.0.0.1 port=%d user=%s password=%s

      [pgbouncer]
      listen_addr = 127.0.0.1
      listen_port = %d
      unix_socket_dir =
      auth_type = any
      pool_mode = transaction
      max_client_conn = 1000
      default_pool_size = 20
      server_login_retry = 1
      ignore_startup_parameters = extra_float_digits
      """;

  private static final String SUPERVISE =
      "PATH=$PATH:/usr/sbin; pgbouncer -q \"$1\" & bouncer=$!; cat >/dev/null; kill \"$bouncer\"; wait \"$bouncer\"";

  private final Process shell;
  private final Path directory;
  private final int port;

  private PgBouncer(Process shell, Path directory, int port) {
    this.shell = shell;
    this.directory = directory;
    this.port = port;
  }

  static PgBouncer start(PostgresServer server) throws IOException {
    Path directory = Files.createTempDirectory("interlock-pgbouncer-");
    int port = freePort();
    int serverPort = URI.create(server.uri()).getPort();
    Path config = Files.writeString(
        directory.resolve("pgbouncer.ini"),
        CONFIG.formatted(serverPort, server.user(), server.password(), port));
    boolean root = System.getProperty("user.name").equals("root");
    // As root it refuses to run.
    List<String> as =
        root ? List.of("setpriv", "--reuid=nobody", "--clear-groups") : List.<String>of();
    if (root) {
      new ProcessBuilder("chown", "-R", "nobody", directory.toString())
          .start()
          .onExit()
          .join();
    }
    Process shell = new ProcessBuilder(Stream.concat(
                as.stream(), Stream.of("/bin/sh", "-c", SUPERVISE, "sh", config.toString()))
            .toList())
        .directory(directory.toFile())
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("log").toFile())
        .start();
    PgBouncer bouncer = new PgBouncer(shell, directory, port);
    Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> isOpen(port));
    return bouncer;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static boolean isOpen(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  /** The server's address by way of it. */
  String uri(PostgresServer server) {
    return server.uri().replaceFirst("@[^/]*/", "@127.0.0.1:" + port + "/");
  }

  @Override
  public void close() throws IOException {
    shell.getOutputStream().close();
    try {
      if (!shell.waitFor(10, TimeUnit.SECONDS)) {
        shell.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }
}
