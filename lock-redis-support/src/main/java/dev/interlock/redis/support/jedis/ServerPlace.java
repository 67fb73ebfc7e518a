package dev.interlock.redis.support.jedis;

import redis.clients.jedis.HostAndPort;

/** Where a server is, which may become another one. Thread-safe. */
interface ServerPlace extends AutoCloseable {

  /** One that never changes. */
  static ServerPlace fixed(HostAndPort address) {
    return () -> address;
  }

  /** The server, by the latest news. Quick, does not block. */
  HostAndPort address();

  /** Has somebody find out whether it is another one by now. Quick, does not block. */
  default void doubt() {}

  /** Ends what looks for news. */
  @Override
  default void close() {}
}
