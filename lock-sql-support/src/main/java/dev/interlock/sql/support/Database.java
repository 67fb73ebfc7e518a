package dev.interlock.sql.support;

import dev.interlock.LockException;
import dev.interlock.spi.Uninterruptibly;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.ibatis.exceptions.PersistenceException;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;

/**
 * Runs operations on connections: repeats what met a fault that passes, such as a deadlock, sorts
 * out connections that are of no more use, and tells failures without effect from the others.
 * Thread-safe; blocks for I/O.
 *
 * @param <S> what operations are given
 */
public final class Database<S extends Database.Work> {
  private static final int TRIES = 10;
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

  private final Connections connections;
  private final SqlSessionFactory mappers;
  private final BiFunction<SqlSession, Connection, S> sessions;
  private final Duration timeout;
  private final Faults faults;

  /** What an operation has under way. Not thread-safe. */
  public interface Work {
    /**
     * Tells whether something was sent that may have been done although it failed.
     *
     * @return whether the outcome is unknown if no answer comes
     */
    boolean mayHaveTakenEffect();

    /**
     * Ends what the operation has left open, because it failed or otherwise.
     *
     * @return whether the connection may be used again
     */
    boolean end();
  }

  /**
   * Does nothing yet.
   *
   * @param connections where they come from
   * @param mappers opens statements on a connection
   * @param sessions makes what an operation is given
   * @param timeout after which nothing is tried again
   * @param faults what errors mean
   */
  public Database(
      Connections connections,
      SqlSessionFactory mappers,
      BiFunction<SqlSession, Connection, S> sessions,
      Duration timeout,
      Faults faults) {
    this.connections = connections;
    this.mappers = mappers;
    this.sessions = sessions;
    this.timeout = timeout;
    this.faults = faults;
  }

  /**
   * Returns where connections come from.
   *
   * @return always the same
   */
  public Connections connections() {
    return connections;
  }

  /**
   * Opens statements on a connection that the caller keeps.
   *
   * @param <M> their interface
   * @param connection to send them on
   * @param mapper their interface
   * @return sends them
   */
  public <M> M on(Connection connection, Class<M> mapper) {
    return mappers.openSession(connection).getMapper(mapper);
  }

  /**
   * Returns where the statements stand, for who sends one without a mapper.
   *
   * @return always the same
   */
  public Configuration configuration() {
    return mappers.getConfiguration();
  }

  /**
   * Runs an operation, again if it met a passing fault.
   *
   * @param <T> its answer
   * @param what the operation, for messages
   * @param urgent whether it frees or keeps a lock, and so must not queue behind attempts
   * @param work the operation
   * @return its answer
   * @throws LockException if it failed, of the kind that says whether it had an effect
   */
  public <T> T run(String what, boolean urgent, Function<S, T> work) {
    long deadline = System.nanoTime() + timeout.toNanos();
    for (int tries = 1; ; tries++) {
      try {
        return once(what, urgent, work);
      } catch (PassingException fault) {
        if (tries == TRIES || System.nanoTime() - deadline > 0) {
          throw fault.translated;
        }
        Uninterruptibly.pause(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE * tries / TRIES));
      }
    }
  }

  /** It failed without effect, and is likely to succeed if done again. */
  private static final class PassingException extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient LockException translated;

    PassingException(LockException translated) {
      super(translated);
      this.translated = translated;
    }
  }

  /**
   * An interrupt does not end it, and is kept until later: what is done here may be done for other
   * threads too.
   */
  private <T> T once(String what, boolean urgent, Function<S, T> work) throws PassingException {
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
            throw faults.noConnection(what, e);
          }
        }
      }
      return on(connection, what, urgent, work);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private <T> T on(Connection connection, String what, boolean urgent, Function<S, T> work)
      throws PassingException {
    boolean healthy = false;
    try (SqlSession sql = mappers.openSession(connection)) {
      S session = sessions.apply(sql, connection);
      try {
        T result = work.apply(session);
        healthy = session.end();
        return result;
      } catch (PersistenceException e) {
        SQLException error = SqlCauses.first(e);
        if (error == null) {
          throw e;
        }
        healthy = !faults.isConnectionUseless(error);
        boolean changes = session.mayHaveTakenEffect();
        LockException translated = faults.translate(what, error, changes);
        healthy &= session.end();
        if (faults.isPassing(error, changes)) {
          throw new PassingException(translated);
        }
        throw translated;
      }
    } finally {
      connections.giveBack(connection, urgent, healthy);
    }
  }

  /** Closes the connections. */
  public void close() {
    connections.close();
  }
}
