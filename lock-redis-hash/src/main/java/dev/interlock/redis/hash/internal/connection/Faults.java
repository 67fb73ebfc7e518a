package dev.interlock.redis.hash.internal.connection;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.support.RedisErrors;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.PartitionException;
import java.util.Set;

/** Tells what Lettuce throws apart: what the server answered, and what it did not. */
public final class Faults {
  /** What a node of a cluster answers to who takes it for the only server. */
  private static final Set<String> OF_NODE = Set.of("ASK", "CROSSSLOT", "MOVED");

  private Faults() {}

  /** A connection could not be opened, so nothing was sent. */
  static BackendUnavailableException connecting(String address, Exception cause) {
    for (Throwable at = cause; at != null; at = at.getCause()) {
      if (at instanceof RedisCommandExecutionException refusal) {
        return RedisErrors.refusedConnection(address, String.valueOf(refusal.getMessage()), cause);
      }
    }
    return RedisErrors.noConnection(address, RedisErrors.reason(cause), cause);
  }

  /** There is no connection at this moment, so nothing was sent. */
  public static BackendUnavailableException disconnected(String action, String address) {
    return new BackendUnavailableException(
        "Redis at " + address + " is not connected, so it cannot be asked to " + action);
  }

  /** Lettuce had no connection for it, or did not know which node to send it to. */
  public static BackendUnavailableException unsent(
      String action, String address, RedisException cause) {
    if (cause instanceof RedisConnectionException) {
      return connecting(address, cause);
    }
    return cause instanceof PartitionException
        ? new BackendUnavailableException(
            "Redis at " + address + " was not asked to " + action + ": " + cause.getMessage(),
            cause)
        : disconnected(action, address);
  }

  /** The same of a command that was sent before, and may have been executed then. */
  public static OutcomeUnknownException repeated(LockException fault) {
    return new OutcomeUnknownException(
        "What was sent may have run before the connection broke: " + fault.getMessage(),
        fault.getCause());
  }

  /** A script was answered with an error. */
  public static LockException refused(
      String action, Connections connections, RedisCommandExecutionException answer) {
    String text = String.valueOf(answer.getMessage());
    if (!connections.isCluster() && OF_NODE.contains(RedisErrors.code(text))) {
      return new BackendUnavailableException(
          "Redis at " + connections.address()
              + " is a node of a cluster and does not have all keys (" + text
              + "): add topology=cluster, or give a RedisClusterClient",
          answer);
    }
    return of(action, connections.address(), answer);
  }

  /** What became of a command that failed after it was handed to Lettuce. */
  public static LockException of(String action, String address, Throwable cause) {
    return cause instanceof RedisCommandExecutionException answer
        ? RedisErrors.refused(action, address, String.valueOf(answer.getMessage()), answer)
        : RedisErrors.noAnswer(action, address, RedisErrors.reason(cause), cause);
  }
}
