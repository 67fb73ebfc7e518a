package dev.interlock.redis.support.jedis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisDataException;

/** Answers that come in parts, or not at all, while somebody waits a short while for them. */
@Timeout(60)
class PatientSocketTest {
  private static final long LONG = TimeUnit.SECONDS.toNanos(30);
  private static final int PATIENCE = 20_000;

  private final JedisClientConfig settings = new Quiet();
  private ServerSocket listener;
  private Socket server;
  private PatientSocket socket;
  private Connection connection;

  /** Nothing is said when a connection is opened, neither by Jedis 7 nor by Jedis 8. */
  private static final class Quiet implements JedisClientConfig {
    @SuppressWarnings({"EffectivelyPrivate", "MissingOverride", "unused"}) // of Jedis 8
    public boolean isAutoNegotiateProtocol() {
      return false;
    }

    @Override
    public int getSocketTimeoutMillis() {
      return PATIENCE;
    }

    @Override
    public ClientSetInfoConfig getClientSetInfoConfig() {
      return ClientSetInfoConfig.DISABLED;
    }
  }

  @BeforeEach
  void open() throws IOException {
    listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    HostAndPort address =
        new HostAndPort(listener.getInetAddress().getHostAddress(), listener.getLocalPort());
    socket = PatientSocket.connect(address, settings);
    server = listener.accept();
    server.setTcpNoDelay(true);
    connection = new Connection(() -> socket, settings);
  }

  @AfterEach
  void close() throws IOException {
    connection.close();
    server.close();
    listener.close();
  }

  private void say(String some) throws IOException {
    server.getOutputStream().write(some.getBytes(ISO_8859_1));
  }

  /** Waits until nothing comes for a moment, which is no answer in any case. */
  private boolean awaitShortly() throws IOException {
    return socket.has(2, TimeUnit.MILLISECONDS.toNanos(5));
  }

  @Test
  @DisplayName(
      "answers that have come are here, errors among them, and the time limit is as before")
  void has() throws IOException {
    say(":1\r\n-ERR no\r\n");
    assertThat(socket.has(2, LONG)).isTrue();
    assertThat(socket.getSoTimeout()).isEqualTo(PATIENCE);
    assertThat(connection.getUnflushedObject()).isEqualTo(1L);
    assertThatThrownBy(connection::getUnflushedObject).isInstanceOf(JedisDataException.class);
  }

  @ParameterizedTest
  @DisplayName("wherever answers stop for a while, Jedis reads on as if nobody had waited for them")
  @ValueSource(ints = {0, 1, 3, 4, 5, 9, 12, 13, 16, 20, 27})
  void leavesThePart(int length) throws IOException {
    String answers = ":7\r\n*2\r\n$5\r\nhello\r\n:123456\r\n";
    say(answers.substring(0, length));
    assertThat(awaitShortly()).isFalse();
    assertThat(socket.getSoTimeout()).isEqualTo(PATIENCE);
    say(answers.substring(length));
    assertThat(connection.getUnflushedObject()).isEqualTo(7L);
    assertThat((List<?>) connection.getUnflushedObject()).last().isEqualTo(123456L);
    say(":8\r\n:9\r\n");
    assertThat(socket.has(2, LONG)).isTrue();
    assertThat(connection.getUnflushedObject()).isEqualTo(8L);
    assertThat(connection.getUnflushedObject()).isEqualTo(9L);
  }

  @ParameterizedTest
  @DisplayName("an answer of any type is whole with its last byte, and not before")
  @ValueSource(
      strings = {
        "+OK|",
        ":-1|",
        "-ERR no|",
        "$-1|",
        "$0||",
        "$6|a$|*b|",
        "*-1|",
        "*0|",
        "*2|*1|$-1|*2|+a|:1|"
      })
  void knowsTheEnd(String answer) throws IOException {
    String both = ":1\r\n" + answer.replace("|", "\r\n");
    for (int i = 0; i < both.length() - 1; i++) {
      say(both.substring(i, i + 1));
      assertThat(awaitShortly()).as("after %d bytes", i + 1).isFalse();
    }
    say("\n");
    assertThat(socket.has(2, LONG)).isTrue();
    assertThat(connection.getUnflushedObject()).isEqualTo(1L);
  }

  @ParameterizedTest
  @DisplayName("what is no answer ends the connection")
  @ValueSource(strings = {"?what|:1|", "$x|:1|", "*|:1|"})
  void refusesOthers(String said) throws IOException {
    say(said.replace("|", "\r\n"));
    assertThatThrownBy(() -> socket.has(2, LONG)).isInstanceOf(IOException.class);
  }

  @Test
  @DisplayName("an answer that comes in parts is read when it is whole, also if it is a long one")
  void waitsForTheRest() throws Exception {
    String text = "x".repeat(3_000);
    Thread slow = new Thread(() -> {
      try {
        say("$3000\r\n");
        for (int i = 0; i < 3; i++) {
          TimeUnit.MILLISECONDS.sleep(5);
          say(text.substring(1_000 * i, 1_000 * (i + 1)));
        }
        say("\r\n:1\r\n");
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    });
    slow.start();
    assertThat(socket.has(2, LONG)).isTrue();
    assertThat((byte[]) connection.getUnflushedObject()).hasSize(3_000);
    assertThat(connection.getUnflushedObject()).isEqualTo(1L);
    slow.join();
  }

  @Test
  @DisplayName("a connection that was closed is told from an answer that has not come yet")
  void tellsTheEnd() throws IOException {
    say(":1\r\n:");
    server.close();
    assertThatThrownBy(() -> socket.has(2, LONG)).isInstanceOf(IOException.class);
  }

  @Test
  @DisplayName("more than was asked for is not taken for an answer to what is asked later")
  void refusesMore() throws IOException {
    say(":1\r\n:2\r\n:3\r\n");
    assertThatThrownBy(() -> socket.has(2, LONG)).isInstanceOf(IOException.class);
  }
}
