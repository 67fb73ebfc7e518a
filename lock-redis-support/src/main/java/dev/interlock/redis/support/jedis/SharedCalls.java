package dev.interlock.redis.support.jedis;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.jedis.Connections.Use;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * Single commands of many threads, sent together where that saves work: a thread that finds another
 * one sending leaves its command to be sent with the next batch, and one of those who wait sends
 * that. A thread that is alone sends its command itself, with nothing in between. Thread-safe;
 * blocks for I/O, for a bounded time.
 *
 * <p>A sender sends one batch and then passes its part on, so that none works for the others for
 * long. It has a connection for that time only. Attempts and what holders send go through instances
 * of their own, so that waiters never keep a lock from being freed.
 *
 * <p>An interrupt changes nothing until the answer is there, with one exception of the JDK: if the
 * sender is a virtual thread, it closes the connection, and the commands of that batch have an
 * unknown outcome.
 */
public final class SharedCalls {
  /** Those that find no connection in the pool wait for one, as any command does. */
  private static final int MOST_SENDERS = 16;

  private final JedisCalls calls;
  private final Use use;
  private final Duration timeout;
  private final ConcurrentLinkedQueue<QueuedCommand> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger senders = new AtomicInteger();
  private final RoundTrip roundTrip;

  /**
   * Creates the calls.
   *
   * @param calls to the server
   * @param use for whom connections are borrowed
   * @param timeout how long a command may wait to be sent
   */
  public SharedCalls(JedisCalls calls, Use use, Duration timeout) {
    this(calls, use, timeout, new RoundTrip(MOST_SENDERS));
  }

  SharedCalls(JedisCalls calls, Use use, Duration timeout, RoundTrip roundTrip) {
    this.calls = calls;
    this.use = use;
    this.timeout = timeout;
    this.roundTrip = roundTrip;
  }

  /**
   * Sends a command and waits for the answer.
   *
   * @param action for messages, such as {@code "acquire"}
   * @param keys of the lock
   * @param arguments makes the command just before it is written, on any thread; quick
   * @return the answer; a {@link JedisNoScriptException} if the server does not know the script
   * @throws BackendUnavailableException if it was not sent
   * @throws LockException if the server refused it, or did not answer in time
   */
  public Object run(String action, LockKeys keys, Supplier<CommandArguments> arguments) {
    QueuedCommand command = new QueuedCommand(action, keys, arguments);
    Object answer = maySend() ? send(command) : leaveToOthers(command);
    if (answer instanceof JedisDataException refusal
        && !(answer instanceof JedisNoScriptException)) {
      throw calls.explain(action, keys, refusal);
    }
    return answer;
  }

  private Object leaveToOthers(QueuedCommand command) {
    long deadline = System.nanoTime() + timeout.toNanos();
    queue.add(command);
    if (maySend()) { // the last sender may have looked before the command was there
      if (command.take()) {
        return send(command);
      }
      passOn();
    }
    try {
      return switch (command.await(deadline)) {
        case LEADING -> send(command);
        case DONE -> answer(command);
        default ->
          throw new BackendUnavailableException("Redis at " + calls.address()
              + " did not answer earlier commands within " + timeout.toMillis()
              + " ms, so this one was not sent. Find out why the server is slow");
      };
    } finally {
      command.restoreInterrupt();
    }
  }

  private Object answer(QueuedCommand command) {
    RuntimeException failure = command.failure();
    if (failure instanceof LockException) {
      throw new BackendUnavailableException(String.valueOf(failure.getMessage()), failure);
    }
    if (failure != null) {
      throw calls.explain(command.action(), command.keys(), failure);
    }
    return command.answer();
  }

  /** Only after {@link #maySend}, or when appointed. */
  private Object send(QueuedCommand command) {
    try {
      return calls.on(
          use,
          command.action(),
          command.keys(),
          connection -> new Batch(connection, command, queue).exchange(roundTrip));
    } catch (LockException e) {
      if (!command.isWritten()) {
        refuseAll(e); // there is no connection to be had, for them neither
      }
      throw e;
    } finally {
      passOn();
    }
  }

  private boolean maySend() {
    int now = senders.get();
    while (now < roundTrip.senders()) {
      if (senders.compareAndSet(now, now + 1)) {
        return true;
      }
      now = senders.get();
    }
    return false;
  }

  /**
   * Ends the sender's part. Nobody is forgotten: whoever queues looks for a sender afterwards, and
   * the sender looks at the queue after it has ceased to be one.
   */
  private void passOn() {
    do {
      for (QueuedCommand next = queue.poll(); next != null; next = queue.poll()) {
        if (next.appoint()) {
          return;
        }
      }
      senders.decrementAndGet();
    } while (!queue.isEmpty() && maySend());
  }

  private void refuseAll(LockException reason) {
    for (QueuedCommand next = queue.poll(); next != null; next = queue.poll()) {
      if (next.take()) {
        next.fail(reason);
      }
    }
  }
}
