package dev.interlock.redis.support.jedis;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.spi.ClientId;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A pool of our own: the one that was used last is used next, none is opened before it is needed.
 *
 * <p>A connection that lay idle, or that is older than the latest fault, is asked for a sign of
 * life before it is used, because a server that was restarted has cut it.
 */
public final class OwnConnections implements Connections {
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private record Idle(Connection connection, long since) {}

  private final HostPort server;
  private final JedisClientConfig settings;
  private final Turnstile turnstile;
  private final ConcurrentLinkedDeque<Idle> idle = new ConcurrentLinkedDeque<>();
  private volatile long faultAt = System.nanoTime() - IDLE_NANOS;
  private volatile boolean closed;

  /**
   * Opens nothing yet.
   *
   * @param config where to connect, and how
   * @param client who the client is
   */
  public OwnConnections(LockConfig config, ClientId client) {
    this.server = RedisOptions.servers(config).get(0);
    this.settings = settings(config, client);
    this.turnstile =
        new Turnstile(config.get(JedisOptions.POOL_SIZE), config.get(JedisOptions.TIMEOUT));
  }

  @Override
  public Connection borrow(Use use) {
    turnstile.enter(use);
    try {
      Connection lively = lively();
      return lively == null ? connect() : lively;
    } catch (RuntimeException e) {
      turnstile.leave(use);
      throw e;
    }
  }

  @Override
  public void giveBack(Use use, Connection connection, boolean healthy) {
    if (!healthy || connection.isBroken()) {
      faultAt = System.nanoTime();
      discard(connection);
    } else if (closed) {
      discard(connection);
    } else {
      idle.addFirst(new Idle(connection, System.nanoTime()));
      if (closed) {
        discardIdle(); // close() may have looked before it was there
      }
    }
    turnstile.leave(use);
  }

  @Override
  public Connection openListener() {
    return connect();
  }

  @Override
  public String address() {
    return server.toString();
  }

  @Override
  public void close() {
    closed = true;
    discardIdle();
  }

  private @Nullable Connection lively() {
    Idle candidate = idle.pollFirst();
    while (candidate != null) {
      long since = candidate.since();
      boolean trusted = since - faultAt > 0 && System.nanoTime() - since < IDLE_NANOS;
      if (trusted || answers(candidate.connection())) {
        return candidate.connection();
      }
      discard(candidate.connection());
      candidate = idle.pollFirst();
    }
    return null;
  }

  private static boolean answers(Connection connection) {
    try {
      return connection.ping();
    } catch (JedisException e) {
      return false; // it is replaced by a new one, which tells what is wrong
    }
  }

  private Connection connect() {
    if (closed) {
      throw new BackendUnavailableException("This client's connections to Redis are closed");
    }
    try {
      return new Connection(
          new HostAndPort(server.host(), server.port().orElse(RedisOptions.DEFAULT_PORT)),
          settings);
    } catch (JedisException e) {
      throw Faults.connecting(address(), e);
    }
  }

  private void discardIdle() {
    for (Idle next = idle.pollFirst(); next != null; next = idle.pollFirst()) {
      discard(next.connection());
    }
  }

  private static void discard(Connection connection) {
    try {
      connection.disconnect();
    } catch (JedisConnectionException e) {
      // It is closed all the same, and what it had to say is known.
    }
  }

  private static JedisClientConfig settings(LockConfig config, ClientId client) {
    int timeout = Math.toIntExact(config.get(JedisOptions.TIMEOUT).toMillis());
    DefaultJedisClientConfig.Builder settings = DefaultJedisClientConfig.builder()
        .autoNegotiateProtocol(false) // RESP2 is all that is needed and costs no greeting
        .connectionTimeoutMillis(
            Math.toIntExact(config.get(JedisOptions.CONNECT_TIMEOUT).toMillis()))
        .socketTimeoutMillis(timeout)
        .clientName("interlock-" + client.id())
        .database(config.get(JedisOptions.DATABASE));
    config.find(JedisOptions.USER).ifPresent(settings::user);
    config.find(JedisOptions.PASSWORD).ifPresent(settings::password);
    if (config.get(JedisOptions.TLS)) {
      settings.sslOptions(tls(config));
    }
    return settings.build();
  }

  private static SslOptions tls(LockConfig config) {
    SslOptions.Builder tls = SslOptions.builder();
    config
        .find(JedisOptions.TRUST_STORE)
        .ifPresent(file -> config
            .find(JedisOptions.TRUST_STORE_PASSWORD)
            .ifPresentOrElse(
                password -> tls.truststore(file.toFile(), password.toCharArray()),
                () -> tls.truststore(file.toFile())));
    return tls.build();
  }
}
