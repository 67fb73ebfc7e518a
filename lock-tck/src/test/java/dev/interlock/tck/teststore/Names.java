package dev.interlock.tck.teststore;

import dev.interlock.tck.internal.rules.Collisions;
import java.math.BigDecimal;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.text.Normalizer;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/** What the {@link Store} makes of a lock's name. */
final class Names {
  private static final int NAME_END = 200;
  private static final int ESCAPED_END = 1_000;
  private static final int OWNER_END = 64;
  private static final Pattern MARKS = Pattern.compile("\\p{M}+");
  private static final Pattern NUMBER = Pattern.compile("[+-]?\\d{1,40}(\\.\\d{1,9})?");
  private static final Pattern SLASHES = Pattern.compile("//+");
  private static final Pattern DOTS = Pattern.compile("(?<=/)\\./|/$");
  private static final int FNV_BASIS = 0x811C9DC5;
  private static final int FNV_PRIME = 0x01000193;

  private Names() {}

  /**
   * Finds what a lock is kept under.
   *
   * @param known what there is already
   */
  static String key(Fault fault, String name, Set<String> known) {
    return switch (fault) {
      case FOLDS_NAMES -> name.toLowerCase(Locale.ROOT);
      case FOLDS_ACCENTS ->
        MARKS.matcher(Normalizer.normalize(name, Normalizer.Form.NFD)).replaceAll("");
      case LATIN_NAMES ->
        new String(name.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.ISO_8859_1);
      case HASHES_NAMES -> Integer.toHexString(name.hashCode());
      case CHECKSUMS_NAMES -> checksum(name);
      case LOOKUP3_NAMES ->
        Integer.toHexString(Collisions.lookup3(name.getBytes(StandardCharsets.UTF_8)));
      case ESCAPES_THEN_CUTS -> {
        String escaped = URLEncoder.encode(name, StandardCharsets.UTF_8);
        yield escaped.substring(0, Math.min(ESCAPED_END, escaped.length()));
      }
      case FNV_NAMES -> Integer.toHexString(fnv(name));
      case CUTS_NAMES_IN_FRONT -> name.substring(Math.max(0, name.length() - NAME_END));
      case CUTS_NAMES_IN_MIDDLE ->
        name.length() <= NAME_END
            ? name
            : name.substring(0, NAME_END / 2) + name.substring(name.length() - NAME_END / 2);
      case PATTERN_NAMES ->
        known.contains(name)
            ? name
            : known.stream().filter(like(name).asMatchPredicate()).findFirst().orElse(name);
      case PATHS -> DOTS.matcher(SLASHES.matcher(name).replaceAll("/")).replaceAll("");
      case PLUS_IS_BLANK -> name.replace('+', ' ');
      case UNESCAPES_NAMES -> name.replace("\\n", "\n").replace("\\\\", "\\").replace("''", "'");
      case DIGEST_ENDS -> digest(name).substring(24);
      case NUMERIC_NAMES ->
        NUMBER.matcher(name).matches()
            ? new BigDecimal(name).stripTrailingZeros().toPlainString()
            : name;
      default -> name;
    };
  }

  private static String digest(String name) {
    try {
      byte[] digest =
          MessageDigest.getInstance("MD5").digest(name.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each JVM has MD5", e);
    }
  }

  /** What an owner is compared by. */
  static String owner(Fault fault, String owner) {
    return switch (fault) {
      case FOLDS_OWNERS -> owner.toLowerCase(Locale.ROOT);
      case CUTS_OWNERS -> owner.substring(0, Math.min(OWNER_END, owner.length()));
      case LATIN_OWNERS ->
        new String(owner.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.ISO_8859_1);
      default -> owner;
    };
  }

  /** As the LIKE of SQL. */
  static Pattern like(String name) {
    String quoted = Pattern.quote(name).replace("%", "\\E.*\\Q").replace("_", "\\E.\\Q");
    return Pattern.compile(quoted, Pattern.DOTALL);
  }

  private static String checksum(String name) {
    CRC32 crc = new CRC32();
    crc.update(name.getBytes(StandardCharsets.UTF_8));
    return Long.toHexString(crc.getValue());
  }

  /** Fowler, Noll and Vo's hash of 32 bits, variant 1a. */
  private static int fnv(String name) {
    int hash = FNV_BASIS;
    for (byte one : name.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (one & 0xFF)) * FNV_PRIME;
    }
    return hash;
  }
}
