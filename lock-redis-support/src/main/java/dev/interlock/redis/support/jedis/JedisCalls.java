package dev.interlock.redis.support.jedis;

import dev.interlock.LockException;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.jedis.Connections.Use;
import java.util.function.Function;
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
      healthy = Faults.isInOrder(e);
      throw explain(action, keys, e);
    } catch (LockException e) {
      throw e;
    } catch (RuntimeException e) {
      throw explain(action, keys, e);
    } finally {
      connections.giveBack(use, connection, healthy);
    }
  }

  Connection borrow(Use use) {
    return connections.borrow(use);
  }

  void giveBack(Use use, Connection connection, boolean healthy) {
    connections.giveBack(use, connection, healthy);
  }

  boolean mayKeep(Connection connection) {
    return connections.mayKeep(connection);
  }

  /** What Jedis threw once a command was on its way, as an exception of the SPI. */
  LockException explain(String action, LockKeys keys, RuntimeException failure) {
    String what = describe(action, keys);
    return failure instanceof JedisDataException refusal
        ? Faults.refused(what, address(), refusal)
        : Faults.noAnswer(what, address(), failure);
  }

  /**
   * Names the server for messages.
   *
   * @return host and port
   */
  public String address() {
    return connections.address();
  }

  private static String describe(String action, LockKeys keys) {
    return keys.name().isEmpty() ? action : action + " lock '" + keys.name() + "'";
  }
}
