package dev.interlock.redis.hash;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/** Where the connections come from. Thread-safe. */
interface Connections extends AutoCloseable {
  /**
   * Opens a connection for commands, which many threads share.
   *
   * @return the connection; closed by {@link #close()}
   * @throws dev.interlock.BackendUnavailableException if that fails
   */
  StatefulRedisConnection<byte[], byte[]> open();

  /**
   * Opens a connection to listen on.
   *
   * @return the connection; closed by {@link #close()}
   * @throws dev.interlock.BackendUnavailableException if that fails
   */
  StatefulRedisPubSubConnection<byte[], byte[]> openListener();

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
