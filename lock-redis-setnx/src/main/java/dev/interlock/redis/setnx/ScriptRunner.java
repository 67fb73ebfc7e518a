package dev.interlock.redis.setnx;

import dev.interlock.LockException;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.LuaScript;
import dev.interlock.redis.support.RedisErrors;
import dev.interlock.redis.support.ScriptCall;
import dev.interlock.redis.support.ServerClock;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.redis.support.jedis.EachServer;
import dev.interlock.redis.support.jedis.Exchange;
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
   * @param call the script
   * @return its answer
   */
  Object run(Use use, String action, ScriptCall call) {
    return run(use, action, call, null);
  }

  /**
   * The same for one of many.
   *
   * @param silent the servers that did not answer about others of them, which are not asked again;
   *     added to
   */
  private Object run(
      Use use, String action, ScriptCall call, @Nullable Map<Server, LockException> silent) {
    LockKeys keys = call.first();
    Target target = servers.of(keys);
    while (true) {
      LockException earlier = silent == null ? null : silent.get(target.server());
      if (earlier != null) {
        throw earlier;
      }
      try {
        return runOn(target, use, action, call);
      } catch (LockException e) {
        if (silent != null && !(e.getCause() instanceof JedisDataException)) {
          silent.put(target.server(), e);
        }
        target = servers.after(keys, target, e);
      }
    }
  }

  private Object runOn(Target target, Use use, String action, ScriptCall call) {
    Object answer = send(target, use, action, call);
    if (isTooLate(answer)) {
      // It was read in time, so the server's clock was set forward, or it is another server. The
      // answer told the new time.
      answer = send(target, use, action, call);
    }
    if (isTooLate(answer)) {
      throw RedisErrors.tooLate(
          RedisErrors.describe(action, call.first().name()),
          target.server().calls().address());
    }
    return answer;
  }

  /**
   * Runs many scripts, in one go on each server, on all servers at once.
   *
   * @param use who asks
   * @param action for messages
   * @param batch what to run
   * @param answers takes the place and the answer, or a {@link LockException} where there is none,
   *     as soon as the server has answered
   * @return whether all were sent to one server and once, so that they have run in their order
   */
  boolean runAll(Use use, String action, List<ScriptCall> batch, ObjIntConsumer<Object> answers) {
    Map<Target, List<Integer>> places = new LinkedHashMap<>();
    for (int i = 0; i < batch.size(); i++) {
      try {
        Target target = servers.of(batch.get(i).first());
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

  /**
   * Sends many scripts at once, or not at all: waits for nothing and nobody.
   *
   * @param use who asks
   * @param action for messages
   * @param batch what to run; at least one
   * @param answers as for {@link #runAll}
   * @return what is under way; null if no connection is ready, or there are several servers
   */
  @Nullable
  Pass begin(Use use, String action, List<ScriptCall> batch, ObjIntConsumer<Object> answers) {
    if (servers.all().size() > 1) {
      return null; // where a key is may have to be asked first
    }
    Pass pass = new Pass(servers.of(batch.get(0).first()), use, action, batch, answers);
    return pass.begin() ? pass : null;
  }

  /** Many scripts on one server. For one thread at a time. */
  final class Pass {
    private final Target target;
    private final Use use;
    private final String action;
    private final List<ScriptCall> batch;
    private final ObjIntConsumer<Object> answers;

    /** Those that the server does not know, by place. */
    private final List<Integer> unknown = new ArrayList<>();

    /** Those that need more than this server, or another moment. */
    private final List<Integer> refused = new ArrayList<>();

    private @Nullable Exchange underWay;
    private List<Integer> places = new ArrayList<>();
    private int answered;

    private Pass(
        Target target,
        Use use,
        String action,
        List<ScriptCall> batch,
        ObjIntConsumer<Object> answers) {
      this.target = target;
      this.use = use;
      this.action = action;
      this.batch = batch;
      this.answers = answers;
    }

    private boolean begin() {
      for (int place = 0; place < batch.size(); place++) {
        places.add(place);
      }
      underWay = target.server().calls().atOnce(use, action, first(), commands(Set.of()));
      return underWay != null;
    }

    /**
     * Reads the answers if all come within some time.
     *
     * @param nanos how long to wait
     * @return whether nothing is left to do
     */
    boolean await(long nanos) {
      if (underWay != null && underWay.await(nanos, this::take)) {
        underWay = null;
      }
      return underWay == null && unknown.isEmpty() && refused.isEmpty();
    }

    /** Does what is left to do. Answers whether none of them was sent again. */
    boolean finish() {
      if (underWay != null) {
        read(underWay);
      }
      return sendAgain();
    }

    /** Answers whether none of them was sent again. */
    private boolean run(List<Integer> all) {
      send(all, Set.of());
      return sendAgain();
    }

    private boolean sendAgain() {
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
      places.forEach(place -> firsts.putIfAbsent(batch.get(place).script(), place));
      return Set.copyOf(firsts.values());
    }

    private void send(List<Integer> some, Set<Integer> bySource) {
      places = some;
      answered = 0;
      try {
        read(target.server().calls().together(use, action, first(), commands(bySource)));
      } catch (LockException e) {
        failed(first(), places, e); // there is no connection
      }
    }

    private void read(Exchange sent) {
      try {
        sent.read(this::take);
      } catch (LockException e) {
        failed(first(), places.subList(answered, places.size()), e);
      }
    }

    private LockKeys first() {
      return batch.get(places.get(0)).first();
    }

    private List<Supplier<CommandArguments>> commands(Set<Integer> bySource) {
      List<Supplier<CommandArguments>> commands = new ArrayList<>(places.size());
      for (int place : places) {
        commands.add(() -> {
          ScriptCall call = inTime(batch.get(place), target.server().clock());
          return bySource.contains(place)
              ? ScriptCommand.bySource(call)
              : ScriptCommand.byDigest(call);
        });
      }
      return commands;
    }

    private void take(Object answer, int i) {
      answered = i + 1;
      int place = places.get(i);
      ScriptCall call = batch.get(place);
      if (answer instanceof JedisNoScriptException) {
        unknown.add(place);
      } else if (answer instanceof JedisDataException refusal) {
        if (RedisErrors.concernsAll(String.valueOf(refusal.getMessage()))) {
          LockException failure = target.server().calls().explain(action, call.first(), refusal);
          failed(call.first(), List.of(place), failure);
        } else {
          refused.add(place);
        }
      } else {
        learn(call, target.server().clock(), answer);
        if (call.hasDeadline() && isTooLate(answer)) {
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
      List<ScriptCall> batch,
      List<Integer> places,
      ObjIntConsumer<Object> answers) {
    Map<Server, LockException> silent = new HashMap<>();
    for (int place : places) {
      Object answer;
      try {
        answer = run(use, action, batch.get(place), silent);
      } catch (LockException e) {
        answer = e;
      }
      answers.accept(answer, place);
    }
  }

  private Object send(Target target, Use use, String action, ScriptCall call) {
    Server server = target.server();
    ServerClock clock = server.clock();
    boolean asking = target.asking();
    LockKeys keys = call.first();
    Object answer =
        server.run(use, asking, action, keys, () -> ScriptCommand.byDigest(inTime(call, clock)));
    if (answer instanceof JedisNoScriptException) {
      answer =
          server.run(use, asking, action, keys, () -> ScriptCommand.bySource(inTime(call, clock)));
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
    call.sentAt(System.nanoTime(), clock, timeout);
    return call;
  }

  private static boolean isTooLate(Object answer) {
    return answer instanceof List<?> list && list.get(0) instanceof Long kind && kind == TOO_LATE;
  }
}
