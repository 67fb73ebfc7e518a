package dev.interlock.redis.support.jedis;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.ApplicationProvider;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import java.time.Duration;
import redis.clients.jedis.Connection;
import redis.clients.jedis.util.Pool;

/** A provider over a pool that the application owns. */
public final class PooledProvider {
  private PooledProvider() {}

  /** Makes a backend. */
  @FunctionalInterface
  public interface Opener {
    /**
     * Speaks to the server, and closes the connections to it if that fails.
     *
     * @param config the settings
     * @param client who the client is
     * @param servers belong to the backend from now on
     * @return the backend
     */
    LockBackend open(LockConfig config, ClientId client, Servers servers);
  }

  /**
   * Opens a client over a pool.
   *
   * @param provider the provider that opens connections of its own
   * @param opener makes its backend
   * @param pool stays open and belongs to the application
   * @param config as for {@link ApplicationProvider#open(LockConfig)}
   * @return an open client
   */
  public static LockClient open(
      LockProvider provider, Opener opener, Pool<Connection> pool, LockConfig config) {
    return new ApplicationProvider(
            provider,
            settings -> JedisOptions.conflicts(settings, pool.getMaxTotal()),
            (settings, client) -> opener.open(settings, client, servers(pool, settings)))
        .open(config);
  }

  private static Servers servers(Pool<Connection> pool, LockConfig settings) {
    Duration timeout = settings.get(JedisOptions.TIMEOUT);
    return Servers.only(new ApplicationConnections(pool, timeout), timeout);
  }
}
