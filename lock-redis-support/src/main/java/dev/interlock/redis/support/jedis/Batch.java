package dev.interlock.redis.support.jedis;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The sender's own command and those that wait behind it: written at once, answered one by one.
 * Used by one thread, once.
 */
final class Batch {
  private static final int MOST_OTHERS = 63;

  private final Connection connection;
  private final QueuedCommand own;
  private final Queue<QueuedCommand> queue;
  private List<QueuedCommand> others = List.of();
  private int answered;
  private long sentAt;
  private boolean misled;

  /**
   * Sends nothing yet.
   *
   * @param connection belongs to the caller
   * @param own the caller's command
   * @param queue those that wait
   */
  Batch(Connection connection, QueuedCommand own, Queue<QueuedCommand> queue) {
    this.connection = connection;
    this.own = own;
    this.queue = queue;
  }

  /**
   * Sends the commands and hands out the answers. Those that get none are failed; a connection that
   * is of no more use is marked as broken.
   *
   * @param roundTrip learns how long the server took
   * @return the answer to the caller's own command; an error answer as an exception
   */
  Object exchange(RoundTrip roundTrip) {
    Object answer = null;
    try {
      write();
      answer = readOwn(roundTrip);
      readOthers();
    } catch (RuntimeException e) {
      fail(e);
      connection.setBroken();
      if (answer == null) {
        throw e;
      }
    } catch (Error e) {
      fail(new IllegalStateException("the thread that sent it failed with " + e, e));
      connection.setBroken();
      throw e;
    }
    if (misled) {
      connection.setBroken();
    }
    return answer;
  }

  private void write() {
    own.write(connection);
    if (queue.isEmpty()) {
      return;
    }
    // Large enough at once: a command that was taken must never get lost because memory is short.
    others = new ArrayList<>(MOST_OTHERS);
    while (others.size() < MOST_OTHERS) {
      QueuedCommand next = queue.poll();
      if (next == null) {
        return;
      }
      if (next.take()) {
        others.add(next);
        next.write(connection);
      }
    }
  }

  private Object readOwn(RoundTrip roundTrip) {
    sentAt = System.nanoTime();
    Object answer = answer(connection::getOne);
    roundTrip.took(System.nanoTime() - sentAt);
    return answer;
  }

  private void readOthers() {
    long patience = TimeUnit.MILLISECONDS.toNanos(connection.getSoTimeout());
    for (QueuedCommand other : others) {
      if (System.nanoTime() - sentAt > patience) {
        // Each answer may take as long as the time limit, all together no longer than two of it.
        throw new JedisConnectionException("the answers before it took too long");
      }
      Object answer = answer(connection::getUnflushedObject);
      answered++;
      other.complete(answer);
    }
  }

  private Object answer(Supplier<Object> read) {
    try {
      return read.get();
    } catch (JedisDataException e) {
      misled |= !Faults.isInOrder(e);
      return e;
    }
  }

  private void fail(RuntimeException reason) {
    for (QueuedCommand other : others.subList(answered, others.size())) {
      other.fail(reason);
    }
  }
}
