package dev.interlock.redis.hash.internal.connection;

import dev.interlock.LockConfig;
import dev.interlock.redis.hash.internal.push.Listeners;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.redis.support.Topology;
import dev.interlock.spi.ClientId;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;

/** Where the connections come from. Thread-safe. */
public interface Connections extends AutoCloseable {
  /** Those of a Lettuce client of our own, for the topology that the settings name. */
  static Connections own(LockConfig config, ClientId client) {
    return config.get(RedisOptions.TOPOLOGY) == Topology.CLUSTER
        ? new ClusterConnections(config, client)
        : new OwnConnections(config, client);
  }

  /** Those of a client that the application owns. */
  static Connections of(RedisClient redis) {
    return new ApplicationConnections(redis);
  }

  /** Those of a cluster client that the application owns. */
  static Connections of(RedisClusterClient cluster) {
    return new ApplicationCluster(cluster);
  }

  /**
   * Opens a connection for commands, which many threads share.
   *
   * @return the connection; closed by {@link #close()}
   * @throws dev.interlock.BackendUnavailableException if that fails
   */
  SharedConnection open();

  /**
   * Opens the connections to listen on.
   *
   * @return the connections; closed by {@link #close()}
   * @throws dev.interlock.BackendUnavailableException if that fails
   */
  Listeners openListeners();

  /**
   * Called when an answer did not come: perhaps another server is the master now. Quick, may be
   * called often.
   */
  void lookAgain();

  /** Called when a replica answered: another server is the master. Quick, may be called often. */
  default void answeredByReplica() {
    lookAgain();
  }

  /** Whether the locks are kept by several servers, each with a clock of its own. */
  boolean isCluster();

  /**
   * Names the server for messages.
   *
   * @return host and port
   */
  String address();

  /** Closes everything that was opened here. */
  @Override
  void close();
}
