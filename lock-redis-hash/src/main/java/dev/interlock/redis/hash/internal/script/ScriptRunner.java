package dev.interlock.redis.hash.internal.script;

import static dev.interlock.redis.support.RedisErrors.describe;

import dev.interlock.LockException;
import dev.interlock.redis.hash.internal.connection.Connections;
import dev.interlock.redis.hash.internal.connection.Faults;
import dev.interlock.redis.hash.internal.connection.SharedConnection;
import dev.interlock.redis.support.RedisErrors;
import dev.interlock.redis.support.ScriptCall;
import dev.interlock.spi.Uninterruptibly;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.cluster.PartitionException;
import io.lettuce.core.protocol.AsyncCommand;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * Runs scripts on the server: loads one that the server does not know, learns the time from every
 * answer, sorts failures. Thread-safe; blocks for I/O, for a bounded time.
 */
public final class ScriptRunner {
  private static final Duration PAUSE = Duration.ofMillis(10);

  /** What only a replica answers; the second while it has lost its master. */
  private static final Set<String> OF_REPLICA = Set.of("READONLY", "MASTERDOWN");

  private final SharedConnection connection;
  private final Connections connections;
  private final Clocks clocks;
  private final Duration timeout;

  public ScriptRunner(
      SharedConnection connection, Connections connections, Clocks clocks, Duration timeout) {
    this.connection = connection;
    this.connections = connections;
    this.clocks = clocks;
    this.timeout = timeout;
  }

  /**
   * Runs a script.
   *
   * @param action for messages, such as {@code "acquire"}
   * @param name the lock, for messages
   * @param call the script
   * @return what its answer holds after the server's time, with which every answer begins
   */
  public Answer run(String action, String name, ScriptCall call) {
    return answer(action, name, call, send(action, name, call));
  }

  /**
   * Waits for the answer of a script that was sent, and sends it once more if it came too late.
   *
   * @param action for messages
   * @param name the lock, for messages
   * @param call the script
   * @param sent as which it is under way
   * @return as for {@link #run}
   */
  public Answer answer(String action, String name, ScriptCall call, Sent sent) {
    Answer answer = sent.await();
    if (call.hasDeadline() && answer.isOver()) {
      // It was read in time, so the server's clock was set forward, or another server answers now.
      // The answer told the new time.
      Sent again = new Sent(action, name, call, answer.isRepeated());
      answer = again.await();
      if (answer.isOver()) {
        throw again.failed(RedisErrors.tooLate(describe(action, name), connections.address()));
      }
    }
    return answer;
  }

  /**
   * Sends a script whose answer is awaited later, so that several can be under way at once.
   *
   * @param action for messages
   * @param name the lock, for messages
   * @param call the script
   * @return what is under way
   */
  public Sent send(String action, String name, ScriptCall call) {
    return new Sent(action, name, call, false);
  }

  /** A script that was sent. One thread awaits it. */
  public final class Sent {
    private final String action;
    private final String name;
    private final ScriptCall call;
    private final long startedAt = System.nanoTime();
    // Both are written by Lettuce's thread too.
    private volatile long sentAt = startedAt;
    private volatile AsyncCommand<byte[], byte[], byte[]> command;
    private volatile CompletableFuture<byte[]> reply;
    private volatile boolean formerMayHaveRun;
    private volatile boolean sentAgain;

    private Sent(String action, String name, ScriptCall call, boolean formerMayHaveRun) {
      this.action = action;
      this.name = name;
      this.call = call;
      this.formerMayHaveRun = formerMayHaveRun;
      if (!isConnected()) {
        connections.lookAgain();
        LockException fault = Faults.disconnected(describe(action, name), connections.address());
        throw formerMayHaveRun ? Faults.repeated(fault) : fault;
      }
      Clocks.Clock clock = clocks.of(call.first());
      call.sentAt(startedAt, clock.server(), timeout);
      dispatch();
    }

    /** A call that nobody would repeat in a moment waits while Lettuce connects again. */
    private boolean isConnected() {
      while (!connection.isOpen()) {
        if (!mayPause()) {
          return false;
        }
      }
      return true;
    }

    /** Lets a moment pass, unless the call is not to wait or its time is over. */
    private boolean mayPause() {
      boolean pause = call.isPatient() && left().compareTo(PAUSE) >= 0;
      if (pause) {
        Uninterruptibly.pause(PAUSE.toNanos());
      }
      return pause;
    }

    /** Runs it once the server has answered, on Lettuce's thread; not if it has not, or refused. */
    public void whenAnswered(Runnable action) {
      var unused = reply.thenRun(action);
    }

