package dev.interlock.redis.support.jedis;

import java.io.IOException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;

/**
 * The connection on which a client listens. It says nothing by itself, so that it leads to the
 * wrong server is learnt from those for commands. Whoever reads it opens another one when it is
 * closed here. Thread-safe.
 */
final class Listener {
  private volatile @Nullable Connection open;
  private volatile boolean doubted;

  void opened(Connection connection) {
    open = connection;
  }

  /**
   * A command has met a server that may not serve it any more. The name that leads there may lead
   * elsewhere soon, and a listener that is opened before that would be back at the same server: so
   * it is left once a command is {@link #served}.
   */
  void doubt() {
    doubted = true;
  }

  /** A command has met a server that serves it, over a connection of now. */
  void served() {
    if (doubted) {
      leaveUnless(connection -> false);
    }
  }

  /** Closes it if it is not right. */
  void leaveUnless(Predicate<Connection> right) {
    Connection now = open;
    if (now != null && !right.test(now)) {
      open = null;
      doubted = false;
      try {
        now.forceDisconnect();
      } catch (IOException e) {
        // It is closed all the same.
      }
    }
  }
}
