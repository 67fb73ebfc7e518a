package dev.interlock.testservers.internal.control;

import dev.interlock.testservers.TestServerException;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * How a server of any kind is started and stopped where it runs.
 *
 * <p>Thread-safe. Methods that change the state are idempotent and wait until the change has
 * happened. They throw {@link IllegalStateException} after {@link #close}.
 */
public interface ServerControl extends AutoCloseable {

  /** Whether the server may be started, stopped, paused and killed. */
  boolean isOurs();

  /**
   * Starts the server, or continues it if it is paused, and waits until it is ready.
   *
   * @param ready asked again and again until it says so
   * @throws TestServerException if the server ends, the limit is reached or the thread is
   *     interrupted; the message has what the server has logged
   */
  void start(Duration limit, BooleanSupplier ready);

  /** Asks the server to end, paused or not; kills it if it has not ended when the grace is over. */
  void stop(Duration grace);

  /**
   * Suspends the server.
   *
   * @throws IllegalStateException if the server is not running
   */
  void pause();

  /** Continues a paused server. */
  void resume();

  /** Kills the server, paused or not. */
  void kill();

  /** Ends the server and removes what it has left. */
  @Override
  void close();
}
