package dev.interlock.redis.support.jedis;

import dev.interlock.BackendRefusedException;
import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.redis.support.jedis.QueuedCommand.Stage;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * Single commands of many threads, sent together where that saves work: a thread that finds another
 * one sending leaves its command to be sent with the next batch. A thread that is alone sends its
 * command itself, with nothing in between. Thread-safe; blocks for I/O, for a bounded time.
 *
 * <p>What costs most is not the commands but the switches between threads, and the way to the
 * server: a batch of many costs hardly more than one of two. So the thread that has read the
 * answers wakes the others, lets them run, and then sends what they ask for next in one go; the
 * thread of one of these commands reads the answers. So none works for the others for long.
 * Connections go with the batches, and back to the pool as soon as others want one.
 *
 * <p>What holders send comes before attempts, and does not wait long for answers to others: waiters
 * never keep a lock from being freed.
 *
 * <p>An interrupt changes nothing until the answer is there, with one exception of the JDK: if the
 * sender is a virtual thread, it closes the connection, and the commands of that batch have an
 * unknown outcome.
 */
public final class SharedCalls {
  /** Those that find no connection in the pool wait for one, as any command does. */
  private static final int MOST_SENDERS = 16;

  /** After this time a holder no longer counts on the server answering those before. */
  private static final long PATIENCE_OF_HOLDERS = 20_000_000;

  private final JedisCalls calls;
  private final Duration timeout;
  private final CommandQueue queue = new CommandQueue();
  private final AtomicInteger senders = new AtomicInteger();

  /** Senders that have a connection. */
  private final AtomicInteger connected = new AtomicInteger();

  private final RoundTrip roundTrip;

  /**
   * Creates the calls.
   *
   * @param calls to the server
   * @param timeout how long a command may wait to be sent
   */
  public SharedCalls(JedisCalls calls, Duration timeout) {
    this(calls, timeout, new RoundTrip(MOST_SENDERS));
  }

  SharedCalls(JedisCalls calls, Duration timeout, RoundTrip roundTrip) {
    this.calls = calls;
    this.timeout = timeout;
    this.roundTrip = roundTrip;
  }

  /**
   * Sends a command and waits for the answer.
   *
   * @param use who asks
   * @param action for messages, such as {@code "acquire"}
   * @param keys of the lock
   * @param arguments makes the command just before it is written, on any thread; quick
   * @return the answer; a {@link JedisNoScriptException} if the server does not know the script
   * @throws BackendUnavailableException if it was not sent
   * @throws LockException if the server refused it, or did not answer in time
   */
  public Object run(Use use, String action, LockKeys keys, Supplier<CommandArguments> arguments) {
    QueuedCommand command = new QueuedCommand(use, action, keys, arguments);
    if (maySend(roundTrip.senders())) {
      send(command);
    } else {
      leaveToOthers(command);
    }
    return answer(command);
  }

  private void leaveToOthers(QueuedCommand command) {
    long start = System.nanoTime();
    queue.add(command);
    // The last sender may have looked before the command was there.
    sendUnlessTaken(command, roundTrip.senders());
    try {
      if (command.use() == Use.HOLDER
          && command.awaitSender(start + PATIENCE_OF_HOLDERS) == Stage.QUEUED) {
        sendUnlessTaken(command, roundTrip.senders() + 1);
      }
      switch (command.await(start + timeout.toNanos())) {
        case LEADING -> lead(command);
        case WITHDRAWN ->
          throw new BackendUnavailableException("Redis at " + calls.address()
              + " did not answer earlier commands within " + timeout.toMillis()
              + " ms, so this one was not sent. Find out why the server is slow");
        default -> {}
      }
    } finally {
      command.restoreInterrupt();
    }
  }

  private void sendUnlessTaken(QueuedCommand command, int most) {
    if (maySend(most)) {
      if (command.take()) {
        command.lead(null);
      } else {
        passOn();
      }
    }
  }

  private void lead(QueuedCommand command) {
    Batch sent = command.batch();
    if (sent == null) {
      send(command);
    } else {
      finish(sent);
    }
  }

  private Object answer(QueuedCommand command) {
    RuntimeException failure = command.failure();
    if (failure instanceof BackendRefusedException) {
      throw new BackendRefusedException(String.valueOf(failure.getMessage()), failure);
    }
    if (failure instanceof LockException) {
      throw new BackendUnavailableException(String.valueOf(failure.getMessage()), failure);
    }
    if (failure != null) {
      throw calls.explain(command.action(), command.keys(), failure);
    }
    Object answer = command.answer();
    if (answer instanceof JedisDataException refusal
        && !(answer instanceof JedisNoScriptException)) {
      throw calls.explain(command.action(), command.keys(), refusal);
    }
    return answer;
  }

  /** Only after {@link #maySend}, or when told to lead. */
  private void send(QueuedCommand command) {
    Batch batch;
    try {
      batch = begin(command.use());
    } catch (Throwable e) {
      if (e instanceof LockException reason && connected.get() == 0) {
        refuseAll(reason); // there is no connection to be had, for them neither
      }
      passOn();
      throw e;
    }
    connected.incrementAndGet();
    batch.send(command, queue);
    finish(batch);
  }

  private Batch begin(Use use) {
    Connection connection = calls.borrow(use);
    Batch begun = null;
    try {
      begun = new Batch(calls, connection, use);
      return begun;
    } finally {
      if (begun == null) { // after an error, such as no memory
        calls.giveBack(use, connection, false);
      }
    }
  }

  private void finish(Batch batch) {
    boolean handedOn = false;
    try {
      try {
        batch.read(roundTrip);
      } finally {
        batch.wakeOthers();
      }
      handedOn = sendNext(batch);
    } finally {
      if (!handedOn) {
        try {
          calls.giveBack(batch.use(), batch.connection(), batch.isSound());
        } finally {
          connected.decrementAndGet();
          passOn();
        }
      }
    }
  }

  /** Sends what has gathered, on the same connection. Answers false if that was not to be. */
  @SuppressWarnings("ThreadPriorityCheck") // Only speed depends on what the scheduler does.
  private boolean sendNext(Batch before) {
    if (!before.isSound() || !calls.mayKeep(before.connection())) {
      return false;
    }
    if (before.isShared()) {
      // Those who were woken on this processor ask for the next thing before this one goes on:
      // without it a batch is half as large.
      Thread.yield();
    }
    if (queue.isEmpty()) {
      return false;
    }
    Batch next = new Batch(calls, before.connection(), before.use());
    QueuedCommand first = queue.take();
    if (first == null) {
      return false;
    }
    next.send(first, queue);
    first.lead(next);
    return true;
  }

  private boolean maySend(int most) {
    int now = senders.get();
    while (now < most) {
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
      QueuedCommand next = queue.take();
      if (next != null) {
        next.lead(null);
        return;
      }
      senders.decrementAndGet();
    } while (!queue.isEmpty() && maySend(roundTrip.senders()));
  }

  private void refuseAll(LockException reason) {
    for (QueuedCommand next = queue.take(); next != null; next = queue.take()) {
      next.failed(reason);
      next.done();
    }
  }
}
