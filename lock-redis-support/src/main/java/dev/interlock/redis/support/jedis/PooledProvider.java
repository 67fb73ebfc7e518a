package dev.interlock.redis.support.jedis;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockClients;
import dev.interlock.spi.LockProvider;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import redis.clients.jedis.Connection;
import redis.clients.jedis.util.Pool;

/**
 * A provider over a pool that the application owns. It has fewer options: where to connect is not a
 * question any more. Stateless.
 */
public final class PooledProvider implements LockProvider {
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

  private final LockProvider provider;
  private final Opener opener;
  private final Pool<Connection> pool;

  private PooledProvider(LockProvider provider, Opener opener, Pool<Connection> pool) {
    this.provider = provider;
    this.opener = opener;
    this.pool = pool;
  }

  /**
   * Opens a client over a pool.
   *
   * @param provider the provider that opens connections of its own
   * @param opener makes its backend
   * @param pool stays open and belongs to the application
   * @param config may set the common options, {@link JedisOptions#TIMEOUT},
   *     {@link JedisOptions#REPLICAS} and {@link JedisOptions#REPLICA_TIMEOUT}
   * @return an open client
   */
  public static LockClient open(
      LockProvider provider, Opener opener, Pool<Connection> pool, LockConfig config) {
    PooledProvider pooled = new PooledProvider(provider, opener, pool);
    return LockClients.open(pooled, config, context -> pooled.open(config, context));
  }

  @Override
  public String id() {
    return provider.id();
  }

  @Override
  public Set<Capability> capabilities(LockConfig config) {
    return provider.capabilities(config);
  }

  @Override
  public List<Option<?>> options() {
    return List.of(JedisOptions.TIMEOUT, JedisOptions.REPLICAS, JedisOptions.REPLICA_TIMEOUT);
  }

  @Override
  public List<String> conflicts(LockConfig config) {
    return JedisOptions.conflicts(config, pool.getMaxTotal());
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    Duration timeout = config.get(JedisOptions.TIMEOUT);
    return opener.open(
        config, context.client(), Servers.only(new ApplicationConnections(pool, timeout), timeout));
  }
}
