package dev.interlock.postgres;

import dev.interlock.LockException;
import dev.interlock.sql.support.Connections;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.apache.ibatis.builder.xml.XMLMapperBuilder;
import org.apache.ibatis.datasource.unpooled.UnpooledDataSource;
import org.apache.ibatis.exceptions.PersistenceException;
import org.apache.ibatis.logging.nologging.NoLoggingImpl;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.LocalCacheScope;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.managed.ManagedTransactionFactory;

/**
 * Runs statements, each a transaction by itself: repeats what met a deadlock, sorts out connections
 * that are of no more use, and tells failures without effect from the others. Thread-safe.
 */
final class Database {
  private static final String FILE = "dev/interlock/postgres/LockMapper.xml";
  private static final int TRIES = 10;
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

  private final Connections connections;
  private final SqlSessionFactory mappers;
  private final Duration timeout;

  Database(Connections connections, String prefix, Duration timeout) {
    this.connections = connections;
    this.mappers = mappers(prefix);
    this.timeout = timeout;
  }

  private static SqlSessionFactory mappers(String prefix) {
    Configuration configuration = new Configuration();
    ManagedTransactionFactory transactions = new ManagedTransactionFactory();
    Properties keepOpen = new Properties();
    keepOpen.setProperty("closeConnection", "false");
    transactions.setProperties(keepOpen);
    // The data source is never asked: every session is given its connection.
    configuration.setEnvironment(
        new Environment("interlock", transactions, new UnpooledDataSource()));
    configuration.setLogImpl(NoLoggingImpl.class);
    configuration.setMapUnderscoreToCamelCase(true);
    configuration.setLocalCacheScope(LocalCacheScope.STATEMENT);
    configuration.setCacheEnabled(false);
    Properties variables = new Properties();
    variables.setProperty("prefix", prefix);
    configuration.setVariables(variables);
    new XMLMapperBuilder(
            Objects.requireNonNull(Database.class.getClassLoader().getResourceAsStream(FILE)),
            configuration,
            FILE,
            configuration.getSqlFragments())
        .parse();
    return new SqlSessionFactoryBuilder().build(configuration);
  }

  Connections connections() {
    return connections;
  }

  /** Opens the statements on a connection that the caller keeps. */
  LockMapper on(Connection connection) {
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
  <T> T run(String what, boolean urgent, boolean changes, Function<LockMapper, T> work) {
    long deadline = System.nanoTime() + timeout.toNanos();
    for (int tries = 1; ; tries++) {
      Connection connection = take(what, urgent);
      boolean healthy = false;
      try (SqlSession session = mappers.openSession(connection)) {
        T result = work.apply(session.getMapper(LockMapper.class));
        healthy = true;
        return result;
      } catch (PersistenceException e) {
        SQLException error = Faults.find(e);
        if (error == null) {
          throw e;
        }
        healthy = !Faults.isConnectionUseless(error);
        if (!Faults.isPassing(error) || tries == TRIES || System.nanoTime() - deadline > 0) {
          throw Faults.translate(what, error, changes);
        }
      } finally {
        connections.giveBack(connection, urgent, healthy);
      }
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE * tries / TRIES));
    }
  }

  /** An interrupt does not end it, and is kept until later. */
  private Connection take(String what, boolean urgent) {
    boolean interrupted = Thread.interrupted();
    long start = System.nanoTime();
    try {
      while (true) {
        try {
          return connections.take(urgent);
        } catch (SQLException | RuntimeException e) {
          interrupted |= Thread.interrupted();
          boolean inTime = System.nanoTime() - start < timeout.toNanos();
          if (!inTime || !(e.getCause() instanceof InterruptedException)) {
            throw Faults.noConnection(what, e);
          }
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  void close() {
    connections.close();
  }
}
