package dev.interlock.sql.support;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Has work done on a connection, and again if it met a fault that passes, such as a deadlock.
 * Thread-safe; blocks for I/O.
 */
public final class Repeater {
  private static final int TRIES = 10;
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

  private final Connections connections;
  private final Duration timeout;
  private final Refusal refusal;

  /**
   * Does nothing yet.
   *
   * @param connections where they come from
   * @param timeout after which it does not try again
   * @param refusal what callers get to see if there is no connection
   */
  public Repeater(Connections connections, Duration timeout, Refusal refusal) {
    this.connections = connections;
    this.timeout = timeout;
    this.refusal = refusal;
  }

  /** No connection was to be had. */
  public interface Refusal {
    /**
     * Makes the exception for the caller.
     *
     * @param what the work
     * @param error what was met
     * @return the exception, which says that there was no effect
     */
    LockException of(String what, Exception error);
  }

  /**
   * Does the work once.
   *
   * @param <T> its answer
   */
  public interface Work<T> {
    /**
     * Does it, and gives the connection back.
     *
     * @param connection to work on
     * @return its answer
     * @throws PassingException if it failed without effect, and is likely to succeed if done again
     */
    T on(Connection connection) throws PassingException;
  }

  /** A fault that is worth a repetition. */
  public static final class PassingException extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient LockException translated;

    /**
     * Wraps what the caller gets to see if there is no other try.
     *
     * @param translated the fault
     */
    public PassingException(LockException translated) {
      super(translated);
      this.translated = translated instanceof BackendUnavailableException
          ? translated
          : new BackendUnavailableException(String.valueOf(translated.getMessage()), translated);
    }
  }

  /**
   * Does it.
   *
   * @param <T> its answer
   * @param what the work, for messages
   * @param urgent whether it frees or keeps a lock, and so must not queue behind attempts
   * @param work the work
   * @return its answer
   * @throws LockException if it failed, of the kind that says whether it had an effect
   */
  public <T> T run(String what, boolean urgent, Work<T> work) {
    long deadline = System.nanoTime() + timeout.toNanos();
    for (int tries = 1; ; tries++) {
      try {
        return once(what, urgent, work);
      } catch (PassingException fault) {
        if (tries == TRIES || System.nanoTime() - deadline > 0) {
          throw fault.translated;
        }
        pause(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE * tries / TRIES));
      }
    }
  }

  /** A thread that is interrupted pauses all the same, for who repeats at once meets the same. */
  private static void pause(long nanos) {
    boolean interrupted = Thread.interrupted();
    LockSupport.parkNanos(nanos);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * An interrupt does not end it, and is kept until later: what is done here may be done for other
   * threads too.
   */
  private <T> T once(String what, boolean urgent, Work<T> work) throws PassingException {
    boolean interrupted = Thread.interrupted();
    long start = System.nanoTime();
    try {
      Connection connection = null;
      while (connection == null) {
        try {
          connection = connections.take(urgent);
        } catch (SQLException | RuntimeException e) {
          interrupted |= Thread.interrupted();
          boolean inTime = System.nanoTime() - start < timeout.toNanos();
          if (!inTime || !(e.getCause() instanceof InterruptedException)) {
            throw refusal.of(what, e);
          }
        }
      }
      return work.on(connection);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
