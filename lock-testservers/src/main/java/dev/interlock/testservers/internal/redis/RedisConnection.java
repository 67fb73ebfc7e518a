package dev.interlock.testservers.internal.redis;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.IOUtils;

/**
 * One connection that sends commands as they are given and answers with text; Jedis speaks the
 * protocol. Not thread-safe.
 */
final class RedisConnection implements AutoCloseable {

  /** The server answered, with an error. */
  static final class ErrorAnswer extends IOException {
    private static final long serialVersionUID = 1L;

    ErrorAnswer(JedisDataException answer) {
      super(answer.getMessage(), answer);
    }
  }

  /** Not made by Jedis' own builder, whose way to RESP2 without a greeting is not in Jedis 7. */
  private record Settings(RedisEndpoint endpoint) implements JedisClientConfig {
    /** Jedis 8 asks this, and greets the server otherwise. */
    @SuppressWarnings({"MissingOverride", "UnusedMethod", "EffectivelyPrivate"})
    public boolean isAutoNegotiateProtocol() {
      return false;
    }

    @Override
    public ClientSetInfoConfig getClientSetInfoConfig() {
      return ClientSetInfoConfig.DISABLED;
    }

    @Override
    public @Nullable String getUser() {
      return endpoint.user();
    }

    @Override
    public @Nullable String getPassword() {
      return endpoint.password();
    }

    @Override
    public int getDatabase() {
      return endpoint.database();
    }
  }

  private final Connection connection;

  private RedisConnection(Connection connection) {
    this.connection = connection;
  }

  /**
   * Connects, authenticates and selects the database, and sends nothing else.
   *
   * @param limit for the connection, and again for each piece of an answer
   */
  static RedisConnection open(RedisEndpoint endpoint, Duration limit) throws IOException {
    int millis = Math.toIntExact(limit.toMillis());
    return new RedisConnection(
        tell(() -> new Connection(() -> socket(endpoint, millis), new Settings(endpoint))));
  }

  private static Socket socket(RedisEndpoint endpoint, int millis) {
    Socket socket = new Socket();
    try {
      socket.setSoTimeout(millis);
      socket.connect(new InetSocketAddress(endpoint.host(), endpoint.port()), millis);
      SSLSocketFactory tls = endpoint.tls();
      return tls == null
          ? socket
          : tls.createSocket(socket, endpoint.host(), endpoint.port(), true);
    } catch (IOException e) {
      IOUtils.closeQuietly(socket);
      throw new JedisConnectionException(e);
    }
  }

  String call(String... arguments) throws IOException {
    return tell(() -> {
      send(List.of(arguments));
      return text(connection.getOne());
    });
  }

  /** Sends commands in one piece and returns their answers; errors are among them. */
  List<String> callAll(List<List<String>> commands) throws IOException {
    return tell(() -> {
      commands.forEach(this::send);
      return connection.getMany(commands.size()).stream()
          .map(RedisConnection::text)
          .toList();
    });
  }

  /** Waits for what the server sends unasked, after MONITOR. */
  String next() throws IOException {
    return tell(() -> text(connection.getOne()));
  }

  private void send(List<String> command) {
    ProtocolCommand name = () -> command.get(0).getBytes(StandardCharsets.UTF_8);
    connection.sendCommand(name, command.subList(1, command.size()).toArray(String[]::new));
  }

  private static String text(@Nullable Object answer) {
    if (answer == null) {
      return "(nil)";
    } else if (answer instanceof byte[] bytes) {
      return new String(bytes, StandardCharsets.UTF_8);
    } else if (answer instanceof List<?> elements) {
      return elements.stream().map(RedisConnection::text).collect(Collectors.joining("\n"));
    } else if (answer instanceof JedisDataException error) {
      return "(error) " + error.getMessage();
    }
    return answer.toString();
  }

  private interface Call<T> {
    T run();
  }

  private static <T> T tell(Call<T> call) throws IOException {
    try {
      return call.run();
    } catch (JedisDataException e) {
      throw new ErrorAnswer(e);
    } catch (JedisException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    connection.close();
  }
}
