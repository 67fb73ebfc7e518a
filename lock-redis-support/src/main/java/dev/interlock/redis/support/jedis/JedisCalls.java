package dev.interlock.redis.support.jedis;

import dev.interlock.LockException;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.jedis.Connections.Use;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisConnectionException;
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

  /**
   * Writes commands in one go, and reads the answers one by one. The first command without an
   * answer ends it: what is thrown is the reason for that one and those behind it.
   *
   * @param use who asks
   * @param action for messages, such as {@code "renew"}
   * @param keys of one of the locks
   * @param commands makes each just before it is written; at least one
   * @param answers takes each answer as soon as it is there, in order, with the place of its
   *     command; error answers are exceptions
   */
  public void together(
      Use use,
      String action,
      LockKeys keys,
      List<Supplier<CommandArguments>> commands,
      ObjIntConsumer<Object> answers) {
    Connection connection = connections.borrow(use);
    boolean healthy = false;
    try {
      for (Supplier<CommandArguments> command : commands) {
        connection.sendCommand(command.get());
      }
      connection.getMany(0); // reads nothing: Jedis has no other way to flush
      healthy = read(connection, commands.size(), answers);
    } catch (RuntimeException e) {
      throw e instanceof LockException known ? known : explain(action, keys, e);
    } finally {
      connections.giveBack(use, connection, healthy);
    }
  }

  /** Answers whether the connection leads where it should. */
  private static boolean read(Connection connection, int count, ObjIntConsumer<Object> answers) {
    long start = System.nanoTime();
    long patience = TimeUnit.MILLISECONDS.toNanos(connection.getSoTimeout());
    boolean inOrder = true;
    for (int i = 0; i < count; i++) {
      if (i > 0 && System.nanoTime() - start > patience) {
        // Each answer may take as long as the time limit, all together no longer than two of it.
        throw new JedisConnectionException("the answers before it took too long");
      }
      Object answer;
      try {
        answer = connection.getUnflushedObject();
      } catch (JedisDataException e) {
        inOrder &= Faults.isInOrder(e);
        answer = e;
      }
      answers.accept(answer, i);
    }
    return inOrder;
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

  /**
   * Makes an exception of the SPI of what Jedis threw once a command was on its way.
   *
   * @param action for messages, such as {@code "acquire"}
   * @param keys of the lock
   * @param failure an error answer, or the reason why there is no answer
   * @return what the caller can do something about
   */
  public LockException explain(String action, LockKeys keys, RuntimeException failure) {
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
