package dev.interlock.redis.watch;

import dev.interlock.OutcomeUnknownException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Sends several commands in one round trip. Not thread-safe; lives as long as one step.
 *
 * <p>A connection on which anything was refused is not used again: it may still watch a key, or be
 * within a transaction.
 */
final class Pipe {
  private final Connection connection;
  private int sent;

  Pipe(Connection connection) {
    this.connection = connection;
  }

  Pipe send(Command command, byte[]... arguments) {
    connection.sendCommand(command, arguments);
    sent++;
    return this;
  }

  /** Waits for the answers to what was sent; throws the first refusal among them. */
  Replies flush() {
    List<Object> replies = read();
    for (Object reply : replies) {
      if (reply instanceof JedisDataException refusal) {
        throw refusal;
      }
    }
    return new Replies(replies);
  }

  /** Ends a step that has nothing to change, so that the connection watches nothing any more. */
  void unwatch() {
    send(Command.UNWATCH).flush();
  }

  Pipe multi() {
    return send(Command.MULTI);
  }

  /**
   * Ends the transaction.
   *
   * @return the answers to its commands; null if it was not run, because a watched key changed
   */
  @Nullable
  Replies exec() {
    List<Object> replies = send(Command.EXEC).read();
    if (replies.get(0) instanceof JedisDataException refusal) {
      // There was no transaction, so its commands may have run one by one.
      throw new OutcomeUnknownException("Redis refused a transaction: " + refusal.getMessage());
    }
    for (Object reply : replies) {
      if (reply instanceof JedisDataException refusal) {
        throw refusal;
      }
    }
    Object results = replies.get(replies.size() - 1);
    if (!(results instanceof List<?> list)) {
      return null;
    }
    for (Object result : list) {
      if (result instanceof JedisDataException refusal) {
        abandon();
        throw new OutcomeUnknownException(
            "A command within a transaction failed: " + refusal.getMessage());
      }
    }
    return new Replies(list);
  }

  /** Lets the connection not be used again. */
  void abandon() {
    connection.setBroken();
  }

  private List<Object> read() {
    int expected = sent;
    sent = 0;
    List<Object> replies = connection.getMany(expected);
    for (Object reply : replies) {
      if (reply instanceof JedisDataException) {
        abandon();
      }
    }
    return replies;
  }
}
