package dev.interlock.redis.hash;

import dev.interlock.BackendUnavailableException;
import dev.interlock.redis.support.ServerClock;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.AsyncCommand;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs scripts on the server: loads one that the server does not know, learns the time from every
 * answer, sorts failures. Thread-safe; blocks for I/O, for a bounded time.
 */
final class ScriptRunner {
  private final StatefulRedisConnection<byte[], byte[]> connection;
  private final ServerClock clock;
  private final SendTimes sendTimes;
  private final Duration timeout;
  private final String address;

  ScriptRunner(
      StatefulRedisConnection<byte[], byte[]> connection,
      ServerClock clock,
      SendTimes sendTimes,
      Duration timeout,
      String address) {
    this.connection = connection;
    this.clock = clock;
    this.sendTimes = sendTimes;
    this.timeout = timeout;
    this.address = address;
  }

  /**
   * Runs a script.
   *
   * @param action for messages, such as {@code "acquire"}
   * @param name the lock, for messages
   * @param call the script
   * @return what its answer holds after the server's time, with which every answer begins
   */
  Answer run(String action, String name, ScriptCall call) {
    Answer answer = send(action, name, call);
    if (call.hasDeadline() && answer.isOver()) {
      // It was read in time, so the server's clock was set forward. The answer told the new time.
      answer = send(action, name, call);
      if (answer.isOver()) {
        throw new BackendUnavailableException("Redis at " + address + " refused to "
            + describe(action, name) + " twice because it ran too late: it is overloaded or its"
            + " clock is being set");
      }
    }
    return answer;
  }

  private Answer send(String action, String name, ScriptCall call) {
    if (!connection.isOpen()) {
      throw Faults.disconnected(describe(action, name), address);
    }
    long sentAt = System.nanoTime();
    if (call.hasDeadline()) {
      call.deadline(clock.notAfterMicros(sentAt, timeout));
    }
    try {
      Answer answer = new Answer(send(call));
      long now = answer.number();
      if (now != 0) {
        clock.learn(sentAt, now);
        sendTimes.learn(sentAt, now);
      }
      return answer;
    } catch (RedisCommandExecutionException | CancellationException | RedisTimeout e) {
      throw Faults.of(describe(action, name), address, e);
    } catch (RedisException e) {
      if (isRejected(e)) {
        throw Faults.disconnected(describe(action, name), address);
      }
      throw Faults.of(describe(action, name), address, e);
    }
  }

  private byte[] send(ScriptCall call) {
    try {
      return await(call.byDigest());
    } catch (RedisNoScriptException e) {
      return await(call.bySource());
    }
  }

  /** No answer came in time. */
  private static final class RedisTimeout extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RedisTimeout(Duration timeout) {
      super("no answer within " + timeout.toMillis() + " ms");
    }
  }

  private byte[] await(AsyncCommand<byte[], byte[], byte[]> command) {
    connection.dispatch(command);
    long deadline = System.nanoTime() + timeout.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return command.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (TimeoutException e) {
      command.cancel();
      throw new RedisTimeout(timeout);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new RedisException(e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Lettuce has no type for a command that it did not send. */
  private static boolean isRejected(RedisException e) {
    String message = e.getMessage();
    return e.getClass() == RedisException.class
        && message != null
        && (message.contains("rejected") || message.contains("Connection is closed"));
  }

  private static String describe(String action, String name) {
    return name.isEmpty() ? action : action + " lock '" + name + "'";
  }
}
