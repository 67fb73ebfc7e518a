package dev.interlock.redis.support.jedis;

import dev.interlock.LockConfig;
import dev.interlock.spi.ClientId;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.SslOptions;

/** How to connect. */
final class ConnectionSettings {
  private ConnectionSettings() {}

  /** To a server that has locks. */
  static JedisClientConfig ofServers(LockConfig config, ClientId client) {
    DefaultJedisClientConfig.Builder settings = common(config, client);
    settings.database(config.get(JedisOptions.DATABASE));
    config.find(JedisOptions.USER).ifPresent(settings::user);
    config.find(JedisOptions.PASSWORD).ifPresent(settings::password);
    return settings.build();
  }

  /** To a sentinel. */
  static JedisClientConfig ofSentinels(LockConfig config, ClientId client) {
    DefaultJedisClientConfig.Builder settings = common(config, client);
    config.find(JedisOptions.SENTINEL_USER).ifPresent(settings::user);
    config.find(JedisOptions.SENTINEL_PASSWORD).ifPresent(settings::password);
    return settings.build();
  }

  private static DefaultJedisClientConfig.Builder common(LockConfig config, ClientId client) {
    DefaultJedisClientConfig.Builder settings = DefaultJedisClientConfig.builder()
        .autoNegotiateProtocol(false) // RESP2 is all that is needed and costs no greeting
        .connectionTimeoutMillis(
            Math.toIntExact(config.get(JedisOptions.CONNECT_TIMEOUT).toMillis()))
        .socketTimeoutMillis(Math.toIntExact(config.get(JedisOptions.TIMEOUT).toMillis()))
        .clientName("interlock-" + client.id());
    if (config.get(JedisOptions.TLS)) {
      settings.sslOptions(tls(config));
    }
    return settings;
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
