package dev.interlock.redis.support.jedis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.interlock.BackendRefusedException;
import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.ReplicaTurn;
import dev.interlock.redis.support.ReplicatedGrants;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisRedirectionException;

/**
 * Waits until replicas have a hold that is kept in one string.
 *
 * <p>{@code WAIT} counts what its own connection has written, and the grant came over another one.
 * So this connection looks at the hold, writes, and waits, in one go (very many do the first two in
 * several, see {@link Unanswered}): replicas that have this write have all that the server wrote
 * before, the grant included. Its own write sets a key in the lock's slot that expires after a
 * millisecond; it needs neither a script nor a transaction, and touches nothing that means
 * anything, whoever has the lock by then.
 *
 * <p>A connection that waits does nothing else, so one for each server waits at a time, and those
 * who come meanwhile share its next wait. Thread-safe; blocks for the time of two waits and of
 * their answers, and of getting a connection.
 */
final class ReplicaWait implements ReplicatedGrants.Replicas {
  private static final String ACTION = "wait for replicas";
  private static final byte[] PX = {'P', 'X'};
  private static final byte[] ONE = {'1'};

  /** The look, the write. */
  private static final int COMMANDS_EACH = 2;

  private final Servers servers;
  private final KeyLayout layout;
  private final int replicas;
  private final Duration limit;
  private final ConcurrentHashMap<Server, Line> lines = new ConcurrentHashMap<>();

  private ReplicaWait(Servers servers, KeyLayout layout, int replicas, Duration limit) {
    this.servers = servers;
    this.layout = layout;
    this.replicas = replicas;
    this.limit = limit;
  }

  /**
   * Lets grants wait for replicas, if the settings ask for that. Then it also finds out whether
   * this user may.
   *
   * @param backend grants; closed by the caller if this fails
   * @param config how many replicas, and for how long
   * @param servers that have the locks
   * @param layout names the keys
   * @return a backend whose grants wait; the same one if they need no replica
   * @throws LockException if this user may not wait for replicas
   */
  static LockBackend before(
      LockBackend backend, LockConfig config, Servers servers, KeyLayout layout) {
    int replicas = config.get(JedisOptions.REPLICAS);
    if (replicas == 0) {
      return backend;
    }
    requireRight(new ReplicaWait(servers, layout, 0, Duration.ofMillis(1)));
    Duration limit = config.get(JedisOptions.REPLICA_TIMEOUT);
    return new ReplicatedGrants(
        backend, replicas, new ReplicaWait(servers, layout, replicas, limit));
  }

  /** On one server that answers, if any does. */
  private static void requireRight(ReplicaWait wait) {
    List<LockKeys> keys = OpeningCheck.nobodysKeys(wait.servers, wait.layout, wait.servers.all());
    for (int i = 0; i < keys.size(); i++) {
      try {
        var unused = wait.confirm(keys.get(i), new HoldId(0, 0));
        return;
      } catch (BackendRefusedException e) {
        throw e;
      } catch (BackendUnavailableException | OutcomeUnknownException e) {
        if (i == keys.size() - 1) {
          throw e;
        }
      }
    }
  }

  @Override
  public int confirm(String name, HoldId id) {
    return confirm(layout.keys(name), id);
  }

  private int confirm(LockKeys keys, HoldId id) {
    Target target = servers.of(keys);
    while (true) {
      try {
        return line(target.server()).turn.ask(new Question(keys, id));
      } catch (LockException e) {
        target = servers.after(keys, target, e);
        if (target.asking()) {
          throw e; // where the slot is on its way, the hold and the write would be on two servers
        }
      }
    }
  }

  private Line line(Server server) {
    Line known = lines.get(server);
    if (known == null) {
      lines.keySet().retainAll(servers.all()); // those that are gone do not come back
      known = lines.computeIfAbsent(server, Line::new);
    }
    return known;
  }

  /** What one thread wants to know. */
  private static final class Question implements ReplicaTurn.Question {
    private final ReplicaTurn.Outcome outcome = new ReplicaTurn.Outcome();
    final LockKeys keys;
    final HoldId id;

    Question(LockKeys keys, HoldId id) {
      this.keys = keys;
      this.id = id;
    }

    @Override
    public ReplicaTurn.Outcome outcome() {
      return outcome;
    }

    boolean isAboutHolderIn(@Nullable Object value) {
      return value instanceof byte[] text
          && LockValue.parse(text).filter(holder -> holder.id().equals(id)).isPresent();
    }
  }

  /** Those who wait for the replicas of one server. */
  private final class Line {
    private final JedisCalls calls;
    final ReplicaTurn<Question> turn = new ReplicaTurn<>(this::ask);

    Line(Server server) {
      this.calls = server.calls();
    }

    private void ask(List<Question> all) {
      LockKeys nobodys = layout.keys(""); // the locks of a batch have only the server in common
      calls.on(Use.ATTEMPT, ACTION, nobodys, connection -> {
        settle(all, answers(connection, all), nobodys);
        return all;
      });
    }

    private List<Object> answers(Connection connection, List<Question> all) {
      List<Object> answers = new ArrayList<>(COMMANDS_EACH * all.size() + 1);
      Unanswered unanswered = new Unanswered();
      int asked = 0;
      for (Question question : all) {
        if (unanswered.isMuch()) {
          answers.addAll(connection.getMany(COMMANDS_EACH * asked - answers.size()));
          unanswered = new Unanswered();
        }
        unanswered.send(connection, new CommandArguments(Command.GET).add(question.keys.lock()));
        unanswered.send(connection, write(question));
        asked++;
      }
      connection.sendCommand(Command.WAIT, word(replicas), word(limit.toMillis()));
      int patience = connection.getSoTimeout();
      connection.setSoTimeout(Math.toIntExact(patience + limit.toMillis()));
      answers.addAll(connection.getMany(COMMANDS_EACH * asked + 1 - answers.size()));
      connection.setSoTimeout(patience);
      return answers;
    }

    private CommandArguments write(Question question) {
      return new CommandArguments(Command.SET)
          .add(layout.mark(question.keys))
          .addObjects(ONE, PX, ONE);
    }

    private void settle(List<Question> all, List<Object> answers, LockKeys nobodys) {
      for (Object answer : answers) {
        if (answer instanceof JedisDataException refusal
            && !(refusal instanceof JedisRedirectionException)) {
          throw refusal;
        }
      }
      int found = Math.toIntExact((Long) answers.get(answers.size() - 1));
      for (int i = 0; i < all.size(); i++) {
        Question question = all.get(i);
        Object seen = answers.get(COMMANDS_EACH * i);
        Object written = answers.get(COMMANDS_EACH * i + 1);
        Object worse = seen instanceof JedisRedirectionException ? seen : written;
        if (worse instanceof JedisRedirectionException elsewhere) {
          question.outcome.failed(calls.explain(ACTION, nobodys, elsewhere));
        } else if (question.isAboutHolderIn(seen)) {
          question.outcome.found(found);
        }
      }
    }
  }

  private static byte[] word(long number) {
    return Long.toString(number).getBytes(ISO_8859_1);
  }
}
