package dev.interlock.redis.hash.internal.connection;

import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.spi.ClientId;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.protocol.RedisCommand;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a Lettuce client of our own is set up, whatever the topology. It reconnects by itself,
 * refuses commands while it has no connection, and sends no command a second time: what was under
 * way when a connection broke fails, and the engine decides whether to repeat it.
 */
record ClientSetup(LockConfig config, ClientId client) {
  /**
   * Finds a connection whose other end has silently gone. The one that listens sends nothing by
   * itself, and would otherwise stay deaf; with this the operating system asks, not the server.
   */
  private static final KeepAliveOptions HALF_OPEN = KeepAliveOptions.builder()
      .enable()
      .idle(Duration.ofSeconds(5))
      .interval(Duration.ofSeconds(1))
      .count(3)
      .build();

  /** A server with data. */
  RedisURI uri(HostPort server) {
    RedisURI uri = at(server);
    uri.setDatabase(config.get(RedisOptions.DATABASE));
    authenticate(
        uri,
        config.find(RedisOptions.USER).orElse(null),
        config.find(RedisOptions.PASSWORD).orElse(null));
    return uri;
  }

  /** The sentinels, each with its own way in. */
  List<RedisURI> sentinels() {
    return RedisOptions.servers(config).stream().map(this::sentinel).toList();
  }

  /** A sentinel. */
  RedisURI sentinel(HostPort server) {
    RedisURI uri = at(server);
    authenticate(
        uri,
        config.find(RedisOptions.SENTINEL_USER).orElse(null),
        config.find(RedisOptions.SENTINEL_PASSWORD).orElse(null));
    return uri;
  }

  private RedisURI at(HostPort server) {
    return RedisURI.builder()
        .withHost(server.host())
        .withPort(server.port().orElseThrow())
        .withClientName("interlock-" + client.id())
        .withSsl(config.get(RedisOptions.TLS))
        .withTimeout(config.get(RedisOptions.TIMEOUT))
        .build();
  }

  private static void authenticate(RedisURI uri, @Nullable String user, @Nullable String password) {
    if (password != null) {
      uri.setCredentialsProvider(
          RedisCredentialsProvider.from(() -> RedisCredentials.just(user, password)));
    }
  }

  /**
   * Rejects a command that met a connection just as it broke, in the words of Lettuce. Lettuce
   * would keep it for the next connection; if only told not to, it drops it, and whoever awaits the
   * answer does so for all the time there is.
   */
  private static boolean reject(RedisCommand<?, ?, ?> command) {
    command.completeExceptionally(
        new RedisException("Currently not connected. Commands are rejected."));
    return true;
  }

  /** Applies what all topologies have in common. */
  <B extends ClientOptions.Builder> B options(B options) {
    options
        .autoReconnect(true)
        .replayFilter(ClientSetup::reject)
        .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
        .protocolVersion(ProtocolVersion.RESP2)
        .timeoutOptions(TimeoutOptions.create()) // a script's caller counts the time itself
        .socketOptions(SocketOptions.builder()
            .connectTimeout(config.get(RedisOptions.CONNECT_TIMEOUT))
            .keepAlive(HALF_OPEN)
            .build());
    config.find(RedisOptions.TRUST_STORE).ifPresent(file -> {
      SslOptions.Builder ssl = SslOptions.builder();
      config
          .find(RedisOptions.TRUST_STORE_PASSWORD)
          .ifPresentOrElse(
              password -> ssl.truststore(file.toFile(), password),
              () -> ssl.truststore(file.toFile()));
      options.sslOptions(ssl.build());
    });
    return options;
  }
}
