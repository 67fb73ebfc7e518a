package dev.interlock.testservers.internal.source;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Tells quickly and silently whether a Docker daemon answers. Testcontainers would tell it too, but
 * takes seconds and logs errors where there is none.
 */
public final class DockerDaemon {
  private static final int PING_MILLIS = 1_000;
  private static final int REGISTRY_MILLIS = 10_000;
  private static final Pattern SUCCESS = Pattern.compile("HTTP/1\\.[01] 200\\b.*", Pattern.DOTALL);

  /** What a daemon could not provide is not asked for again: a registry may be silent for long. */
  private static final Set<String> MISSING = ConcurrentHashMap.newKeySet();

  private DockerDaemon() {}

  /** {@code DOCKER_HOST} if it is set, else the sockets of the usual installations. */
  public static List<URI> usualAddresses() {
    Map<String, String> environment = System.getenv();
    String host = environment.get("DOCKER_HOST");
    if (host != null && !host.isBlank()) {
      return List.of(URI.create(host.strip()));
    }
    List<Path> sockets = new ArrayList<>();
    sockets.add(Path.of("/var/run/docker.sock"));
    String runtime = environment.get("XDG_RUNTIME_DIR");
    if (runtime != null) {
      sockets.add(Path.of(runtime, "docker.sock"));
    }
    Path home = Path.of(System.getProperty("user.home"), ".docker");
    sockets.add(home.resolve("run/docker.sock"));
    sockets.add(home.resolve("desktop/docker.sock"));
    return sockets.stream().map(socket -> URI.create("unix://" + socket)).toList();
  }

  /**
   * Finds out in time whether a container of this image can be had.
   *
   * @throws SourceUnavailableException if not, with the reason
   */
  public static void require(List<URI> addresses, String image) throws SourceUnavailableException {
    URI daemon = addresses.stream()
        .filter(DockerDaemon::answers)
        .findFirst()
        .orElseThrow(
            () -> new SourceUnavailableException("no daemon answers at any of " + addresses));
    String wanted = daemon + " " + image;
    if (MISSING.contains(wanted) || !canProvide(daemon, image)) {
      MISSING.add(wanted);
      throw new SourceUnavailableException(
          "the daemon at " + daemon + " neither has nor can pull " + image);
    }
  }

  /** Whether a daemon answers at this address; within a second or so. */
  static boolean answers(URI address) {
    return succeeds(address, "GET /_ping", PING_MILLIS);
  }

  /**
   * Whether the daemon has this image or can pull it. Asked beforehand since Testcontainers goes on
   * trying for two minutes where the registry cannot be reached.
   */
  static boolean canProvide(URI address, String image) {
    return succeeds(address, "GET /images/" + image + "/json", PING_MILLIS)
        || succeeds(address, "POST /images/create?fromImage=" + image, REGISTRY_MILLIS);
  }

  private static boolean succeeds(URI address, String request, int limitMillis) {
    try {
      return address.getScheme().equals("unix")
          ? SUCCESS
              .matcher(answer(Path.of(address.getPath()), request, limitMillis))
              .matches()
          : accepts(address);
    } catch (IOException | RuntimeException none) {
      return false;
    }
  }

  /** The beginning of the answer; nothing if there is none in time. */
  private static String answer(Path socket, String request, int limitMillis) throws IOException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        Selector selector = Selector.open()) {
      channel.connect(UnixDomainSocketAddress.of(socket));
      String message = request + " HTTP/1.0\r\nHost: docker\r\n\r\n";
      channel.write(ByteBuffer.wrap(message.getBytes(StandardCharsets.US_ASCII)));
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ);
      if (selector.select(limitMillis) == 0) {
        return "";
      }
      ByteBuffer answer = ByteBuffer.allocate(64);
      channel.read(answer);
      return new String(answer.array(), 0, answer.position(), StandardCharsets.ISO_8859_1);
    }
  }

  /** A daemon behind TCP may want TLS, so a connection has to do as a sign of life. */
  private static boolean accepts(URI address) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(address.getHost(), address.getPort()), PING_MILLIS);
      return true;
    }
  }
}
