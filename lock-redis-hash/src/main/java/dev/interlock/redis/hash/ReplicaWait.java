package dev.interlock.redis.hash;

import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.ReplicatedGrants;
import dev.interlock.redis.support.SharedTurn;
import dev.interlock.spi.HoldId;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Waits until replicas have a hold: renews it, which is a write, and lets {@code WAIT} follow on
 * the same connection. {@code WAIT} keeps a connection from doing anything else, so there is one
 * for this alone, and those who come while it waits share the next wait. Thread-safe; blocks for
 * twice the time of a wait and of an answer at the most.
 */
final class ReplicaWait implements ReplicatedGrants.Replicas {
  private static final String ACTION = "wait for replicas";
  private static final long HELD = 1;
  private static final int GONE = -1;

  private final Link link;
  private final KeyLayout layout;
  private final Connections connections;
  private final int replicas;
  private final Duration limit;
  private final Duration timeout;

  // One for each node, of which there are few.
  private final ConcurrentHashMap<StatefulRedisConnection<byte[], byte[]>, Line> lines =
      new ConcurrentHashMap<>();

  private ReplicaWait(Link link, LockConfig config, KeyLayout layout, Connections connections) {
    this.link = link;
    this.layout = layout;
    this.connections = connections;
    this.replicas = config.get(RedisHashOptions.REPLICAS);
    this.limit = config.get(RedisHashOptions.REPLICA_TIMEOUT);
    this.timeout = config.get(RedisHashOptions.TIMEOUT);
  }

  /** Also finds out whether this user may wait for replicas. */
  static ReplicaWait open(Link link, LockConfig config, KeyLayout layout, Connections connections) {
    OpeningCheck.untilConnected(
        config.get(RedisHashOptions.CONNECT_TIMEOUT), () -> mayWait(link, connections.address()));
    return new ReplicaWait(link, config, layout, connections);
  }

  private static boolean mayWait(Link link, String address) {
    try {
      link.sync().waitForReplication(0, 1);
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
    StatefulRedisConnection<byte[], byte[]> node = link.node(keys.lock(), timeout);
    if (node == null) {
      connections.lookAgain();
      throw Faults.disconnected(ACTION, connections.address());
    }
    Write write = new Write(new ScriptCall(Scripts.RENEW)
        .with(layout.mailboxPrefix())
        .on(keys)
        .with(1)
        .with(id.toString())
        .with(1) // ms: it has its lease
        .with(false)
        .with(0)); // and its token
    return lines.computeIfAbsent(node, Line::new).confirm(write);
  }

  /** One hold's renewal. Used by one thread at a time. */
  private static final class Write {
    final ScriptCall call;
    private AsyncCommand<byte[], byte[], byte[]> command;

    int found = GONE;

    @Nullable
    LockException failure;

    Write(ScriptCall call) {
      this.call = call;
      this.command = call.byDigest();
    }
  }

  /** Those who wait for the replicas of one master. */
  private final class Line {
    private final StatefulRedisConnection<byte[], byte[]> master;
    private final SharedTurn<Write> turn = new SharedTurn<>(this::confirmAll);

    Line(StatefulRedisConnection<byte[], byte[]> master) {
      this.master = master;
    }

    int confirm(Write mine) {
      turn.join(mine);
      if (mine.failure != null) {
        throw mine.failure;
      }
      return mine.found;
    }

    private void confirmAll(List<Write> all) {
      List<Write> unknown = send(all);
      unknown.forEach(write -> write.command = write.call.bySource());
      if (!unknown.isEmpty()) {
        send(unknown);
      }
    }

    /** Answers those whose script the server does not know. */
    private List<Write> send(List<Write> all) {
      AsyncCommand<byte[], byte[], Long> wait = waitCommand();
      List<RedisCommand<byte[], byte[], ?>> commands = new ArrayList<>();
      all.forEach(write -> commands.add(write.command));
      commands.add(wait);
      long start = System.nanoTime();
      master.dispatch(commands);
      List<Write> unknown = new ArrayList<>();
      for (Write write : all) {
        try {
          Answer answer = new Answer(get(write.command, start));
          answer.number(); // the time
          write.found = answer.number() == HELD ? found(wait, start) : GONE;
        } catch (RedisNoScriptException e) {
          unknown.add(write);
        } catch (RedisException | CancellationException e) {
          connections.lookAgain();
          write.failure = Faults.of(ACTION, connections.address(), e);
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
      boolean interrupted = false;
      try {
        while (true) {
          try {
            return answer.get(Math.max(0, left), TimeUnit.NANOSECONDS);
          } catch (InterruptedException e) {
            interrupted = true;
          }
        }
      } catch (TimeoutException e) {
        answer.cancel(true);
        throw new RedisException("no answer", e);
      } catch (ExecutionException e) {
        throw e.getCause() instanceof RedisException cause ? cause : new RedisException(e);
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }
}
