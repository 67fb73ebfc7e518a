package dev.interlock.redis.hash;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.support.RedisErrors;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.concurrent.CancellationException;

/** Words and types for what goes wrong between this client and the server. No secret is in them. */
final class Faults {
  private Faults() {}

  /** A connection could not be opened, so nothing was sent. */
  static BackendUnavailableException connecting(String address, Exception cause) {
    for (Throwable at = cause; at != null; at = at.getCause()) {
      if (at instanceof RedisCommandExecutionException refusal) {
        return RedisErrors.refusedConnection(address, String.valueOf(refusal.getMessage()), cause);
      }
    }
    return new BackendUnavailableException(
        "Cannot connect to Redis at " + address + ": " + reason(cause)
            + ". Check host, port and tls, and that the server runs",
        cause);
  }

  /** There is no connection at this moment, so nothing was sent. */
  static BackendUnavailableException disconnected(String action, String address) {
    return new BackendUnavailableException(
        "Redis at " + address + " is not connected, so it cannot be asked to " + action);
  }

  /** What became of a command that failed after it was handed to Lettuce. */
  static LockException of(String action, String address, Throwable cause) {
    if (cause instanceof RedisCommandExecutionException answer) {
      return RedisErrors.refused(action, address, String.valueOf(answer.getMessage()), answer);
    }
    return new OutcomeUnknownException(
        "Redis at " + address + " did not answer to " + action + ": " + reason(cause), cause);
  }

  private static String reason(Throwable cause) {
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    if (root instanceof CancellationException) {
      return "the connection broke";
    }
    return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
  }
}
