package dev.interlock.redis.support.jedis;

import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.Topology;
import dev.interlock.spi.ClientId;
import java.time.Duration;
import java.util.Collection;

/**
 * Knows which server has the keys of a lock. Thread-safe.
 *
 * <p>A command is sent to {@link #of}; when that fails, {@link #after} tells where to send it
 * again, or throws the failure. Every command of Interlock may be sent again: it has its effect
 * once.
 */
public interface Servers extends AutoCloseable {

  /**
   * Finds the servers that the settings name. Blocks for I/O, for a bounded time, to ask sentinels
   * or nodes of a cluster.
   *
   * @param config where to connect, and how
   * @param client who the client is
   * @return the servers
   * @throws LockException if they cannot be found
   */
  static Servers open(LockConfig config, ClientId client) {
    return config.get(JedisOptions.TOPOLOGY) == Topology.CLUSTER
        ? ClusterServers.open(config, client)
        : only(OwnConnections.open(config, client), config.get(JedisOptions.TIMEOUT));
  }

  /**
   * All locks are on one server, or on whichever is the master of a Sentinel set.
   *
   * @param connections to it; closed with this
   * @param timeout how long a command may wait to be sent
   * @return the server
   */
  static Servers only(Connections connections, Duration timeout) {
    return new OnlyServer(connections, timeout);
  }

  /**
   * Finds the server that has the keys of a lock, by what is known now. Does not block.
   *
   * @param keys of the lock
   * @return where to send a command
   * @throws dev.interlock.BackendUnavailableException if no server has them
   */
  Target of(LockKeys keys);

  /**
   * Tells where to send a command again. May block for I/O, for a bounded time, to learn where the
   * keys are now.
   *
   * @param keys of the lock
   * @param target where it was sent
   * @param failure what came of it
   * @return where to send it now
   * @throws LockException the failure, if it is not that the keys are elsewhere
   */
  Target after(LockKeys keys, Target target, LockException failure);

  /**
   * Groups locks: commands and transactions may use the keys of locks of one group together.
   *
   * @param keys of the lock
   * @return the same number for locks of one group
   */
  int group(LockKeys keys);

  /**
   * Returns every server that has locks, by what is known now.
   *
   * @return at least one
   */
  Collection<Server> all();

  /**
   * Has something done after other servers may have locks than before; {@link #all} tells them.
   *
   * @param listener quick, does not block; on any thread, also when nothing has changed
   */
  default void onChange(Runnable listener) {}

  /**
   * Names the servers for messages.
   *
   * @return hosts and ports
   */
  String address();

  /** Closes what was opened here. */
  @Override
  void close();
}
