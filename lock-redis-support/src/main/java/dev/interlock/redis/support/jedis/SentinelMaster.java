package dev.interlock.redis.support.jedis;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.spi.ClientId;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.providers.SentineledConnectionProvider;

/**
 * Knows which server is the master of a Sentinel set. Jedis listens to each sentinel, on a daemon
 * thread for each; its pool of connections to the master is not used. Thread-safe.
 */
final class SentinelMaster implements AutoCloseable {
  /** How soon a sentinel that is silent is asked again, in milliseconds. */
  private static final long RETRY = 1_000;

  private final SentineledConnectionProvider sentinels;

  private SentinelMaster(SentineledConnectionProvider sentinels) {
    this.sentinels = sentinels;
  }

  /**
   * Asks the sentinels; blocks until one has answered.
   *
   * @throws LockConfigurationException if they do not know the master's name
   * @throws BackendUnavailableException if none of them answers
   */
  @SuppressWarnings("deprecation") // what Jedis 8 has instead is not in Jedis 7
  static SentinelMaster find(LockConfig config, ClientId client) {
    String name = config.get(RedisOptions.MASTER);
    String address = RedisOptions.address(config);
    Set<HostAndPort> hosts = new LinkedHashSet<>(OwnConnections.hosts(config));
    try {
      return new SentinelMaster(new SentineledConnectionProvider(
          name,
          ConnectionSettings.ofServers(config, client),
          new GenericObjectPoolConfig<>(),
          hosts,
          ConnectionSettings.ofSentinels(config, client),
          RETRY));
    } catch (JedisConnectionException e) {
      throw new BackendUnavailableException(
          "None of the sentinels at " + address + " tells where the master '" + name
              + "' is. Check hosts, ports, tls, sentinelUser and sentinelPassword, and that they"
              + " run",
          e);
    } catch (JedisException e) {
      throw new LockConfigurationException(
          "The sentinels at " + address + " know no master '" + name + "': check the option master",
          e);
    }
  }

  /** The master, by the latest news. */
  HostAndPort address() {
    return sentinels.getCurrentMaster();
  }

  /** Ends threads and connections. */
  @Override
  public void close() {
    sentinels.close();
  }
}
