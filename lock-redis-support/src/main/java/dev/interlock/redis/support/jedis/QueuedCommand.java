package dev.interlock.redis.support.jedis;

import dev.interlock.LockException;
import dev.interlock.redis.support.LockKeys;
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
    /** Its own thread is to send it, and others with it. */
    LEADING,
    /** The answer is there, or the reason why there is none. */
    DONE,
    /** Its thread has given up before anybody sent it. */
    WITHDRAWN
  }

  private final String action;
  private final LockKeys keys;
  private final Supplier<CommandArguments> arguments;
  private final Thread thread = Thread.currentThread();
  private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.QUEUED);
  private boolean written;
  private boolean interrupted;
  // Published by the stage DONE; one of them is set.
  private @Nullable Object answer;
  private @Nullable RuntimeException failure;

  /**
   * Prepares a command of the current thread.
   *
   * @param action for messages
   * @param keys of the lock, for messages
   * @param arguments makes the command when it is about to be sent
   */
  QueuedCommand(String action, LockKeys keys, Supplier<CommandArguments> arguments) {
    this.action = action;
    this.keys = keys;
    this.arguments = arguments;
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

  /** Makes its own thread the sender, unless it has one or was withdrawn. */
  boolean appoint() {
    boolean appointed = stage.compareAndSet(Stage.QUEUED, Stage.LEADING);
    if (appointed) {
      LockSupport.unpark(thread);
    }
    return appointed;
  }

  /** From here on it may reach the server. */
  void write(Connection connection) {
    CommandArguments made = arguments.get();
    written = true;
    connection.sendCommand(made);
  }

  /** Tells its sender whether it may have reached the server. */
  boolean isWritten() {
    return written;
  }

  void complete(Object reply) {
    answer = reply;
    done();
  }

  void fail(RuntimeException reason) {
    failure = reason;
    done();
  }

  /**
   * Waits, whatever interrupts come, until it is done or its thread is to send it; gives up if
   * nobody has taken it in time.
   *
   * @param deadline by {@link System#nanoTime()}
   * @return {@code LEADING}, {@code DONE} or {@code WITHDRAWN}
   */
  Stage await(long deadline) {
    Stage now = stage.get();
    while (now == Stage.QUEUED || now == Stage.TAKEN) {
      if (now == Stage.TAKEN) {
        LockSupport.park(this);
      } else {
        LockSupport.parkNanos(this, deadline - System.nanoTime());
        if (deadline - System.nanoTime() <= 0) {
          stage.compareAndSet(Stage.QUEUED, Stage.WITHDRAWN);
        }
      }
      interrupted |= Thread.interrupted(); // or it would not park any more
      now = stage.get();
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

  private void done() {
    stage.set(Stage.DONE);
    LockSupport.unpark(thread);
  }
}
