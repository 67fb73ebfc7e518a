package dev.interlock.spi;

import java.util.HexFormat;

/**
 * The 128-bit identity of one attempt and of the hold or queue entry that comes of it. Unique
 * across threads, JVMs and hosts, so that a repeated command can be recognised as the same one.
 *
 * @param high the upper half: the part of the client
 * @param low the lower half: the part of the attempt
 */
public record HoldId(long high, long low) {

  /**
   * Parses what {@link #toString()} wrote.
   *
   * @param text 32 hexadecimal digits
   * @return the id
   * @throws IllegalArgumentException if it is anything else
   */
  public static HoldId parse(String text) {
    if (text.length() != 32) {
      throw new IllegalArgumentException("not a hold id: " + text);
    }
    return new HoldId(
        HexFormat.fromHexDigitsToLong(text, 0, 16), HexFormat.fromHexDigitsToLong(text, 16, 32));
  }

  /** Returns 32 hexadecimal digits. */
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(high) + hex.toHexDigits(low);
  }
}
