package dev.interlock.redis.support.jedis;

import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.spi.ClientId;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.SslOptions;

/**
 * How to connect. Immutable.
 *
 * <p>Not made by Jedis' own builder: what the builder calls {@code autoNegotiateProtocol} is not in
 * Jedis 7, which Spring Boot 4 brings.
 */
final class ConnectionSettings implements JedisClientConfig {
  private final LockConfig config;
  private final ClientId client;
  private final Option<String> user;
  private final Option<String> password;
  private final int database;

  private ConnectionSettings(
      LockConfig config,
      ClientId client,
      Option<String> user,
      Option<String> password,
      int database) {
    this.config = config;
    this.client = client;
    this.user = user;
    this.password = password;
    this.database = database;
  }

  /** To a server that has locks. */
  static JedisClientConfig ofServers(LockConfig config, ClientId client) {
    return new ConnectionSettings(
        config,
        client,
        JedisOptions.USER,
        JedisOptions.PASSWORD,
        config.get(JedisOptions.DATABASE));
  }

  /** To a sentinel. */
  static JedisClientConfig ofSentinels(LockConfig config, ClientId client) {
    return new ConnectionSettings(
        config, client, JedisOptions.SENTINEL_USER, JedisOptions.SENTINEL_PASSWORD, 0);
  }

  /** For pools that Jedis makes for itself: JMX would keep any that is not closed. */
  static GenericObjectPoolConfig<Connection> ofPools() {
    GenericObjectPoolConfig<Connection> settings = new GenericObjectPoolConfig<>();
    settings.setJmxEnabled(false);
    return settings;
  }

  /**
   * False: RESP2 is all that is needed, and costs no greeting. Overrides a method of Jedis 8, which
   * greets the server otherwise; Jedis 7 never does without being told, and never calls this.
   */
  @SuppressWarnings("MissingOverride")
  public boolean isAutoNegotiateProtocol() {
    return false;
  }

  @Override
  public int getConnectionTimeoutMillis() {
    return Math.toIntExact(config.get(JedisOptions.CONNECT_TIMEOUT).toMillis());
  }

  @Override
  public int getSocketTimeoutMillis() {
    return Math.toIntExact(config.get(JedisOptions.TIMEOUT).toMillis());
  }

  @Override
  public @Nullable String getUser() {
    return config.find(user).orElse(null);
  }

  @Override
  public @Nullable String getPassword() {
    return config.find(password).orElse(null);
  }

  @Override
  public int getDatabase() {
    return database;
  }

  @Override
  public String getClientName() {
    return "interlock-" + client.id();
  }

  @Override
  public boolean isSsl() {
    return config.get(JedisOptions.TLS);
  }

  @Override
  public @Nullable SslOptions getSslOptions() {
    return isSsl() ? tls() : null;
  }

  private SslOptions tls() {
    SslOptions.Builder tls = SslOptions.builder();
    Optional<Path> store = config.find(JedisOptions.TRUST_STORE);
    store.ifPresent(file -> config
        .find(JedisOptions.TRUST_STORE_PASSWORD)
        .ifPresentOrElse(
            secret -> tls.truststore(file.toFile(), secret.toCharArray()),
            () -> tls.truststore(file.toFile())));
    return tls.build();
  }
}
