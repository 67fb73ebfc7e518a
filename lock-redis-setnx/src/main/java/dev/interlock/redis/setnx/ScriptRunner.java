package dev.interlock.redis.setnx;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.LuaScript;
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
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
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
   * Runs many scripts, in one go on each server, on all servers at once.
   *
   * @param use who asks
   * @param action for messages
   * @param batch what to run, by lock
   * @param answers takes the place and the answer, or a {@link LockException} where there is none,
   *     as soon as the server has answered
   * @return whether all were sent to one server and once, so that they have run in their order
   */
  boolean runAll(Use use, String action, List<Addressed> batch, ObjIntConsumer<Object> answers) {
    Map<Target, List<Integer>> places = new LinkedHashMap<>();
    for (int i = 0; i < batch.size(); i++) {
      try {
        Target target = servers.of(batch.get(i).keys());
        places.computeIfAbsent(target, key -> new ArrayList<>()).add(i);
      } catch (LockException e) {
        answers.accept(e, i);
      }
    }
    AtomicBoolean once = new AtomicBoolean(places.size() <= 1);
    EachServer.run(places.entrySet().stream()
        .<Runnable>map(own -> () -> {
          Pass pass = new Pass(own.getKey(), use, action, batch, answers);
          if (!pass.run(own.getValue())) {
            once.set(false);
          }
        })
        .toList());
    return once.get();
  }

  /** Many scripts on one server. For one thread. */
  private final class Pass {
    private final Target target;
    private final Use use;
    private final String action;
    private final List<Addressed> batch;
    private final ObjIntConsumer<Object> answers;

    /** Those that the server does not know, by place. */
    private final List<Integer> unknown = new ArrayList<>();

    /** Those that need more than this server, or another moment. */
    private final List<Integer> refused = new ArrayList<>();

    private int answered;

    Pass(
        Target target,
        Use use,
        String action,
        List<Addressed> batch,
        ObjIntConsumer<Object> answers) {
      this.target = target;
      this.use = use;
      this.action = action;
      this.batch = batch;
      this.answers = answers;
    }

    /** Answers whether none of them was sent again. */
    boolean run(List<Integer> places) {
      send(places, Set.of());
      boolean again = !unknown.isEmpty() || !refused.isEmpty();
      if (!unknown.isEmpty()) {
        List<Integer> taught = List.copyOf(unknown);
        unknown.clear();
        send(taught, firsts(taught));
        refused.addAll(unknown);
      }
      // Only then those that need more: they may have to wait for another server.
      again(use, action, batch, refused, answers);
      return !again;
    }

    /** The first place of each script, where it goes with its source. */
    private Set<Integer> firsts(List<Integer> places) {
      Map<LuaScript, Integer> firsts = new HashMap<>();
      places.forEach(place -> firsts.putIfAbsent(batch.get(place).call().script(), place));
      return Set.copyOf(firsts.values());
    }

    private void send(List<Integer> places, Set<Integer> bySource) {
      LockKeys first = batch.get(places.get(0)).keys();
      answered = 0;
      try {
        target
            .server()
            .calls()
            .together(
                use,
                action,
                first,
                places.stream()
                    .<Supplier<CommandArguments>>map(place -> () -> {
                      ScriptCall call =
                          inTime(batch.get(place).call(), target.server().clock());
                      return bySource.contains(place) ? call.bySource() : call.byDigest();
                    })
                    .toList(),
                (answer, i) -> {
                  answered = i + 1;
                  take(answer, places.get(i));
                });
      } catch (LockException e) {
        failed(first, places.subList(answered, places.size()), e);
      }
    }

    private void take(Object answer, int place) {
      Addressed one = batch.get(place);
      if (answer instanceof JedisNoScriptException) {
        unknown.add(place);
      } else if (answer instanceof JedisDataException refusal) {
        if (RedisErrors.concernsAll(String.valueOf(refusal.getMessage()))) {
          LockException failure = target.server().calls().explain(action, one.keys(), refusal);
          failed(one.keys(), List.of(place), failure);
        } else {
          refused.add(place);
        }
      } else {
        learn(one.call(), target.server().clock(), answer);
        if (one.call().hasDeadline() && isTooLate(answer)) {
          refused.add(place);
        } else {
          answers.accept(answer, place);
        }
      }
    }

    private void failed(LockKeys keys, List<Integer> places, LockException reason) {
      LockException failure = unlessElsewhere(keys, target, reason);
      if (failure == null) {
        refused.addAll(places);
      } else {
        places.forEach(place -> answers.accept(failure, place));
      }
    }
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
      Use use,
      String action,
      List<Addressed> batch,
      List<Integer> places,
      ObjIntConsumer<Object> answers) {
    Map<Server, LockException> silent = new HashMap<>();
    for (int place : places) {
      Addressed one = batch.get(place);
      Object answer;
      try {
        answer = run(use, action, one.keys(), one.call(), silent);
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
    learn(call, clock, answer);
    return answer;
  }

  private static void learn(ScriptCall call, ServerClock clock, Object answer) {
    if (call.hasDeadline()) {
      Object time = answer instanceof List<?> list ? list.get(1) : answer;
      if (time instanceof Long now) {
        clock.learn(call.sentAt(), now);
      }
    }
  }

  private ScriptCall inTime(ScriptCall call, ServerClock clock) {
    if (call.hasDeadline()) {
      long now = System.nanoTime();
      call.sentAt(now, clock.notAfterMicros(now, timeout));
    }
    return call;
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
