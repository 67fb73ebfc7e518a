package dev.interlock.mysql;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.sql.support.Connections;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.apache.ibatis.exceptions.PersistenceException;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;

/**
 * Runs operations on connections: repeats what met a deadlock, ends every transaction, sorts out
 * connections that are of no more use, and tells failures without effect from the others.
 * Thread-safe.
 */
final class Database {
  private static final int TRIES = 10;
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

  private final Connections connections;
  private final SqlSessionFactory mappers;
  private final Duration timeout;
  private final ConnectionAges ages = new ConnectionAges();

  Database(Connections connections, SqlSessionFactory mappers, Duration timeout) {
    this.connections = connections;
    this.mappers = mappers;
    this.timeout = timeout;
  }

  Connections connections() {
    return connections;
  }

  /**
   * Runs an operation, again if it met a passing fault.
   *
   * @param what the operation, for messages
   * @param urgent whether it frees or keeps a lock, and so must not queue behind attempts
   * @param work the operation
   * @throws LockException if it failed, of the kind that says whether it had an effect
   */
  <T> T run(String what, boolean urgent, Function<Session, T> work) {
    long deadline = System.nanoTime() + timeout.toNanos();
    for (int tries = 1; ; tries++) {
      try {
        return once(what, urgent, work);
      } catch (Passing fault) {
        if (tries == TRIES || System.nanoTime() - deadline > 0) {
          throw fault.translated;
        }
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE * tries / TRIES));
      }
    }
  }

  /**
   * An interrupt does not end it, and is kept until later: what is done here may be done for other
   * threads too.
   */
  private <T> T once(String what, boolean urgent, Function<Session, T> work) throws Passing {
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
            throw Faults.noConnection(what, e);
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

  private <T> T on(Connection connection, String what, boolean urgent, Function<Session, T> work)
      throws Passing {
    boolean healthy = false;
    try (SqlSession sql = mappers.openSession(connection)) {
      long knownUs = ages.micros(connection);
      Session session = new Session(sql.getMapper(LockMapper.class), knownUs);
      try {
        T result = work.apply(session);
        healthy = !session.isSpoilt();
        return result;
      } catch (PersistenceException e) {
        SQLException error = Faults.find(e);
        if (error == null) {
          throw e;
        }
        healthy = !Faults.isConnectionUseless(error);
        LockException translated = Faults.translate(what, error, session.mayHaveTakenEffect());
        healthy &= rollBack(session);
        if (Faults.isPassing(error) && !(translated instanceof OutcomeUnknownException)) {
          throw new Passing(translated);
        }
        throw translated;
      }
    } finally {
      connections.giveBack(connection, urgent, healthy);
    }
  }

  private static boolean rollBack(Session session) {
    if (!session.isInTransaction()) {
      return true;
    }
    try {
      session.mapper().rollBack();
      return true;
    } catch (PersistenceException e) {
      return false; // the connection is thrown away, and that ends the transaction
    }
  }

  /** Opens the mappers on a connection that the caller keeps. */
  LockMapper on(Connection connection) {
    return mappers.openSession(connection).getMapper(LockMapper.class);
  }

  void close() {
    connections.close();
  }

  /** A fault that is worth a repetition. */
  private static final class Passing extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient LockException translated;

    Passing(LockException translated) {
      super(translated);
      this.translated = translated instanceof BackendUnavailableException
          ? translated
          : new BackendUnavailableException(String.valueOf(translated.getMessage()), translated);
    }
  }
}
