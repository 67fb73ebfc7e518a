package dev.interlock.testservers;

/**
 * A real database server under a test's control. It starts within 60 s, and is ended by force if it
 * has not stopped after 20 s. All that was committed survives its end.
 */
public interface DatabaseServer extends TestServer {

  /** The account, which on a started server may do everything, also create accounts. */
  String user();

  /** The account's password; empty if it has none. */
  String password();

  /** A database that exists. */
  String database();

  /** The address with credentials, as {@code scheme://user:password@host:port/database}. */
  @Override
  String uri();

  /** The address for JDBC, without credentials. */
  String jdbcUrl();

  /**
   * Product and version as the server reports them, such as {@code MariaDB 11.4.5} or
   * {@code PostgreSQL 18.1}.
   */
  @Override
  String version();

  /**
   * Runs one statement on a connection of its own and waits up to 10 s for the answer.
   *
   * @return the rows of the answer, one on each line, columns separated by tabs; empty for none
   * @throws TestServerException if the server answers with an error, or not at all
   */
  String execute(String sql);
}
