package dev.interlock.testservers;

/**
 * A real database server under a test's control.
 *
 * <p>Thread-safe. Each method that changes the server's state blocks until the change has happened,
 * for 60 s at most, and does nothing if the server is in that state already; so {@code resume();
 * start();} heals a server whatever was done to it. Host, port and data stay the same for the
 * server's whole life.
 *
 * <p>An interrupt ends {@link #start} and {@link #restart} with a {@link TestServerException}; the
 * other methods are bounded and go on. The interrupt flag stays set in both cases.
 *
 * <p>Methods throw {@link TestServerException} if the server does not obey,
 * {@link IllegalStateException} after {@link #close}, and, for a server that was only given by a
 * URI ({@link #isControllable} is false), {@link UnsupportedOperationException} from
 * {@link #start}, {@link #stop}, {@link #restart}, {@link #pause}, {@link #resume} and
 * {@link #kill}.
 */
public interface DatabaseServer extends AutoCloseable {

  /** The host name or address that clients connect to. */
  String host();

  /** The port that clients connect to. */
  int port();

  /** The account, which on a started server may do everything, also create accounts. */
  String user();

  /** The account's password; empty if it has none. */
  String password();

  /** A database that exists. */
  String database();

  /** The address with credentials, as {@code scheme://user:password@host:port/database}. */
  String uri();

  /** The address for JDBC, without credentials. */
  String jdbcUrl();

  /**
   * Product and version as the server reports them, such as {@code MariaDB 11.4.5} or
   * {@code PostgreSQL 18.1}.
   */
  String version();

  /** Where the server comes from, with its version. */
  String source();

  /** Whether the server can be stopped, paused, killed and restarted. */
  boolean isControllable();

  /** Starts the server on its port, with what its last run left on disk. */
  void start();

  /** Ends the server in an orderly way, by force if it has not ended after 20 s. */
  void stop();

  /** {@link #stop} and {@link #start}. All that was committed survives. */
  void restart();

  /**
   * Suspends the server (SIGSTOP): connections stay open, nothing is answered.
   *
   * @throws IllegalStateException if the server is not running
   */
  void pause();

  /** Continues a paused server (SIGCONT); it then handles all that was sent to it meanwhile. */
  void resume();

  /** Ends the server at once (SIGKILL), paused or not. */
  void kill();

  /**
   * Runs one statement on a connection of its own and waits up to 10 s for the answer.
   *
   * @return the rows of the answer, one on each line, columns separated by tabs; empty for none
   * @throws TestServerException if the server answers with an error, or not at all
   */
  String execute(String sql);

  /**
   * Ends the server at once and deletes its files; a given server is left as it is. Idempotent, and
   * works on a paused, killed or crashed server too.
   */
  @Override
  void close();
}
