package dev.interlock.redis.support.jedis;

import dev.interlock.CommonOptions;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.ApplicationProvider;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import java.time.Duration;
import redis.clients.jedis.Connection;
import redis.clients.jedis.util.Pool;

/** Opens backends, over connections of their own or over a pool that the application owns. */
public final class JedisBackends {
  private JedisBackends() {}

  /** Makes a backend. */
  @FunctionalInterface
  public interface Maker {
    /**
     * Speaks to the servers.
     *
     * @param config the settings
     * @param client who the client is
     * @param servers belong to the backend once it is made
     * @return the backend
     */
    LockBackend make(LockConfig config, ClientId client, Servers servers);
  }

  /**
   * Opens a backend over connections of its own.
   *
   * @param config where to connect, and how
   * @param client who the client is
   * @param maker makes it
   * @return the backend, whose grants wait for replicas if the settings ask for that
   * @throws dev.interlock.LockException if the servers cannot be found, or cannot serve locks
   */
  public static LockBackend open(LockConfig config, ClientId client, Maker maker) {
    return open(config, client, Servers.open(config, client), maker);
  }

  /**
   * Opens a backend over servers, and closes them if that fails.
   *
   * @param config the settings
   * @param client who the client is
   * @param servers closed with the backend
   * @param maker makes it
   * @return as for {@link #open(LockConfig, ClientId, Maker)}
   */
  public static LockBackend open(LockConfig config, ClientId client, Servers servers, Maker maker) {
    try {
      KeyLayout layout = new KeyLayout(config.get(CommonOptions.NAMESPACE));
      return ReplicaWait.before(maker.make(config, client, servers), config, servers, layout);
    } catch (RuntimeException | Error e) { // such as no memory for a thread
      servers.close();
      throw e;
    }
  }

  /**
   * Opens a client over a pool.
   *
   * @param provider the provider that opens connections of its own
   * @param maker makes its backend
   * @param pool stays open and belongs to the application
   * @param config as for {@link ApplicationProvider#open(LockConfig)}
   * @return an open client
   */
  public static LockClient open(
      LockProvider provider, Maker maker, Pool<Connection> pool, LockConfig config) {
    return new ApplicationProvider(
            provider,
            settings -> JedisOptions.conflicts(settings, pool.getMaxTotal()),
            (settings, client) -> open(settings, client, servers(pool, settings), maker))
        .open(config);
  }

  private static Servers servers(Pool<Connection> pool, LockConfig settings) {
    Duration timeout = settings.get(JedisOptions.TIMEOUT);
    return Servers.only(new ApplicationConnections(pool, timeout), timeout);
  }
}
