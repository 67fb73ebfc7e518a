package dev.interlock.redis.watch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.Millis;
import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.Arrays;

/** Keys, numbers and ids as the commands want them. */
final class CommandWords {
  static final byte[] NX = word("NX");
  static final byte[] XX = word("XX");
  static final byte[] GT = word("GT");
  static final byte[] PX = word("PX");
  static final byte[] PXAT = word("PXAT");
  static final byte[] KEEPTTL = word("KEEPTTL");
  static final byte[] WEIGHTS = word("WEIGHTS");
  static final byte[] LEAST = word("-inf");
  static final byte[] MOST = word("+inf");
  static final byte[] ZERO = word("0");
  static final byte[] ONE = word("1");
  static final byte[] TWO = word("2");

  /** The only member of a bucket's counter, whose score is the last token that was reserved. */
  static final byte[] LAST = word("last");

  private static final byte[] COUNTER_SUFFIX = word("s");
  private static final long MICROS_PER_MILLI = 1_000;

  private CommandWords() {}

  /**
   * The counter of the bucket: a sorted set, because its score can be raised, and never lowered, in
   * one command. Not the key of the providers that keep a string there.
   */
  static byte[] counter(LockKeys keys) {
    byte[] token = keys.token();
    byte[] key = Arrays.copyOf(token, token.length + COUNTER_SUFFIX.length);
    System.arraycopy(COUNTER_SUFFIX, 0, key, token.length, COUNTER_SUFFIX.length);
    return key;
  }

  static byte[] word(String ascii) {
    return ascii.getBytes(ISO_8859_1);
  }

  static byte[] word(long number) {
    return word(Long.toString(number));
  }

  static byte[] word(HoldId id) {
    return word(id.toString());
  }

  /**
   * The last millisecond of a lease that begins now. A key expires once that one has passed, so the
   * part of a millisecond that is cut off here is not missing at the end.
   */
  static byte[] end(long nowMicros, Duration lease) {
    return word(nowMicros / MICROS_PER_MILLI + Millis.roundedUp(lease));
  }

  /** Whether a lock's value, which begins with the id of the hold, is of this hold. */
  static boolean isOf(byte[] value, byte[] id) {
    return value.length > id.length
        && value[id.length] == ' '
        && Arrays.equals(value, 0, id.length, id, 0, id.length);
  }
}
