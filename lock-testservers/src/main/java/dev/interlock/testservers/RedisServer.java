package dev.interlock.testservers;

/**
 * A real Redis server under a test's control. It starts within 30 s, and is ended by force if it
 * has not stopped after 10 s. Only what it persists survives its end.
 */
public interface RedisServer extends TestServer {

  /**
   * The address with credentials, as {@code redis://[user:password@]host:port[/database]}; with TLS
   * the scheme is {@code rediss}.
   */
  @Override
  String uri();

  /** The same as {@link #uri()} with another scheme, such as {@code redis-setnx}. */
  String uri(String scheme);

  /** The server's version as it reports it, such as {@code 7.0.15}, or {@code Valkey 8.1.1}. */
  @Override
  String version();

  /**
   * Sends one command on a connection of its own, as the default user, and waits up to 5 s for the
   * answer. Not for commands that change the connection, such as SUBSCRIBE or MULTI.
   *
   * @return the answer as text; the elements of an array one on each line; {@code (nil)} for none
   * @throws TestServerException if the server answers with an error, or not at all
   */
  String command(String... arguments);
}
