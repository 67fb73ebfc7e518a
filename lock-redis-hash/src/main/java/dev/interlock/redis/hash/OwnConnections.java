package dev.interlock.redis.hash;

import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.spi.ClientId;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.EventLoopGroupProvider;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A Lettuce client of our own. It reconnects by itself, refuses commands while it has no
 * connection, and sends no command a second time: what was under way when a connection broke fails,
 * and the engine decides whether to repeat it. All connections share one thread, and so a wake-up.
 */
final class OwnConnections implements Connections {
  private static final Duration LONGEST_RECONNECT = Duration.ofMillis(500);
  private static final int THREADS = 2;

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

  private final HostPort server;
  private final EventLoopGroupProvider eventLoop;
  private final ClientResources resources;
  private final RedisClient redis;
  private final Opened opened = new Opened();

  OwnConnections(LockConfig config, ClientId client) {
    this.server = RedisOptions.servers(config).get(0);
    this.eventLoop = new DefaultEventLoopGroupProvider(1);
    this.resources = DefaultClientResources.builder()
        .eventLoopGroupProvider(eventLoop)
        .computationThreadPoolSize(THREADS)
        .commandLatencyRecorder(CommandLatencyRecorder.disabled())
        .nettyCustomizer(new FlushTogether())
        .reconnectDelay(
            Delay.exponential(Duration.ofMillis(1), LONGEST_RECONNECT, 2, TimeUnit.MILLISECONDS))
        .build();
    this.redis = RedisClient.create(resources, uri(config, client));
    this.redis.setOptions(options(config));
  }

  @Override
  public StatefulRedisConnection<byte[], byte[]> open() {
    return opened.open(address(), () -> redis.connect(ByteArrayCodec.INSTANCE));
  }

  @Override
  public StatefulRedisPubSubConnection<byte[], byte[]> openListener() {
    return opened.open(address(), () -> redis.connectPubSub(ByteArrayCodec.INSTANCE));
  }

  @Override
  public String address() {
    return server.toString();
  }

  @Override
  public void close() {
    opened.close(); // first, so that none of them reconnects meanwhile
    redis.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
    eventLoop.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
  }

  private RedisURI uri(LockConfig config, ClientId client) {
    RedisURI.Builder uri = RedisURI.builder()
        .withHost(server.host())
        .withPort(server.port().orElse(RedisOptions.DEFAULT_PORT))
        .withDatabase(config.get(RedisHashOptions.DATABASE))
        .withClientName("interlock-" + client.id())
        .withSsl(config.get(RedisHashOptions.TLS))
        .withTimeout(config.get(RedisHashOptions.TIMEOUT));
    config.find(RedisHashOptions.PASSWORD).ifPresent(password -> {
      String user = config.find(RedisHashOptions.USER).orElse(null);
      uri.withAuthentication(
          RedisCredentialsProvider.from(() -> RedisCredentials.just(user, password)));
    });
    return uri.build();
  }

  private static ClientOptions options(LockConfig config) {
    ClientOptions.Builder options = ClientOptions.builder()
        .autoReconnect(true)
        .replayFilter(command -> true)
        .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
        .protocolVersion(ProtocolVersion.RESP2)
        .timeoutOptions(TimeoutOptions.create()) // a script's caller counts the time itself
        .socketOptions(SocketOptions.builder()
            .connectTimeout(config.get(RedisHashOptions.CONNECT_TIMEOUT))
            .keepAlive(HALF_OPEN)
            .build());
    config.find(RedisHashOptions.TRUST_STORE).ifPresent(file -> {
      SslOptions.Builder ssl = SslOptions.builder();
      config
          .find(RedisHashOptions.TRUST_STORE_PASSWORD)
          .ifPresentOrElse(
              password -> ssl.truststore(file.toFile(), password),
              () -> ssl.truststore(file.toFile()));
      options.sslOptions(ssl.build());
    });
    return options.build();
  }
}
