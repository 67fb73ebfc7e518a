package dev.interlock.redis.setnx;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.redis.setnx.Connections.Use;
import dev.interlock.redis.support.ServerClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * Runs scripts on the server: finds a connection, loads a script that the server does not know,
 * sorts failures. Thread-safe; blocks for I/O, for a bounded time.
 */
final class ScriptRunner {
  /** What a script with a deadline answers first when it came too late. */
  private static final long TOO_LATE = 2;

  private final Connections connections;
  private final ServerClock clock;
  private final Duration timeout;

  ScriptRunner(Connections connections, ServerClock clock, Duration timeout) {
    this.connections = connections;
    this.clock = clock;
    this.timeout = timeout;
  }

  /**
   * Runs a script.
   *
   * @param use who asks
   * @param action for messages, such as {@code "acquire"}
   * @param name the lock, for messages
   * @param call the script
   * @return its answer
   */
  Object run(Use use, String action, String name, ScriptCall call) {
    if (!call.hasDeadline()) {
      return on(use, action, name, connection -> send(connection, call));
    }
    Object answer = on(use, action, name, connection -> sendInTime(connection, call));
    if (isTooLate(answer)) {
      // It was read in time, so the server's clock was set forward. The answer told the new time.
      answer = on(use, action, name, connection -> sendInTime(connection, call));
    }
    if (isTooLate(answer)) {
      throw new BackendUnavailableException("Redis at " + connections.address() + " refused to "
          + action + " lock '" + name + "' twice because it ran too late: it is overloaded or its"
          + " clock is being set");
    }
    return answer;
  }

  /**
   * Runs one script many times, in one go.
   *
   * @param action for messages
   * @param name the first lock, for messages
   * @param calls the same script with different keys and arguments
   * @return the answers in the same order
   */
  List<Object> runAll(String action, String name, List<ScriptCall> calls) {
    return on(Use.HOLDER, action, name, connection -> {
      List<Object> answers = sendAll(connection, calls, false);
      if (answers.stream().anyMatch(JedisNoScriptException.class::isInstance)) {
        answers = sendAll(connection, calls, true);
      }
      for (Object answer : answers) {
        if (answer instanceof JedisDataException refusal) {
          throw refusal;
        }
      }
      return answers;
    });
  }

  /**
   * Does something with a connection.
   *
   * @param use who asks
   * @param action for messages
   * @param name the lock, for messages; may be empty
   * @param work what to do; lets the exceptions of Jedis through
   * @return what the work returned
   */
  <T> T on(Use use, String action, String name, Function<Connection, T> work) {
    Connection connection = connections.borrow(use);
    boolean healthy = false;
    try {
      T result = work.apply(connection);
      healthy = true;
      return result;
    } catch (JedisDataException e) {
      healthy = Faults.isInOrder(e);
      throw Faults.refused(describe(action, name), connections.address(), e);
    } catch (LockException e) {
      throw e;
    } catch (RuntimeException e) {
      throw Faults.noAnswer(describe(action, name), connections.address(), e);
    } finally {
      connections.giveBack(use, connection, healthy);
    }
  }

  private Object sendInTime(Connection connection, ScriptCall call) {
    long sentAt = System.nanoTime();
    call.deadline(clock.notAfterMicros(sentAt, timeout));
    Object answer = send(connection, call);
    Object time = answer instanceof List<?> list ? list.get(1) : answer;
    if (time instanceof Long now) {
      clock.learn(sentAt, now);
    }
    return answer;
  }

  private static Object send(Connection connection, ScriptCall call) {
    try {
      return connection.executeCommand(call.byDigest());
    } catch (JedisNoScriptException e) {
      return connection.executeCommand(call.bySource());
    }
  }

  private static List<Object> sendAll(
      Connection connection, List<ScriptCall> calls, boolean unknownScript) {
    List<ScriptCall> rest = new ArrayList<>(calls);
    if (unknownScript) {
      connection.sendCommand(rest.remove(0).bySource());
    }
    for (ScriptCall call : rest) {
      connection.sendCommand(call.byDigest());
    }
    return connection.getMany(calls.size());
  }

  private static boolean isTooLate(Object answer) {
    return answer instanceof List<?> list && list.get(0) instanceof Long kind && kind == TOO_LATE;
  }

  private static String describe(String action, String name) {
    return name.isEmpty() ? action : action + " lock '" + name + "'";
  }
}
