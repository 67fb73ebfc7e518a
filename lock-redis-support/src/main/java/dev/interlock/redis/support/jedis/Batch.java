package dev.interlock.redis.support.jedis;

import dev.interlock.redis.support.jedis.Connections.Use;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Commands that are written at once and answered one by one. One thread writes them; the thread of
 * the first one reads the answers, and nobody else touches the batch from then on.
 */
final class Batch {
  private static final int MOST = 64;

  private final JedisCalls calls;
  private final Connection connection;
  private final Use use;
  // Large enough at once: a command that was taken must never get lost because memory is short.
  private final List<QueuedCommand> commands = new ArrayList<>(MOST);
  private int settled;
  private long sentAt;
  private boolean misled;
  private boolean failed;
  private @Nullable Error error;

  /**
   * Creates an empty batch.
   *
   * @param calls hear of a server that may not serve
   * @param connection belongs to the batch
   * @param use for whom it was borrowed
   */
  Batch(JedisCalls calls, Connection connection, Use use) {
    this.calls = calls;
    this.connection = connection;
    this.use = use;
  }

  Connection connection() {
    return connection;
  }

  Use use() {
    return use;
  }

  /** Tells whether other threads than that of the first command count on it. */
  boolean isShared() {
    return commands.size() > 1;
  }

  /**
   * Writes commands. What goes wrong shows when the answers are read.
   *
   * @param first was taken before; its thread reads the answers
   * @param queue those that wait are taken along, as many as there is room for, here and on the
   *     connection: see {@link Unanswered}
   */
  void send(QueuedCommand first, CommandQueue queue) {
    try {
      Unanswered unanswered = new Unanswered();
      QueuedCommand next = first;
      while (next != null) {
        commands.add(next);
        next.write(unanswered, connection);
        next = commands.size() < MOST && !unanswered.isMuch() ? queue.take() : null;
      }
      connection.getMany(0); // reads nothing: Jedis has no other way to flush
      sentAt = System.nanoTime();
    } catch (RuntimeException e) {
      fail(e);
    } catch (Error e) {
      fail(e);
      error = e; // belongs to the thread of the first one, which otherwise knows nothing of it
    }
  }

  /**
   * Reads the answers. Commands that get none are failed.
   *
   * @param roundTrip learns how long the server took
   */
  void read(RoundTrip roundTrip) {
    if (error != null) {
      throw error;
    }
    try {
      while (settled < commands.size()) {
        readOne(roundTrip);
      }
    } catch (RuntimeException e) {
      fail(e);
    } catch (Error e) {
      fail(e);
      throw e;
    }
  }

  private void readOne(RoundTrip roundTrip) {
    long patience = TimeUnit.MILLISECONDS.toNanos(connection.getSoTimeout());
    if (settled > 0 && System.nanoTime() - sentAt > patience) {
      // Each answer may take as long as the time limit, all together no longer than two of it.
      throw new JedisConnectionException("the answers before it took too long");
    }
    Object answer = answer();
    if (settled == 0) {
      roundTrip.took(System.nanoTime() - sentAt);
    }
    commands.get(settled).answered(answer);
    settled++;
  }

  private Object answer() {
    try {
      return connection.getUnflushedObject();
    } catch (JedisDataException e) {
      misled |= !calls.isInOrder(e);
      return e;
    }
  }

  /** Tells whether the connection may be used further. */
  boolean isSound() {
    return !misled && !failed;
  }

  /** Lets the other threads go on, with the outcome of their commands. */
  void wakeOthers() {
    for (int i = 1; i < commands.size(); i++) {
      commands.get(i).done();
    }
  }

  private void fail(Error reason) {
    fail(new IllegalStateException("the thread that sent it failed with " + reason, reason));
  }

  private void fail(RuntimeException reason) {
    failed = true;
    while (settled < commands.size()) {
      commands.get(settled).failed(reason);
      settled++;
    }
  }
}
