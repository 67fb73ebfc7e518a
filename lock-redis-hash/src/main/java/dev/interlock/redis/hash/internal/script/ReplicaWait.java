package dev.interlock.redis.hash.internal.script;

import dev.interlock.LockConfig;
import dev.interlock.redis.hash.internal.connection.Connections;
import dev.interlock.redis.hash.internal.connection.Faults;
import dev.interlock.redis.hash.internal.connection.SharedConnection;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.redis.support.ReplicaTurn;
import dev.interlock.redis.support.ReplicatedGrants;
import dev.interlock.redis.support.ScriptCall;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Uninterruptibly;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;

/**
 * Waits until replicas have a hold: renews it, which is a write, and lets {@code WAIT} follow on
 * the same connection. {@code WAIT} keeps a connection from doing anything else, so there is one
 * for this alone, and those who come while it waits share the next wait. Thread-safe; blocks for
 * twice the time of a wait and of an answer at the most.
 */
public final class ReplicaWait implements ReplicatedGrants.Replicas {
  private static final String ACTION = "wait for replicas";
  private static final long HELD = 1;

  private final SharedConnection connection;
  private final KeyLayout layout;
  private final Connections connections;
  private final int replicas;
  private final Duration limit;
  private final Duration timeout;

  // One for each node, of which there are few.
  private final ConcurrentHashMap<StatefulRedisConnection<byte[], byte[]>, Line> lines =
      new ConcurrentHashMap<>();

  private ReplicaWait(
      SharedConnection connection, LockConfig config, KeyLayout layout, Connections connections) {
    this.connection = connection;
    this.layout = layout;
    this.connections = connections;
    this.replicas = config.get(RedisOptions.REPLICAS);
    this.limit = config.get(RedisOptions.REPLICA_TIMEOUT);
    this.timeout = config.get(RedisOptions.TIMEOUT);
  }

  /** Also finds out whether this user may wait for replicas. */
  public static ReplicaWait open(
      SharedConnection connection, LockConfig config, KeyLayout layout, Connections connections) {
    SharedConnection.untilConnected(
        config.get(RedisOptions.CONNECT_TIMEOUT), () -> mayWait(connection, connections.address()));
    return new ReplicaWait(connection, config, layout, connections);
  }

  private static boolean mayWait(SharedConnection connection, String address) {
    try {
      connection.sync().waitForReplication(0, 1);
    } catch (RedisException e) {
      if (!isAnswerOfReplica(e)) {
        throw Faults.of(ACTION, address, e);
      }
    }
    return true;
  }

  /**
   * Says whether the server did not wait only because it is a replica. In a cluster any node may
   * answer what concerns no key; each grant finds its own master.
   */
  private static boolean isAnswerOfReplica(RedisException answer) {
    return answer instanceof RedisCommandExecutionException
        && String.valueOf(answer.getMessage()).contains("WAIT cannot be used with replica");
  }

  @Override
  public int confirm(String name, HoldId id) {
    LockKeys keys = layout.keys(name);
    StatefulRedisConnection<byte[], byte[]> node = connection.node(keys.lock(), timeout);
    if (node == null) {
      connections.lookAgain();
      throw Faults.disconnected(ACTION, connections.address());
    }
    Write write = new Write(new ScriptCall(Scripts.RENEW)
        .with(layout.mailboxPrefix())
        .on(keys)
        .with(1)
        .with(id)
        .with(1) // ms: it has its lease
        .with(false)
        .with(0)); // and its token
    return line(node).turn.ask(write);
  }

  private Line line(StatefulRedisConnection<byte[], byte[]> node) {
    Line known = lines.get(node);
    if (known == null) {
      // That of a node that has left the cluster is never opened again.
      lines.keySet().removeIf(other -> !other.isOpen());
      known = lines.computeIfAbsent(node, Line::new);
    }
    return known;
  }

  /** How many masters this client keeps in mind. */
  int knownMasters() {
    return lines.size();
  }

  /** One hold's renewal. */
  private static final class Write implements ReplicaTurn.Question {
    private final ReplicaTurn.Outcome outcome = new ReplicaTurn.Outcome();
    final ScriptCall call;
    private AsyncCommand<byte[], byte[], byte[]> command;

    Write(ScriptCall call) {
      this.call = call;
      this.command = ScriptCommand.byDigest(call);
    }

    @Override
    public ReplicaTurn.Outcome outcome() {
      return outcome;
    }
  }

  /** Those who wait for the replicas of one master. */
  private final class Line {
    private final StatefulRedisConnection<byte[], byte[]> master;
    final ReplicaTurn<Write> turn = new ReplicaTurn<>(this::confirmAll);

    Line(StatefulRedisConnection<byte[], byte[]> master) {
      this.master = master;
    }

    private void confirmAll(List<Write> all) {
      List<Write> unknown = send(all);
      unknown.forEach(write -> write.command = ScriptCommand.bySource(write.call));
      if (!unknown.isEmpty()) {
        send(unknown);
      }
    }

    /** Answers those whose script the server does not know. */
    private List<Write> send(List<Write> all) {
      AsyncCommand<byte[], byte[], Long> wait = waitCommand();
      List<RedisCommand<byte[], byte[], ?>> commands = new ArrayList<>();
      all.forEach(write -> commands.add(connection.inStep(write.command)));
      commands.add(connection.inStep(wait));
      long start = System.nanoTime();
      master.dispatch(commands);
      List<Write> unknown = new ArrayList<>();
      for (Write write : all) {
        try {
          Answer answer = new Answer(get(write.command, start));
          answer.number(); // the time
          if (answer.number() == HELD) {
            write.outcome.found(found(wait, start));
          }
        } catch (RedisNoScriptException e) {
          unknown.add(write);
        } catch (RedisException | CancellationException e) {
          connections.lookAgain();
          write.outcome.failed(Faults.of(ACTION, connections.address(), e));
        }
      }
      return unknown;
    }

    private AsyncCommand<byte[], byte[], Long> waitCommand() {
      return CountedCommand.of(
          CommandType.WAIT,
          new IntegerOutput<>(ByteArrayCodec.INSTANCE),
          new CommandArgs<>(ByteArrayCodec.INSTANCE).add(replicas).add(limit.toMillis()));
    }

    /**
     * {@code WAIT} that was sent again over a new connection asks about what was written there: by
     * nobody, or to another master.
     */
    private int found(AsyncCommand<byte[], byte[], Long> wait, long start) {
      int found = Math.toIntExact(get(wait, start));
      if (CountedCommand.wasRepeated(wait)) {
        throw new RedisException("the connection broke while they were waited for");
      }
      return found;
    }

    private <T> T get(Future<T> answer, long start) {
      long left = limit.plus(timeout).toNanos() - (System.nanoTime() - start);
      try {
        return Uninterruptibly.get(answer, left);
      } catch (TimeoutException e) {
        answer.cancel(true);
        throw new RedisException("no answer", e);
      } catch (ExecutionException e) {
        throw e.getCause() instanceof RedisException cause ? cause : new RedisException(e);
      }
    }
  }
}
