package dev.interlock.fencing.jdbc;

import dev.interlock.LockException;
import java.io.Serial;

/**
 * A later holder of the lock has written already: roll the transaction back and stop the work. The
 * lease that it was done under is lost, whether the client has noticed or not.
 */
public final class StaleTokenException extends LockException {
  @Serial
  private static final long serialVersionUID = 1L;

  private final String name;
  private final long fencingToken;

  StaleTokenException(String message, String name, long fencingToken) {
    super(message);
    this.name = name;
    this.fencingToken = fencingToken;
  }

  /**
   * Returns what was to be written under.
   *
   * @return the name of the lock
   */
  public String name() {
    return name;
  }

  /**
   * Returns the token that came too late.
   *
   * @return the token
   */
  public long fencingToken() {
    return fencingToken;
  }
}
