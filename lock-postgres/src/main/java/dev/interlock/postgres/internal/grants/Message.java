package dev.interlock.postgres.internal.grants;

import dev.interlock.spi.HoldId;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one client tells another. The procedure {@code release_all} tells more of the grants that it
 * makes.
 *
 * @param isGrant or else it is the end of a hold, by force
 * @param id the waiter or hold
 * @param digits the key of the lock, in hexadecimal digits
 * @param grant more about a grant; null if the waiter has to look
 */
record Message(
    boolean isGrant, HoldId id, String digits, @Nullable Told grant) {
  private static final char GRANTED = 'g';
  private static final char REVOKED = 'r';
  private static final int ID_DIGITS = 32;

  /**
   * A grant of a lock to one alone.
   *
   * @param token the first fencing token
   * @param tokens how many it has
   * @param us how long it stands, from the grant on
   * @param heirs the waiters to whom it may be passed
   */
  record Told(long token, int tokens, long us, List<HoldId> heirs) {}

  static Message granted(byte[] key, HoldId id) {
    return new Message(true, id, HexFormat.of().formatHex(key), null);
  }

  static Message revoked(byte[] key, HoldId id) {
    return new Message(false, id, HexFormat.of().formatHex(key), null);
  }

  static Message parse(String text) {
    String[] parts = text.split(" ");
    HoldId id = HoldId.parse(parts[0].substring(1, 1 + ID_DIGITS));
    String digits = parts[0].substring(1 + ID_DIGITS);
    boolean grant = text.charAt(0) == GRANTED;
    return new Message(grant, id, digits, parts.length < 4 ? null : told(id.high(), parts));
  }

  private static Told told(long client, String[] parts) {
    List<HoldId> heirs = Arrays.stream(parts)
        .skip(4)
        .map(heir -> new HoldId(client, Long.parseLong(heir)))
        .toList();
    return new Told(
        Long.parseLong(parts[1]), Integer.parseInt(parts[2]), Long.parseLong(parts[3]), heirs);
  }

  byte[] key() {
    return HexFormat.of().parseHex(digits);
  }

  /** What a client says; of a grant it says no more, and the waiter looks. */
  String text() {
    return (isGrant ? GRANTED : REVOKED) + id.toString() + digits;
  }
}
