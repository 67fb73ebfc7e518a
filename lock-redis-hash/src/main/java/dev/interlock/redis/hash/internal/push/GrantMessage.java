package dev.interlock.redis.hash.internal.push;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The message by which a script tells a client that one of its waiters has the lock: {@code h}, the
 * 32 digits of the id, then token, number of tokens, lease in milliseconds, the server's time in
 * microseconds and the number of heirs, each followed by a blank, then the 32 digits of each heir's
 * id, then the name, which may hold anything.
 *
 * @param grant what was granted
 * @param serverMicros when, by the server's clock
 */
record GrantMessage(Grant grant, long serverMicros) {
  private static final int ID_DIGITS = 32;
  private static final int ID_END = 1 + ID_DIGITS;
  private static final int NUMBERS = 5;

  static boolean isOne(byte[] message) {
    return message.length > ID_END && message[0] == 'h';
  }

  /** Empty if it is garbled. */
  static Optional<GrantMessage> parse(byte[] message) {
    try {
      HoldId id = id(message, 1);
      long[] numbers = new long[NUMBERS];
      int from = ID_END;
      for (int i = 0; i < NUMBERS; i++) {
        int blank = from;
        while (message[blank] != ' ') {
          blank++;
        }
        numbers[i] = Long.parseLong(new String(message, from, blank - from, ISO_8859_1));
        from = blank + 1;
      }
      List<HoldId> heirs = new ArrayList<>();
      for (long left = numbers[4]; left > 0; left--) {
        heirs.add(id(message, from));
        from += ID_DIGITS;
      }
      String name = new String(message, from, message.length - from, UTF_8);
      return Optional.of(new GrantMessage(
          Grant.of(name, id, numbers[0], Duration.ofMillis(numbers[2]))
              .withTokens(Math.toIntExact(numbers[1]))
              .withHeirs(heirs),
          numbers[3]));
    } catch (IllegalArgumentException | ArithmeticException | IndexOutOfBoundsException e) {
      return Optional.empty();
    }
  }

  private static HoldId id(byte[] message, int from) {
    return HoldId.parse(new String(message, from, ID_DIGITS, ISO_8859_1));
  }
}
