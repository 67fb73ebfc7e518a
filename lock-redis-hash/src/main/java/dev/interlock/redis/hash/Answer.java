package dev.interlock.redis.hash;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The answer of a script: numbers and words with a blank between them, read one after the other.
 * Not thread-safe.
 */
final class Answer {
  private final byte[] bytes;
  private final boolean repeated;
  private int at;

  Answer(byte[] bytes) {
    this(bytes, false);
  }

  Answer(byte[] bytes, boolean repeated) {
    this.bytes = bytes;
    this.repeated = repeated;
  }

  /** Whether the script may have run before, unasked, and this is what it found the second time. */
  boolean isRepeated() {
    return repeated;
  }

  boolean isOver() {
    return at >= bytes.length;
  }

  String word() {
    int from = at;
    while (at < bytes.length && bytes[at] != ' ') {
      at++;
    }
    String word = new String(bytes, from, at - from, ISO_8859_1);
    at++;
    return word;
  }

  long number() {
    return Long.parseLong(word());
  }

  int smallNumber() {
    return Math.toIntExact(number());
  }

  boolean flag() {
    return number() != 0;
  }

  /** The next so many bytes, which may be anything; no blank follows them. */
  String text(int length) {
    String text = new String(bytes, at, length, UTF_8);
    at += length;
    return text;
  }
}
