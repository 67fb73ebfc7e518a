package dev.interlock.redis.hash.internal.connection;

import io.lettuce.core.RedisException;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.RedisCommand;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CancellationException;

/**
 * A command that ends its connection if Lettuce itself fails over it, as without memory. An answer
 * belongs to a command by its place only. After such a failure Lettuce 6 may go on with one command
 * too few or too many, and give each answer to the wrong one: an attempt would hear that it has a
 * lock that another one got. Lettuce tells of a failure on the thread that reads the answers, so
 * none is read after the connection was closed here.
 */
final class CommandInStep<T> extends CommandWrapper<byte[], byte[], T> {
  private static final Logger LOG = System.getLogger(CommandInStep.class.getName());

  private final Runnable disconnect;

  /**
   * Wraps a command.
   *
   * @param disconnect closes the connection that it was sent over, on the calling thread
   */
  CommandInStep(RedisCommand<byte[], byte[], T> command, Runnable disconnect) {
    super(command);
    this.disconnect = disconnect;
  }

  /** Also of a command that nobody awaits any more. */
  @Override
  public boolean completeExceptionally(Throwable failure) {
    if (isOfConnection(failure)) {
      return super.completeExceptionally(failure);
    }
    try {
      disconnect.run();
    } finally {
      super.completeExceptionally(failure);
    }
    LOG.log(
        Level.WARNING,
        "A connection to Redis is closed, since its answers may not be in their places any more",
        failure);
    return true;
  }

  /** What the server answered, or that the connection broke, or is not there or not to be had. */
  private static boolean isOfConnection(Throwable failure) {
    for (Throwable at = failure; at != null; at = at.getCause()) {
      if (at instanceof RedisException
          || at instanceof IOException
          || at instanceof CancellationException) {
        return true;
      }
    }
    return false;
  }
}
