package dev.interlock.redis.hash.internal.push;

import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/**
 * The connections on which a mailbox listens: one, or one to each master of a cluster. Thread-safe.
 */
public interface Listeners {
  /** Who is told of the connections that come and go. Quick; called from any thread. */
  interface Mailbox {
    void opened(StatefulRedisPubSubConnection<byte[], byte[]> connection);

    void closed(StatefulRedisPubSubConnection<byte[], byte[]> connection);
  }

  /** Names the mailbox, which is told at once of the connections that are open already. */
  void attach(Mailbox mailbox);

  /** Called whenever somebody waits: opens what could not be opened before. Quick. */
  void check();

  /** Listens for nothing more; whoever opened the connections closes them. Quick. */
  void close();

  /** A connection that stays, whatever it leads to. */
  static Listeners of(StatefulRedisPubSubConnection<byte[], byte[]> connection) {
    return of(connection, () -> {}); // Lettuce keeps it open
  }

  /**
   * A connection that stays.
   *
   * @param check finds out whether it leads to where it should; quick
   */
  static Listeners of(StatefulRedisPubSubConnection<byte[], byte[]> connection, Runnable check) {
    return new Listeners() {
      @Override
      public void attach(Mailbox mailbox) {
        mailbox.opened(connection);
      }

      @Override
      public void check() {
        check.run();
      }

      @Override
      public void close() {
        // Its mailbox has left it.
      }
    };
  }
}