    /** Waits until the time that an answer may take, counted from the sending, is over. */
    public Answer await() {
      try {
        byte[] bytes = answer();
        Answer answer = new Answer(bytes, mayHaveRunBefore());
        Clocks.Clock clock = clocks.of(call.first());
        long now = answer.number();
        if (now != 0) {
          clock.server().learn(sentAt, now);
          clock.sendTimes().learn(sentAt, now);
        }
        return answer;
      } catch (RedisCommandExecutionException e) {
        throw refused(e);
      } catch (CancellationException | RedisTimeout e) {
        connections.lookAgain();
        throw Faults.of(describe(action, name), connections.address(), e);
      } catch (RedisException e) {
        connections.lookAgain();
        if (isUnsent(e)) {
          throw failed(Faults.unsent(describe(action, name), connections.address(), e));
        }
        throw Faults.of(describe(action, name), connections.address(), e);
      }
    }

    /** Whether it may have run later than what was sent behind it. Known once it is answered. */
    public boolean wasSentAgain() {
      return sentAgain || CountedCommand.wasRepeated(command);
    }

    private boolean mayHaveRunBefore() {
      return formerMayHaveRun || CountedCommand.mayHaveRunBefore(command);
    }

    private LockException refused(RedisCommandExecutionException answer) {
      LockException fault = Faults.refused(describe(action, name), connections, answer);
      if (OF_REPLICA.contains(RedisErrors.code(String.valueOf(answer.getMessage())))) {
        connections.answeredByReplica();
      }
      return failed(fault);
    }

    /** What did nothing this time may have done it the time before. */
    private LockException failed(LockException fault) {
      return mayHaveRunBefore() ? Faults.repeated(fault) : fault;
    }

    private byte[] answer() {
      while (true) {
        try {
          return get();
        } catch (RedisCommandExecutionException e) {
          if (!isSlotMoving(e) || !mayPause()) {
            throw e;
          }
          dispatchAgain();
        } catch (RedisException e) {
          if (!isUnsent(e) || left().isNegative() || !awaitWay(e)) {
            throw e;
          }
          dispatchAgain();
        }
      }
    }

    /**
     * Waits until the node is connected, or for the client to find out about it. A node that cannot
     * be reached is not asked again before it can: whatever it is asked last would not be known.
     */
    private boolean awaitWay(RedisException unsent) {
      do {
        if (!(unsent instanceof PartitionException)
            && connection.awaitNode(call.first().lock(), left())) {
          return true;
        }
        connections.lookAgain();
        if (!mayPause()) {
          return false;
        }
      } while (unsent instanceof RedisConnectionException);
      return true;
    }

    private void dispatchAgain() {
      noteFormer();
      dispatch();
    }

    /** The server that refuses it now need not be the one that it was first sent to. */
    private void noteFormer() {
      sentAgain = true;
      formerMayHaveRun = mayHaveRunBefore();
    }

    private void dispatch() {
      command = ScriptCommand.byDigest(call);
      reply = transmit().exceptionallyCompose(this::teach);
    }

    /**
     * Sends the script to a server that does not know it. At once, not only when somebody awaits
     * the answer: of several calls that are under way an earlier one may take all the time there
     * is.
     */
    private CompletableFuture<byte[]> teach(Throwable failure) {
      if (!(failure instanceof RedisNoScriptException)) {
        return CompletableFuture.failedFuture(failure);
      }
      noteFormer();
      command = ScriptCommand.bySource(call);
      return transmit();
    }

    private CompletableFuture<byte[]> transmit() {
      AsyncCommand<byte[], byte[], byte[]> form = command;
      sentAt = System.nanoTime();
      connection.dispatch(form);
      return form;
    }

    /**
     * Says whether it was not sent: the node is not, or just now not, connected, or it is not known
     * where the slot is. All but a rejection Lettuce also tells of a command that a connection took
     * along when it broke, and that found no way the second time.
     */
    private boolean isUnsent(RedisException e) {
      return isRejected(e) || (!formerMayHaveRun && !CountedCommand.mayHaveRun(command));
    }

    private Duration left() {
      return timeout.minusNanos(System.nanoTime() - startedAt);
    }

    private byte[] get() {
      try {
        return Uninterruptibly.get(reply, left().toNanos());
      } catch (TimeoutException e) {
        command.cancel();
        throw new RedisTimeout(timeout);
      } catch (ExecutionException e) {
        throw e.getCause() instanceof RuntimeException cause ? cause : new RedisException(e);
      }
    }
  }

  /** No answer came in time. */
  private static final class RedisTimeout extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RedisTimeout(Duration timeout) {
      super("no answer within " + timeout.toMillis() + " ms");
    }
  }

  /** Lettuce has no type for it. */
  private static boolean isRejected(RedisException e) {
    String message = e.getMessage();
    return e.getClass() == RedisException.class && message != null && message.contains("rejected");
  }

  /** Some keys of the lock are on one node of a cluster and some on another, or none exists yet. */
  private static boolean isSlotMoving(RedisCommandExecutionException e) {
    return RedisErrors.code(String.valueOf(e.getMessage())).equals("TRYAGAIN");
  }
}
