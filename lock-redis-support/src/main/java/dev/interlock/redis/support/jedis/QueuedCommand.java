package dev.interlock.redis.support.jedis;

import dev.interlock.LockException;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.jedis.Connections.Use;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;

/**
 * A command of one thread that another thread may send. Whoever sends it must complete it or fail
 * it, whatever happens: its thread waits for that without limit.
 */
final class QueuedCommand {

  /** How far it is. Only its sender may change it once it is taken. */
  enum Stage {
    /** Nobody sends it yet; its thread may still give up. */
    QUEUED,
    /** Somebody sends it, or is about to. */
    TAKEN,
    /** Its own thread is to send it, or to read the answers if it was sent, and others with it. */
    LEADING,
    /** The answer is there, or the reason why there is none. */
    DONE,
    /** Its thread has given up before anybody sent it. */
    WITHDRAWN
  }

  private final Use use;
  private final String action;
  private final LockKeys keys;
  private final Supplier<CommandArguments> arguments;
  private final Thread thread = Thread.currentThread();
  private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.QUEUED);
  private boolean interrupted;
  // Published by the stage LEADING.
  private @Nullable Batch batch;
  // Published by the stage DONE, unless its own thread reads it; one of them is set.
  private @Nullable Object answer;
  private @Nullable RuntimeException failure;

  /**
   * Prepares a command of the current thread.
   *
   * @param use who asks
   * @param action for messages
   * @param keys of the lock, for messages
   * @param arguments makes the command when it is about to be sent
   */
  QueuedCommand(Use use, String action, LockKeys keys, Supplier<CommandArguments> arguments) {
    this.use = use;
    this.action = action;
    this.keys = keys;
    this.arguments = arguments;
  }

  Use use() {
    return use;
  }

  String action() {
    return action;
  }

  LockKeys keys() {
    return keys;
  }

  /** Makes the caller its sender, unless it has one or was withdrawn. */
  boolean take() {
    return stage.compareAndSet(Stage.QUEUED, Stage.TAKEN);
  }

  /**
   * Lets its own thread lead. Only after it was taken.
   *
   * @param sent the batch that begins with it; null if its thread is to send it
   */
  void lead(@Nullable Batch sent) {
    batch = sent;
    stage.set(Stage.LEADING);
    LockSupport.unpark(thread);
  }

  /** What its thread is to lead; null if it was not sent yet. */
  @Nullable
  Batch batch() {
    return batch;
  }

  /** From here on it may reach the server. */
  void write(Unanswered unanswered, Connection connection) {
    unanswered.send(connection, arguments.get());
  }

  /** Notes the answer. */
  void answered(Object reply) {
    answer = reply;
  }

  /** Notes why there is no answer. */
  void failed(RuntimeException reason) {
    failure = reason;
  }

  /** Lets its thread go on with what was noted. */
  void done() {
    stage.set(Stage.DONE);
    LockSupport.unpark(thread);
  }

  /**
   * Waits, whatever interrupts come, until it is done or its thread is to lead; gives up if nobody
   * has taken it in time.
   *
   * @param deadline by {@link System#nanoTime()}
   * @return {@code LEADING}, {@code DONE} or {@code WITHDRAWN}
   */
  Stage await(long deadline) {
    Stage now = awaitSender(deadline);
    if (now == Stage.QUEUED) {
      stage.compareAndSet(Stage.QUEUED, Stage.WITHDRAWN);
      now = stage.get();
    }
    while (now == Stage.TAKEN) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted(); // or it would not park any more
      now = stage.get();
    }
    return now;
  }

  /**
   * Waits, whatever interrupts come, until somebody has taken it.
   *
   * @param deadline by {@link System#nanoTime()}
   * @return {@code QUEUED} if nobody has taken it in time
   */
  Stage awaitSender(long deadline) {
    Stage now = stage.get();
    long left = deadline - System.nanoTime();
    while (now == Stage.QUEUED && left > 0) {
      LockSupport.parkNanos(this, left);
      interrupted |= Thread.interrupted();
      now = stage.get();
      left = deadline - System.nanoTime();
    }
    return now;
  }

  /** Sets the interrupt flag again if {@link #await} has cleared it. */
  void restoreInterrupt() {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** The answer, once it is done without a failure; an error answer is an exception. */
  Object answer() {
    return Objects.requireNonNull(answer, "scripts answer something");
  }

  /** Why there is no answer: a {@link LockException} if it was not sent. */
  @Nullable
  RuntimeException failure() {
    return failure;
  }
}
