package dev.interlock.redis.watch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Answers of the server, by the place of their commands.
 *
 * @param list as Jedis reads them
 */
record Replies(List<?> list) {
  private static final long MICROS_PER_SECOND = 1_000_000;

  byte @Nullable [] bytes(int index) {
    return (byte[]) list.get(index);
  }

  /** Why the server refused this one, if it did. */
  @Nullable
  JedisDataException refusal(int index) {
    return list.get(index) instanceof JedisDataException refusal ? refusal : null;
  }

  boolean isNull(int index) {
    return list.get(index) == null;
  }

  /** A number in any of the forms that the two protocols have for it. */
  long number(int index) {
    return number(list.get(index));
  }

  /** The answer to TIME, in microseconds since 1970. */
  long micros(int index) {
    List<?> time = (List<?>) list.get(index);
    return number(time.get(0)) * MICROS_PER_SECOND + number(time.get(1));
  }

  /** The first element of an answer that is a list; null if it has none. */
  byte @Nullable [] first(int index) {
    List<?> elements = (List<?>) list.get(index);
    return elements.isEmpty() ? null : (byte[]) elements.get(0);
  }

  private static long number(@Nullable Object reply) {
    if (reply instanceof Number number) {
      return number.longValue();
    }
    if (reply instanceof byte[] digits) {
      return Long.parseLong(new String(digits, ISO_8859_1));
    }
    throw new IllegalStateException("unexpected answer of Redis: " + reply);
  }
}
