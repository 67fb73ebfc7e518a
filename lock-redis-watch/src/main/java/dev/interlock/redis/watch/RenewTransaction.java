package dev.interlock.redis.watch;

import static dev.interlock.redis.watch.CommandWords.word;

import dev.interlock.LockException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.RedisErrors;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.redis.support.jedis.EachServer;
import dev.interlock.redis.support.jedis.LockValue;
import dev.interlock.redis.support.jedis.Server;
import dev.interlock.redis.watch.Transactions.Step;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Makes holds last at least one lease from now, many at a time: in a cluster, those of one slot.
 *
 * <p>First round trip: {@code WATCH} of all the locks that are not known to be lost, {@code GETEX}
 * and {@code PTTL} of each, {@code TIME}: so the time is never earlier than a time left was told,
 * and the new end not before the old one. Second: {@code MULTI}, {@code PEXPIREAT} of those that
 * are held and end too soon, before that {@code SET} of those whose token is too small and
 * {@code ZADD GT} of the larger one, {@code EXEC}; or {@code UNWATCH}.
 *
 * <p>The lock cannot pass to another between the check and the new end, since then the transaction
 * is not run. Runs twice or late, or the reply is lost: the end is absolute, and it is later than
 * the one that was seen, or the transaction is not run; so a lease is only made longer, and one
 * that has expired never comes back. The client dies: the locks expire. {@code GETEX}: see
 * {@link Transactions}.
 */
final class RenewTransaction {
  /** How many commands raise a token. */
  private static final int RAISING = 2;

  private final Transactions transactions;
  private final KeyLayout layout;

  RenewTransaction(Transactions transactions, KeyLayout layout) {
    this.transactions = transactions;
    this.layout = layout;
  }

  /** Asks all servers at once, and passes each answer on when its server has given it. */
  void renew(List<Renewal> batch, RenewalAnswers answers) {
    List<LockKeys> keys =
        batch.stream().map(renewal -> layout.keys(renewal.name())).toList();
    Map<Integer, List<Integer>> groups = new LinkedHashMap<>();
    for (int i = 0; i < keys.size(); i++) {
      groups
          .computeIfAbsent(transactions.group(keys.get(i)), group -> new ArrayList<>())
          .add(i);
    }
    Map<Server, List<List<Integer>>> servers = new LinkedHashMap<>();
    for (List<Integer> places : groups.values()) {
      try {
        servers
            .computeIfAbsent(
                transactions.server(keys.get(places.get(0))), server -> new ArrayList<>())
            .add(places);
      } catch (LockException e) {
        places.forEach(place -> answers.answer(batch.get(place), RenewalResult.failed(e)));
      }
    }
    EachServer.run(servers.values().stream()
        .<Runnable>map(own -> () -> {
          Map<Server, LockException> silent = new HashMap<>();
          own.forEach(places -> renew(batch, keys, places, answers, silent));
        })
        .toList());
  }

  /** Renews one group, unless its server has not answered before: the others shall not wait. */
  private void renew(
      List<Renewal> batch,
      List<LockKeys> keys,
      List<Integer> places,
      RenewalAnswers answers,
      Map<Server, LockException> silent) {
    List<Renewal> renewals = places.stream().map(batch::get).toList();
    List<LockKeys> locks = places.stream().map(keys::get).toList();
    Server server = null;
    try {
      server = transactions.server(locks.get(0));
      LockException earlier = silent.get(server);
      if (earlier != null) {
        throw earlier;
      }
      List<RenewalResult> done = renew(renewals, locks);
      if (done == null) {
        places.forEach(place -> renew(batch, keys, List.of(place), answers, silent));
        return;
      }
      for (int i = 0; i < done.size(); i++) {
        answers.answer(renewals.get(i), done.get(i));
      }
    } catch (LockException e) {
      boolean answered = e.getCause() == null || e.getCause() instanceof JedisDataException;
      if (server != null && !answered) {
        silent.put(server, e);
      }
      renewals.forEach(renewal -> answers.answer(renewal, RenewalResult.failed(e)));
    }
  }

  /**
   * Null if these locks must be renewed one by one: others change one of them all the time, or they
   * are on their way to another server.
   */
  private @Nullable List<RenewalResult> renew(List<Renewal> batch, List<LockKeys> keys) {
    RenewalResult[] known = new RenewalResult[batch.size()];
    Step<List<RenewalResult>> step = pipe -> once(pipe, batch, keys, known);
    if (batch.size() == 1) {
      return transactions.run("renew", keys.get(0), step);
    }
    try {
      return transactions.attempt(Use.HOLDER, "renew", keys.get(0), step).orElse(null);
    } catch (LockException e) {
      if (isTornApart(e.getCause())) {
        return null;
      }
      throw e;
    }
  }

