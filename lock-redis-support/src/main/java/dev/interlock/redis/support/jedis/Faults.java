package dev.interlock.redis.support.jedis;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.redis.support.RedisErrors;
import java.util.Set;
import redis.clients.jedis.exceptions.JedisDataException;

/** Tells what Jedis throws apart: what the server answered, and what it did not. */
final class Faults {
  private static final Set<String> WRONG_WAY = Set.of("READONLY", "MASTERDOWN", "NOAUTH");

  private Faults() {}

  /** A connection could not be opened, so nothing was sent. */
  static BackendUnavailableException connecting(String address, Exception cause) {
    return cause instanceof JedisDataException
        ? RedisErrors.refusedConnection(address, String.valueOf(cause.getMessage()), cause)
        : RedisErrors.noConnection(address, reason(cause), cause);
  }

  /** What became of a command that failed once it was on its way. */
  static LockException of(String action, String address, RuntimeException cause) {
    return cause instanceof JedisDataException answer
        ? RedisErrors.refused(action, address, String.valueOf(answer.getMessage()), answer)
        : RedisErrors.noAnswer(action, address, reason(cause), cause);
  }

  /**
   * Whether the connection is of use after this answer: it may lead to the wrong server or user.
   */
  static boolean isInOrder(JedisDataException answer) {
    return !WRONG_WAY.contains(RedisErrors.code(String.valueOf(answer.getMessage())));
  }

  static String reason(Throwable cause) {
    Throwable[] suppressed = RedisErrors.root(cause).getSuppressed();
    // Where Jedis puts why each address failed.
    return suppressed.length > 0 ? reason(suppressed[0]) : RedisErrors.reason(cause);
  }
}
