package dev.interlock.testservers;

/**
 * A real Redis server under a test's control.
 *
 * <p>Thread-safe. Each method that changes the server's state blocks until the change has happened,
 * for 30 s at most, and does nothing if the server is in that state already. Host and port stay the
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
public interface RedisServer extends AutoCloseable {

  /** The host name or address that clients connect to. */
  String host();

  /** The port that clients connect to. */
  int port();

  /**
   * The address with credentials, as {@code redis://[user:password@]host:port[/database]}; with TLS
   * the scheme is {@code rediss}.
   */
  String uri();

  /** The same as {@link #uri()} with another scheme, such as {@code redis-setnx}. */
  String uri(String scheme);

  /** The server's version as it reports it, such as {@code 7.0.15}, or {@code Valkey 8.1.1}. */
  String version();

  /** Where the server comes from, with its version: {@code redis-server on PATH 7.0.15}. */
  String source();

  /** Whether the server can be stopped, paused, killed and restarted. */
  boolean isControllable();

  /**
   * Makes the server answer again, whatever was done to it: starts it on its port, with what its
   * last run left on disk, or continues it if it is paused.
   */
  void start();

  /** Ends the server in an orderly way (SIGTERM), by force if it has not ended after 10 s. */
  void stop();

  /** {@link #stop} and {@link #start}. Only what the server persists survives. */
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
   * Sends one command on a connection of its own, as the default user, and waits up to 5 s for the
   * answer. Not for commands that change the connection, such as SUBSCRIBE or MULTI.
   *
   * @return the answer as text; the elements of an array one on each line; {@code (nil)} for none
   * @throws TestServerException if the server answers with an error, or not at all
   */
  String command(String... arguments);

  /**
   * Ends the server at once and deletes its files; a given server is left as it is. Idempotent, and
   * works on a paused, killed or crashed server too.
   */
  @Override
  void close();
}
