package dev.interlock.testservers;

/**
 * A real server under a test's control.
 *
 * <p>Thread-safe. Each method that changes the server's state blocks until the change has happened,
 * for 60 s at most, and does nothing if the server is in that state already. Host and port stay the
 * same for the server's whole life.
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
public interface TestServer extends AutoCloseable {

  /** The host name or address that clients connect to. */
  String host();

  /** The port that clients connect to. */
  int port();

  /** The address with credentials. */
  String uri();

  /** The server's version as it reports it. */
  String version();

  /** Where the server comes from, with its version, such as {@code redis-server on PATH 7.0.15}. */
  String source();

  /** Whether the server can be stopped, paused, killed and restarted. */
  boolean isControllable();

  /**
   * Makes the server answer again, whatever was done to it: starts it on its port, with what its
   * last run left on disk, or continues it if it is paused.
   */
  void start();

  /** Ends the server in an orderly way, by force if it does not end soon. */
  void stop();

  /** {@link #stop} and {@link #start}. */
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
   * Ends the server at once and deletes its files; a given server is left as it is. Idempotent, and
   * works on a paused, killed or crashed server too.
   */
  @Override
  void close();
}
