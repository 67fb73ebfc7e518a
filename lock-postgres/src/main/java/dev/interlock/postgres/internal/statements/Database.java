package dev.interlock.postgres.internal.statements;

import dev.interlock.LockException;
import dev.interlock.postgres.internal.connection.Faults;
import dev.interlock.sql.support.Connections;
import dev.interlock.sql.support.MapperFactory;
import dev.interlock.sql.support.Repeater;
import dev.interlock.sql.support.Repeater.PassingException;
import dev.interlock.sql.support.SqlCauses;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import org.apache.ibatis.exceptions.PersistenceException;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;

/**
 * Runs statements, each a transaction by itself: repeats what met a deadlock, sorts out connections
 * that are of no more use, and tells failures without effect from the others. Thread-safe.
 */
public final class Database {
  private final Connections connections;
  private final SqlSessionFactory mappers;
  private final Repeater repeater;

  public Database(Connections connections, String prefix, Duration timeout) {
    this.connections = connections;
    this.mappers = MapperFactory.of(LockMapper.class, Map.of("prefix", prefix));
    this.repeater = new Repeater(connections, timeout, Faults::noConnection);
  }

  public Connections connections() {
    return connections;
  }

  /** Opens the statements on a connection that the caller keeps. */
  public LockMapper on(Connection connection) {
    return mappers.openSession(connection).getMapper(LockMapper.class);
  }

  /**
   * Runs a statement, again if it met a passing fault.
   *
   * @param what the operation, for messages
   * @param urgent whether it frees or keeps a lock, and so must not queue behind attempts
   * @param changes whether it changes something, so that a lost answer leaves the outcome unknown
   * @param work the statement
   * @throws LockException if it failed, of the kind that says whether it had an effect
   */
  public <T> T run(String what, boolean urgent, boolean changes, Function<LockMapper, T> work) {
    return repeater.run(what, urgent, connection -> on(connection, what, urgent, changes, work));
  }

  private <T> T on(
      Connection connection,
      String what,
      boolean urgent,
      boolean changes,
      Function<LockMapper, T> work)
      throws PassingException {
    boolean healthy = false;
    try (SqlSession session = mappers.openSession(connection)) {
      T result = work.apply(session.getMapper(LockMapper.class));
      healthy = true;
      return result;
    } catch (PersistenceException e) {
      SQLException error = SqlCauses.first(e);
      if (error == null) {
        throw e;
      }
      healthy = !Faults.isConnectionUseless(error);
      LockException translated = Faults.translate(what, error, changes);
      if (Faults.isPassing(error)) {
        throw new PassingException(translated);
      }
      throw translated;
    } finally {
      connections.giveBack(connection, urgent, healthy);
    }
  }

  public void close() {
    connections.close();
  }
}
