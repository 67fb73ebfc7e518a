package dev.interlock.redis.support.jedis;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.support.RedisErrors;
import java.net.SocketTimeoutException;
import java.util.Set;
import redis.clients.jedis.exceptions.JedisDataException;

/** Words and types for what goes wrong between this client and the server. No secret is in them. */
final class Faults {
  private static final Set<String> WRONG_WAY = Set.of("READONLY", "MASTERDOWN", "NOAUTH");

  private Faults() {}

  /** A connection could not be opened, so nothing was sent. */
  static BackendUnavailableException connecting(String address, Exception cause) {
    if (cause instanceof JedisDataException) {
      return RedisErrors.refusedConnection(address, String.valueOf(cause.getMessage()), cause);
    }
    return new BackendUnavailableException(
        "Cannot connect to Redis at " + address + ": " + reason(cause)
            + ". Check host, port and tls, and that the server runs",
        cause);
  }

  /** The server answered with an error: nothing was changed, as a rule. */
  static LockException refused(String action, String address, JedisDataException answer) {
    return RedisErrors.refused(action, address, String.valueOf(answer.getMessage()), answer);
  }

  /**
   * Whether the connection is of use after this answer: it may lead to the wrong server or user.
   */
  static boolean isInOrder(JedisDataException answer) {
    return !WRONG_WAY.contains(RedisErrors.code(String.valueOf(answer.getMessage())));
  }

  /** The command may have run: the connection broke, or no answer came in time. */
  static OutcomeUnknownException noAnswer(String action, String address, RuntimeException cause) {
    return new OutcomeUnknownException(
        "Redis at " + address + " did not answer to " + action + ": " + reason(cause), cause);
  }

  static String reason(Throwable cause) {
    Throwable root = cause;
    while (true) {
      Throwable deeper = root.getCause();
      if (deeper == null && root.getSuppressed().length > 0) {
        deeper = root.getSuppressed()[0]; // where Jedis puts why each address failed
      }
      if (deeper == null) {
        break;
      }
      root = deeper;
    }
    if (root instanceof SocketTimeoutException) {
      return "no answer in time (" + root.getMessage() + ")";
    }
    return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
  }
}
