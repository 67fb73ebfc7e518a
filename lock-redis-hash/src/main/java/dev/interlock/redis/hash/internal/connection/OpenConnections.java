package dev.interlock.redis.hash.internal.connection;

import dev.interlock.redis.support.RedisErrors;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/** Opens connections and remembers them, to close them. Thread-safe. */
final class OpenConnections {
  private static final int TRIES = 3;

  private final Queue<StatefulConnection<?, ?>> connections = new ConcurrentLinkedQueue<>();

  /**
   * Opens a connection. When a server refuses it very quickly, Lettuce sometimes fails over its own
   * handler that is gone already, or over the connection that it has closed itself, and does not
   * tell what the server said; then it is asked again.
   */
  <T extends StatefulConnection<?, ?>> T open(String address, Supplier<T> opening) {
    for (int left = TRIES - 1; true; left--) {
      try {
        T connection = opening.get();
        connections.add(connection);
        return connection;
      } catch (RedisException e) {
        if (left == 0 || !tellsNothing(RedisErrors.root(e))) {
          throw Faults.connecting(address, e);
        }
      }
    }
  }

  /** Closes without waiting, which a thread of Lettuce must not. */
  static void closeSoon(StatefulConnection<?, ?> connection) {
    CompletableFuture<Void> unused = connection.closeAsync();
  }

  void close() {
    connections.forEach(StatefulConnection::close);
  }

  /** Neither an answer of the server nor a fault of the network, nor that it took too long. */
  private static boolean tellsNothing(Throwable root) {
    return root instanceof IllegalStateException || root instanceof RedisConnectionException;
  }
}
