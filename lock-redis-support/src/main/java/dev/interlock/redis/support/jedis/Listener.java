package dev.interlock.redis.support.jedis;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;

/**
 * The connection on which a client listens. It says nothing by itself, so that it leads to the
 * wrong server is learnt from those for commands. Whoever reads it opens another one when it is
 * closed here. Thread-safe.
 */
final class Listener {
  private record Opened(Connection connection, long since) {}

  private volatile @Nullable Opened open;

  /** Since when, by {@link System#nanoTime()}; null if there is no doubt. */
  private final AtomicReference<@Nullable Long> doubted = new AtomicReference<>();

  /**
   * Another one is open.
   *
   * @param since when its opening began
   */
  void opened(Connection connection, long since) {
    open = new Opened(connection, since);
  }

  /**
   * A command has met a server that may not serve it any more. The name that leads there may lead
   * elsewhere soon, and a listener that is opened before that would be back at the same server: so
   * it is left once an attempt is {@link #served}.
   */
  void doubt() {
    doubted.compareAndSet(null, System.nanoTime());
  }

  /**
   * An attempt was served. Over a connection from before the doubt that tells nothing of where the
   * name leads now; and a listener that was opened after this connection is where the name leads.
   *
   * @param since when the opening of the attempt's connection began
   */
  void served(long since) {
    Long doubt = doubted.get();
    Opened now = open;
    if (doubt == null || now == null || since - doubt < 0) {
      return;
    }
    if (now.since - since > 0) {
      doubted.set(null);
    } else {
      leave(now.connection);
    }
  }

  /** Closes it if it is not right. */
  void leaveUnless(Predicate<Connection> right) {
    Opened now = open;
    if (now != null && !right.test(now.connection)) {
      leave(now.connection);
    }
  }

  private void leave(Connection connection) {
    open = null;
    doubted.set(null);
    try {
      connection.forceDisconnect();
    } catch (IOException e) {
      // It is closed all the same.
    }
  }
}
