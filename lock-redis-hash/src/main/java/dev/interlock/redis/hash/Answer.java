package dev.interlock.redis.hash;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;

/**
 * The answer of a script, or a part of it.
 *
 * @param parts numbers, byte strings and lists of these
 */
record Answer(List<?> parts) {
  /** The server's time in microseconds, with which every script begins its answer. */
  long now() {
    return number(0);
  }

  int size() {
    return parts.size();
  }

  long number(int index) {
    return (Long) parts.get(index);
  }

  int smallNumber(int index) {
    return (int) number(index);
  }

  String ascii(int index) {
    return new String((byte[]) parts.get(index), ISO_8859_1);
  }

  String text(int index) {
    return new String((byte[]) parts.get(index), UTF_8);
  }

  Answer part(int index) {
    return new Answer((List<?>) parts.get(index));
  }
}
