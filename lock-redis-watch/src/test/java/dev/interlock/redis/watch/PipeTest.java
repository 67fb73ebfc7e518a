package dev.interlock.redis.watch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.redis.support.contract.FakeRedis;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** Very many commands in one step. */
@Timeout(60)
class PipeTest {
  private static Connection to(int port, int timeoutMillis) {
    Connection connection = new Connection(new HostAndPort("127.0.0.1", port));
    connection.connect();
    connection.setSoTimeout(timeoutMillis);
    return connection;
  }

  static Stream<BiConsumer<Pipe, List<byte[]>>> manyKeys() {
    return Stream.of(
        (pipe, keys) -> keys.forEach(key -> pipe.send(Command.GETEX, key)), Pipe::watch);
  }

  /** A write to a socket has no time limit. */
  @ParameterizedTest
  @MethodSource("manyKeys")
  void W11_moreThanTheSystemHasRoomForEndsInTimeOnASilentServer(
      BiConsumer<Pipe, List<byte[]>> sending) throws Exception {
    byte[] large = "x".repeat(100_000).getBytes(UTF_8);
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      FutureTask<Throwable> asking = new FutureTask<>(() -> catchThrowable(() -> {
        Pipe pipe = new Pipe(to(silent.getLocalPort(), 1_000), false);
        sending.accept(pipe, Collections.nCopies(256, large));
        pipe.flush();
      }));
      Thread thread = new Thread(asking, "asking");
      thread.setDaemon(true);
      thread.start();
      assertThat(asking)
          .succeedsWithin(Duration.ofSeconds(15))
          .isInstanceOf(JedisConnectionException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void E1_eachHasTheAnswerToItsOwnQuestion(boolean asking) throws Exception {
    try (FakeRedis server = new FakeRedis(words -> "+" + words.get(words.size() - 1) + "\r\n")) {
      Pipe pipe = new Pipe(to(server.host().port().orElseThrow(), 20_000), asking);
      List<String> asked = new ArrayList<>();
      for (int i = 0; i < 3_000; i++) {
        asked.add("question " + i);
        pipe.send(Command.GETEX, CommandWords.word("question " + i));
      }
      Replies heard = pipe.flush();
      assertThat(heard.list().stream().map(each -> new String((byte[]) each, UTF_8)))
          .containsExactlyElementsOf(asked);
      assertThat(pipe.send(Command.GETEX, CommandWords.word("next")).flush().bytes(0))
          .isEqualTo(CommandWords.word("next"));
    }
  }
}
