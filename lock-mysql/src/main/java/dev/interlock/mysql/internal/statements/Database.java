package dev.interlock.mysql.internal.statements;

import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.mysql.internal.connection.ConnectionAges;
import dev.interlock.mysql.internal.connection.Faults;
import dev.interlock.sql.support.Connections;
import dev.interlock.sql.support.Repeater;
import dev.interlock.sql.support.Repeater.PassingException;
import dev.interlock.sql.support.SqlCauses;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Function;
import org.apache.ibatis.exceptions.PersistenceException;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;

/**
 * Runs operations on connections: repeats what met a deadlock, ends every transaction, sorts out
 * connections that are of no more use, and tells failures without effect from the others.
 * Thread-safe.
 */
public final class Database {
  private final Connections connections;
  private final SqlSessionFactory mappers;
  private final Repeater repeater;
  private final ConnectionAges ages = new ConnectionAges();

  public Database(Connections connections, SqlSessionFactory mappers, Duration timeout) {
    this.connections = connections;
    this.mappers = mappers;
    this.repeater = new Repeater(connections, timeout, Faults::noConnection);
  }

  public Connections connections() {
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
  public <T> T run(String what, boolean urgent, Function<Session, T> work) {
    return repeater.run(what, urgent, connection -> on(connection, what, urgent, work));
  }

  private <T> T on(Connection connection, String what, boolean urgent, Function<Session, T> work)
      throws PassingException {
    boolean healthy = false;
    try (SqlSession sql = mappers.openSession(connection)) {
      long knownUs = ages.micros(connection);
      Session session = new Session(sql.getMapper(LockMapper.class), knownUs);
      try {
        T result = work.apply(session);
        healthy = !session.isSpoilt();
        return result;
      } catch (PersistenceException e) {
        SQLException error = SqlCauses.first(e);
        if (error == null) {
          throw e;
        }
        healthy = !Faults.isConnectionUseless(error);
        LockException translated = Faults.translate(what, error, session.mayHaveTakenEffect());
        healthy &= rollBack(session);
        if (Faults.isPassing(error) && !(translated instanceof OutcomeUnknownException)) {
          throw new PassingException(translated);
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
  public LockMapper on(Connection connection) {
    return mappers.openSession(connection).getMapper(LockMapper.class);
  }

  /** Where the statements stand, for who sends one without a mapper. */
  public Configuration configuration() {
    return mappers.getConfiguration();
  }

  public void close() {
    connections.close();
  }
}