  /** While a slot is moved, its keys are on two servers, and none takes them together. */
  private static boolean isTornApart(@Nullable Throwable cause) {
    return cause instanceof JedisDataException refusal
        && RedisErrors.code(String.valueOf(refusal.getMessage())).equals("TRYAGAIN");
  }

  /**
   * Looks and changes once. What an earlier look found gone is left out: an id never comes back,
   * and if the lock of a lost hold were watched again, those who have it now would keep all others
   * from being renewed. So is what other software has put in a lock's place.
   *
   * @param results what earlier looks found; filled
   */
  private @Nullable List<RenewalResult> once(
      Pipe pipe, List<Renewal> batch, List<LockKeys> keys, RenewalResult[] results) {
    if (pipe.isAsking() && keys.size() > 1) {
      return null; // a lock that is not here yet must not be taken for one that is gone
    }
    int[] places = IntStream.range(0, results.length)
        .filter(place -> results[place] == null || results[place] instanceof Grant)
        .toArray();
    Replies seen = look(pipe, Arrays.stream(places).mapToObj(keys::get).toList());
    int time = seen.list().size() - 1;
    int first = time - 2 * places.length;
    List<Integer> extended = new ArrayList<>();
    Set<Integer> raised = new HashSet<>();
    for (int i = 0; i < places.length; i++) {
      int place = places[i];
      Renewal renewal = batch.get(place);
      JedisDataException refusal = seen.refusal(first + 2 * i);
      results[place] = refusal == null
          ? result(renewal, seen.bytes(first + 2 * i))
          : failed(keys.get(place), refusal);
      long left = seen.number(first + 2 * i + 1);
      boolean ends = left <= renewal.lease().toMillis();
      if (results[place] instanceof Grant held && (ends || raises(renewal, held))) {
        if (extended.isEmpty()) {
          pipe.multi();
        }
        if (raises(renewal, held)) {
          byte[] value = Objects.requireNonNull(seen.bytes(first + 2 * i));
          results[place] = raise(pipe, keys.get(place), value, renewal);
          raised.add(place);
        }
        extended.add(place);
        Duration lease = ends ? renewal.lease() : Duration.ofMillis(left);
        pipe.send(
            Command.PEXPIREAT, keys.get(place).lock(), CommandWords.end(seen.micros(time), lease));
      }
    }
    if (extended.isEmpty()) {
      pipe.unwatch();
      return Arrays.asList(results);
    }
    Replies done = pipe.exec();
    if (done == null) {
      return null;
    }
    int answer = 0;
    for (int place : extended) {
      answer += raised.contains(place) ? RAISING : 0;
      if (done.number(answer++) == 0) {
        results[place] = RenewalResult.gone();
      }
    }
    return Arrays.asList(results);
  }

  private static boolean raises(Renewal renewal, Grant held) {
    return held.fencingToken() < renewal.minToken();
  }

  /** Within the transaction: whoever has the lock next reads a counter that has this token. */
  private static RenewalResult raise(Pipe pipe, LockKeys keys, byte[] value, Renewal renewal) {
    LockValue own = LockValue.parse(value).orElseThrow();
    long token = renewal.minToken();
    LockValue larger =
        new LockValue(own.id(), token, own.tokens(), own.since(), own.owner(), own.host());
    pipe.send(Command.SET, keys.lock(), larger.encode(), CommandWords.XX, CommandWords.KEEPTTL);
    byte[] last = word(token + own.tokens() - 1);
    pipe.send(Command.ZADD, CommandWords.counter(keys), CommandWords.GT, last, CommandWords.LAST);
    return RenewalResult.held(renewal, token).withTokens(own.tokens());
  }

  /** The last answers are the value and the time left of each lock, and the time. */
  private static Replies look(Pipe pipe, List<LockKeys> keys) {
    pipe.watch(keys.stream().map(LockKeys::lock).toList());
    for (LockKeys each : keys) {
      pipe.send(Command.GETEX, each.lock()).send(Command.PTTL, each.lock());
    }
    return pipe.send(Command.TIME).flushEach();
  }

  private RenewalResult failed(LockKeys keys, JedisDataException refusal) {
    return RenewalResult.failed(RedisErrors.refused(
        "renew lock '" + keys.name() + "'",
        transactions.server(keys).calls().address(),
        String.valueOf(refusal.getMessage()),
        refusal));
  }

  private static RenewalResult result(Renewal renewal, byte @Nullable [] value) {
    if (value == null || !CommandWords.isOf(value, word(renewal.id()))) {
      return RenewalResult.gone();
    }
    return LockValue.parse(value)
        .<RenewalResult>map(
            own -> RenewalResult.held(renewal, own.token()).withTokens(own.tokens()))
        .orElseGet(RenewalResult::gone);
  }
}
