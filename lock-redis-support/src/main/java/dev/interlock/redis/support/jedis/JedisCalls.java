package dev.interlock.redis.support.jedis;

import dev.interlock.LockException;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.RedisErrors;
import dev.interlock.redis.support.jedis.Connections.Use;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Runs commands on the server that has the keys of a lock: finds a connection and sorts failures.
 * Thread-safe; blocks for I/O, for a bounded time.
 */
public final class JedisCalls {
  private final Connections connections;

  /**
   * Creates the calls.
   *
   * @param connections where connections come from
   */
  public JedisCalls(Connections connections) {
    this.connections = connections;
  }

  /**
   * Does something with a connection. What the work throws becomes one of the exceptions of the
   * SPI, and a connection that failed is not used again.
   *
   * @param <T> what the work returns
   * @param use who asks
   * @param action for messages, such as {@code "acquire"}
   * @param keys of the lock; of the empty name where no lock is meant
   * @param work what to do; lets the exceptions of Jedis through
   * @return what the work returned
   */
  public <T> T on(Use use, String action, LockKeys keys, Function<Connection, T> work) {
    Connection connection = connections.borrow(use);
    boolean healthy = false;
    try {
      T result = work.apply(connection);
      healthy = true;
      return result;
    } catch (JedisDataException e) {
      healthy = isInOrder(e);
      throw explain(action, keys, e);
    } catch (LockException e) {
      healthy = true; // made of whole answers; one that is not to be used again was set broken
      throw e;
    } catch (RuntimeException e) {
      throw explain(action, keys, e);
    } finally {
      connections.giveBack(use, connection, healthy);
    }
  }

  /**
   * Writes commands in one go.
   *
   * @param use who asks
   * @param action for messages, such as {@code "renew"}
   * @param keys of one of the locks
   * @param commands makes each just before it is written; at least one
   * @return their answers, which are still to be read
   */
  public Exchange together(
      Use use, String action, LockKeys keys, List<Supplier<CommandArguments>> commands) {
    return begin(use, action, keys, connections.borrow(use), commands);
  }

  /**
   * The same at once, or not at all: waits for nothing and nobody.
   *
   * @param use who asks
   * @param action for messages
   * @param keys of one of the locks
   * @param commands makes each just before it is written; at least one
   * @return their answers, which are still to be read; null if no connection is ready, or its
   *     answers cannot be awaited for a while
   */
  public @Nullable Exchange atOnce(
      Use use, String action, LockKeys keys, List<Supplier<CommandArguments>> commands) {
    Connection ready = connections.ready(use);
    return ready == null ? null : begin(use, action, keys, ready, commands);
  }

  private Exchange begin(
      Use use,
      String action,
      LockKeys keys,
      Connection connection,
      List<Supplier<CommandArguments>> commands) {
    Exchange begun = null;
    try {
      begun = new Exchange(this, use, action, keys, connection, commands);
      return begun;
    } finally {
      if (begun == null) { // after an error, such as no memory
        connections.giveBack(use, connection, false);
      }
    }
  }

  Connection borrow(Use use) {
    return connections.borrow(use);
  }

  void giveBack(Use use, Connection connection, boolean healthy) {
    connections.giveBack(use, connection, healthy);
  }

  /** Whether the connection leads where it should; the others hear of it if not. */
  boolean isInOrder(JedisDataException answer) {
    boolean inOrder = Faults.isInOrder(answer);
    if (!inOrder) {
      connections.misled();
    }
    return inOrder;
  }

  boolean mayKeep(Connection connection) {
    return connections.mayKeep(connection);
  }

  /**
   * Makes an exception of the SPI of what Jedis threw once a command was on its way.
   *
   * @param action for messages, such as {@code "acquire"}
   * @param keys of the lock
   * @param failure an error answer, or the reason why there is no answer
   * @return what the caller can do something about
   */
  public LockException explain(String action, LockKeys keys, RuntimeException failure) {
    return Faults.of(RedisErrors.describe(action, keys.name()), address(), failure);
  }

  /**
   * Names the server for messages.
   *
   * @return host and port
   */
  public String address() {
    return connections.address();
  }
}
