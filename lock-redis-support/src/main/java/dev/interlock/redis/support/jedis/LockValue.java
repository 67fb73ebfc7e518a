package dev.interlock.redis.support.jedis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.HoldInfo;
import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;

/**
 * What the key of a held lock holds, in the providers that keep it in one string.
 *
 * <p>As text: hold id, token, number of tokens, seconds and microseconds of the server's clock,
 * length of the host in bytes, host, owner, parted by single blanks except for host and owner,
 * which follow one another directly and may hold anything. The id comes first, so a script compares
 * the first 32 bytes.
 *
 * @param id the hold
 * @param token the first of its fencing tokens
 * @param tokens how many were reserved
 * @param since when the hold began, by the server's clock
 * @param owner the logical owner, or a description of the holder
 * @param host host name and process id
 */
public record LockValue(
    HoldId id, long token, int tokens, Instant since, String owner, String host) {
  private static final int FIELDS_BEFORE_HOST = 6;
  private static final Duration NO_EXPIRY = Duration.ofDays(36_500);

  /**
   * Writes the part that does not depend on the server.
   *
   * @param owner the owner
   * @param host the host
   * @return length of the host, host, owner
   */
  public static byte[] describe(String owner, String host) {
    return (host.getBytes(UTF_8).length + " " + host + owner).getBytes(UTF_8);
  }

  /**
   * Writes a value.
   *
   * @return its bytes
   */
  public byte[] encode() {
    long micros = since.getNano() / 1_000;
    String head =
        id + " " + token + " " + tokens + " " + since.getEpochSecond() + " " + micros + " ";
    byte[] fields = head.getBytes(ISO_8859_1);
    byte[] rest = describe(owner, host);
    byte[] value = Arrays.copyOf(fields, fields.length + rest.length);
    System.arraycopy(rest, 0, value, fields.length, rest.length);
    return value;
  }

  /**
   * Reads a value.
   *
   * @param bytes the value of a lock's key
   * @return empty if no provider of this kind wrote it
   */
  public static Optional<LockValue> parse(byte[] bytes) {
    int[] ends = new int[FIELDS_BEFORE_HOST];
    int from = 0;
    for (int field = 0; field < FIELDS_BEFORE_HOST; field++) {
      ends[field] = indexOfBlank(bytes, from);
      if (ends[field] < 0) {
        return Optional.empty();
      }
      from = ends[field] + 1;
    }
    try {
      return Optional.of(parse(bytes, ends));
    } catch (IllegalArgumentException | ArithmeticException | IndexOutOfBoundsException e) {
      return Optional.empty();
    }
  }

  /**
   * Tells whether a hold has a fencing token.
   *
   * @param bytes the value of a lock's key
   * @param asked the token; 0 for what no provider of this kind wrote
   * @return true if it is one of those of the hold
   */
  public static boolean hasToken(byte[] bytes, long asked) {
    return parse(bytes)
        .map(value -> value.token() <= asked && asked < value.token() + value.tokens())
        .orElse(asked == 0);
  }

  /**
   * Tells of a held lock what its key says.
   *
   * @param name the lock
   * @param bytes the value of its key
   * @param millisLeft what is left of the lease; less than 0 if it never expires
   * @param waiters how many wait
   * @return what {@link dev.interlock.LockClient#inspect} answers
   */
  public static HoldInfo describeHold(String name, byte[] bytes, long millisLeft, int waiters) {
    Duration remaining = millisLeft < 0 ? NO_EXPIRY : Duration.ofMillis(millisLeft);
    return parse(bytes)
        .map(value -> HoldInfo.of(
            name, value.owner(), value.host(), value.since(), remaining, value.token(), waiters))
        .orElseGet(() -> foreign(name, remaining, waiters));
  }

  /**
   * Tells of a lock of which the server refuses to tell anything, since other software uses its
   * keys.
   *
   * @param name the lock
   * @return what there is to say
   */
  public static HoldInfo describeForeign(String name) {
    return foreign(name, NO_EXPIRY, 0);
  }

  private static HoldInfo foreign(String name, Duration remaining, int waiters) {
    return HoldInfo.of(
        name, "unknown: set by other software", "", Instant.EPOCH, remaining, 0, waiters);
  }

  private static LockValue parse(byte[] bytes, int[] ends) {
    HoldId id = HoldId.parse(new String(bytes, 0, ends[0], ISO_8859_1));
    long token = number(bytes, ends[0], ends[1]);
    int tokens = Math.toIntExact(number(bytes, ends[1], ends[2]));
    long seconds = number(bytes, ends[2], ends[3]);
    long micros = number(bytes, ends[3], ends[4]);
    int hostLength = Math.toIntExact(number(bytes, ends[4], ends[5]));
    int hostStart = ends[5] + 1;
    int ownerStart = hostStart + hostLength;
    String host = new String(bytes, hostStart, hostLength, UTF_8);
    String owner = new String(bytes, ownerStart, bytes.length - ownerStart, UTF_8);
    Instant since = Instant.ofEpochSecond(seconds, Math.multiplyExact(micros, 1_000L));
    return new LockValue(id, token, tokens, since, owner, host);
  }

  private static int indexOfBlank(byte[] bytes, int from) {
    for (int i = from; i < bytes.length; i++) {
      if (bytes[i] == ' ') {
        return i;
      }
    }
    return -1;
  }

  private static long number(byte[] bytes, int blankBefore, int end) {
    return Long.parseLong(new String(bytes, blankBefore + 1, end - blankBefore - 1, ISO_8859_1));
  }
}
