package dev.interlock.redis.hash.internal.script;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The answer of a script: numbers and words with a blank between them, read one after the other.
 * Not thread-safe.
 */
public final class Answer {
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
  public boolean isRepeated() {
    return repeated;
  }

  public boolean isOver() {
    return at >= bytes.length;
  }

  public String word() {
    int from = at;
    while (at < bytes.length && bytes[at] != ' ') {
      at++;
    }
    String word = new String(bytes, from, at - from, ISO_8859_1);
    at++;
    return word;
  }

  public long number() {
    return Long.parseLong(word());
  }

  public int smallNumber() {
    return Math.toIntExact(number());
  }

  public boolean flag() {
    return number() != 0;
  }

  /** The next so many bytes, which may be anything; no blank follows them. */
  public String text(int length) {
    String text = new String(bytes, at, length, UTF_8);
    at += length;
    return text;
  }
}
