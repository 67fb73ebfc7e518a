package dev.interlock.redis.setnx;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.RedisErrors;
import dev.interlock.redis.support.ServerClock;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.redis.support.jedis.EachServer;
import dev.interlock.redis.support.jedis.Server;
import dev.interlock.redis.support.jedis.Servers;
import dev.interlock.redis.support.jedis.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * Runs scripts on the server that has the keys, and makes it know those that it does not know.
 * Attempts share what they send with one another only, and so do releases; renewals go on a
 * connection of their own. Thread-safe; blocks for I/O, for a bounded time.
 */
final class ScriptRunner {
  /** What a script with a deadline answers first when it came too late. */
  private static final long TOO_LATE = 2;

  private final Servers servers;
  private final Duration timeout;

  ScriptRunner(Servers servers, Duration timeout) {
    this.servers = servers;
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
    return run(use, action, keys, call, null);
  }

  /**
   * The same for one of many.
   *
   * @param silent the servers that did not answer about others of them, which are not asked again;
   *     added to
   */
  private Object run(
      Use use,
      String action,
      LockKeys keys,
      ScriptCall call,
      @Nullable Map<Server, LockException> silent) {
    Target target = servers.of(keys);
    while (true) {
      LockException earlier = silent == null ? null : silent.get(target.server());
      if (earlier != null) {
        throw earlier;
      }
      try {
        return runOn(target, use, action, keys, call);
      } catch (LockException e) {
        if (silent != null && !(e.getCause() instanceof JedisDataException)) {
          silent.put(target.server(), e);
        }
        target = servers.after(keys, target, e);
      }
    }
  }

  private Object runOn(Target target, Use use, String action, LockKeys keys, ScriptCall call) {
    Object answer = send(target, use, action, keys, call);
    if (isTooLate(answer)) {
      // It was read in time, so the server's clock was set forward, or it is another server. The
      // answer told the new time.
      answer = send(target, use, action, keys, call);
    }
    if (isTooLate(answer)) {
      throw new BackendUnavailableException(
          "Redis at " + target.server().calls().address()
              + " refused to " + action + " lock '" + keys.name()
              + "' twice because it ran too late: it is overloaded or its"
              + " clock is being set");
    }
    return answer;
  }

  /**
   * Runs one script many times, in one go on each server, on all servers at once.
   *
   * @param action for messages
   * @param batch the same script with different keys and arguments, by lock
   * @param answers takes the place and the answer, or a {@link LockException} where there is none,
   *     as soon as the server has answered
   */
  void runAll(String action, List<Addressed> batch, ObjIntConsumer<Object> answers) {
    Map<Target, List<Integer>> places = new LinkedHashMap<>();
    for (int i = 0; i < batch.size(); i++) {
      try {
        Target target = servers.of(batch.get(i).keys());
        places.computeIfAbsent(target, key -> new ArrayList<>()).add(i);
      } catch (LockException e) {
        answers.accept(e, i);
      }
    }
    EachServer.run(places.entrySet().stream()
        .<Runnable>map(own -> () -> runAll(own.getKey(), action, batch, own.getValue(), answers))
        .toList());
  }

  private void runAll(
      Target target,
      String action,
      List<Addressed> batch,
      List<Integer> places,
      ObjIntConsumer<Object> answers) {
    List<ScriptCall> calls =
        places.stream().map(place -> batch.get(place).call()).toList();
    LockKeys first = batch.get(places.get(0)).keys();
    List<Object> replies;
    try {
      replies = target.server().calls().on(Use.HOLDER, action, first, connection -> {
        List<Object> sent = sendAll(connection, calls, false);
        return sent.stream().anyMatch(JedisNoScriptException.class::isInstance)
            ? sendAll(connection, calls, true)
            : sent;
      });
    } catch (LockException e) {
      LockException failure = unlessElsewhere(first, target, e);
      if (failure == null) {
        again(action, batch, places, answers);
      } else {
        places.forEach(place -> answers.accept(failure, place));
      }
      return;
    }
    List<Integer> refused = new ArrayList<>();
    for (int i = 0; i < places.size(); i++) {
      if (replies.get(i) instanceof JedisDataException) {
        refused.add(places.get(i));
      } else {
        answers.accept(replies.get(i), places.get(i));
      }
    }
    // Only then those that need more: they may have to wait for another server.
    again(action, batch, refused, answers);
  }

  private @Nullable LockException unlessElsewhere(
      LockKeys keys, Target target, LockException failure) {
    try {
      Target now = servers.after(keys, target, failure);
      return now.equals(target) ? failure : null;
    } catch (LockException e) {
      return e;
    }
  }

  /**
   * Sends parts of a batch one by one, to where the keys are now; what failed because of the lock
   * itself fails again, and is explained.
   */
  private void again(
      String action, List<Addressed> batch, List<Integer> places, ObjIntConsumer<Object> answers) {
    Map<Server, LockException> silent = new HashMap<>();
    for (int place : places) {
      Addressed one = batch.get(place);
      Object answer;
      try {
        answer = run(Use.HOLDER, action, one.keys(), one.call(), silent);
      } catch (LockException e) {
        answer = e;
      }
      answers.accept(answer, place);
    }
  }

  private Object send(Target target, Use use, String action, LockKeys keys, ScriptCall call) {
    Server server = target.server();
    ServerClock clock = server.clock();
    boolean asking = target.asking();
    Object answer =
        server.run(use, asking, action, keys, () -> inTime(call, clock).byDigest());
    if (answer instanceof JedisNoScriptException) {
      answer = server.run(use, asking, action, keys, () -> inTime(call, clock).bySource());
    }
    if (call.hasDeadline()) {
      Object time = answer instanceof List<?> list ? list.get(1) : answer;
      if (time instanceof Long now) {
        clock.learn(call.sentAt(), now);
      }
    }
    return answer;
  }

  private ScriptCall inTime(ScriptCall call, ServerClock clock) {
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
    List<Object> answers = connection.getMany(calls.size());
    for (Object answer : answers) {
      if (answer instanceof JedisDataException refusal
          && RedisErrors.concernsAll(String.valueOf(refusal.getMessage()))) {
        throw refusal;
      }
    }
    return answers;
  }

  /**
   * A script and the lock that it is about.
   *
   * @param keys of the lock
   * @param call the script
   */
  record Addressed(LockKeys keys, ScriptCall call) {}

  private static boolean isTooLate(Object answer) {
    return answer instanceof List<?> list && list.get(0) instanceof Long kind && kind == TOO_LATE;
  }
}
