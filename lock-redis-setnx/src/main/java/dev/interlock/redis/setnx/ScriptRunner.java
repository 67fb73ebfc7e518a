package dev.interlock.redis.setnx;

import dev.interlock.BackendUnavailableException;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.ServerClock;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.redis.support.jedis.JedisCalls;
import dev.interlock.redis.support.jedis.SharedCalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * Runs scripts on the server, and makes it know those that it does not know. Attempts share what
 * they send with one another only, and so do releases; renewals go on a connection of their own.
 * Thread-safe; blocks for I/O, for a bounded time.
 */
final class ScriptRunner {
  /** What a script with a deadline answers first when it came too late. */
  private static final long TOO_LATE = 2;

  private final JedisCalls calls;
  private final SharedCalls shared;
  private final ServerClock clock;
  private final Duration timeout;

  ScriptRunner(JedisCalls calls, ServerClock clock, Duration timeout) {
    this.calls = calls;
    this.shared = new SharedCalls(calls, timeout);
    this.clock = clock;
    this.timeout = timeout;
  }

  /**
   * Runs a script.
   *
   * @param use who asks
   * @param action for messages, such as {@code "acquire"}
   * @param keys of the lock
   * @param call the script
   * @return its answer
   */
  Object run(Use use, String action, LockKeys keys, ScriptCall call) {
    Object answer = send(use, action, keys, call);
    if (isTooLate(answer)) {
      // It was read in time, so the server's clock was set forward. The answer told the new time.
      answer = send(use, action, keys, call);
    }
    if (isTooLate(answer)) {
      throw new BackendUnavailableException("Redis at " + calls.address() + " refused to "
          + action + " lock '" + keys.name()
          + "' twice because it ran too late: it is overloaded or its"
          + " clock is being set");
    }
    return answer;
  }

  /**
   * Runs one script many times, in one go.
   *
   * @param action for messages
   * @param keys of the first lock
   * @param batch the same script with different keys and arguments
   * @return the answers in the same order
   */
  List<Object> runAll(String action, LockKeys keys, List<ScriptCall> batch) {
    return calls.on(Use.HOLDER, action, keys, connection -> {
      List<Object> answers = sendAll(connection, batch, false);
      if (answers.stream().anyMatch(JedisNoScriptException.class::isInstance)) {
        answers = sendAll(connection, batch, true);
      }
      for (Object answer : answers) {
        if (answer instanceof JedisDataException refusal) {
          throw refusal;
        }
      }
      return answers;
    });
  }

  private Object send(Use use, String action, LockKeys keys, ScriptCall call) {
    Object answer = shared.run(use, action, keys, () -> inTime(call).byDigest());
    if (answer instanceof JedisNoScriptException) {
      answer = shared.run(use, action, keys, () -> inTime(call).bySource());
    }
    if (call.hasDeadline()) {
      Object time = answer instanceof List<?> list ? list.get(1) : answer;
      if (time instanceof Long now) {
        clock.learn(call.sentAt(), now);
      }
    }
    return answer;
  }

  private ScriptCall inTime(ScriptCall call) {
    if (call.hasDeadline()) {
      long now = System.nanoTime();
      call.sentAt(now, clock.notAfterMicros(now, timeout));
    }
    return call;
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
}
