package dev.interlock.testservers.internal.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.testservers.internal.control.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is asked of a daemon, with one that answers as each test wants. */
@Timeout(60)
class DockerDaemonTest {
  @TempDir
  Path directory;

  @Test
  void a_daemon_that_answers_is_seen() throws Exception {
    try (ServerSocketChannel daemon = socket()) {
      answer(daemon, "200 OK", "200 OK", "404 Not Found", "500 Internal Server Error");

      assertThat(DockerDaemon.answers(socketAddress())).isTrue();
      assertThat(DockerDaemon.canProvide(socketAddress(), "redis:8")).isTrue();
      assertThat(DockerDaemon.canProvide(socketAddress(), "redis:8")).isFalse();
    }
  }

  @Test
  void a_daemon_that_cannot_get_the_image_will_not_do() throws Exception {
    try (ServerSocketChannel daemon = socket()) {
      answer(daemon, "200 OK", "404 Not Found", "500 Internal Server Error", "200 OK", "200 OK");

      for (String time : List.of("asked", "remembered")) {
        assertThatThrownBy(() -> DockerDaemon.require(List.of(socketAddress()), "redis"))
            .as(time)
            .isInstanceOf(SourceUnavailableException.class)
            .hasMessageContaining("neither has nor can pull redis");
      }
    }
  }

  private static void answer(ServerSocketChannel daemon, String... statuses) {
    Thread server = new Thread(
        () -> {
          for (String status : statuses) {
            try (SocketChannel client = daemon.accept()) {
              client.read(ByteBuffer.allocate(1_000));
              String answer = "HTTP/1.1 " + status + "\r\n\r\n";
              client.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.US_ASCII)));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
        },
        "fake-docker-daemon");
    server.setDaemon(true);
    server.start();
  }

  /** A second for the silent one, and what a busy machine adds; Testcontainers takes minutes. */
  @Test
  @Timeout(5)
  void no_daemon_and_a_silent_daemon_are_told_within_seconds() throws Exception {
    assertThat(DockerDaemon.answers(URI.create("unix:///nowhere/docker.sock"))).isFalse();
    assertThat(DockerDaemon.answers(URI.create("tcp://127.0.0.1:" + FreePorts.next())))
        .isFalse();
    assertThat(DockerDaemon.answers(URI.create("npipe:////./pipe/docker"))).isFalse();
    try (ServerSocketChannel silent = socket()) {
      assertThat(silent.isOpen()).isTrue();
      assertThat(DockerDaemon.answers(socketAddress())).isFalse();
    }
  }

  private ServerSocketChannel socket() throws IOException {
    return ServerSocketChannel.open(StandardProtocolFamily.UNIX)
        .bind(UnixDomainSocketAddress.of(directory.resolve("docker.sock")));
  }

  private URI socketAddress() {
    return URI.create("unix://" + directory.resolve("docker.sock"));
  }
}
