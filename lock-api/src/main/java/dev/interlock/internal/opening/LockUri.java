package dev.interlock.internal.opening;

import dev.interlock.LockConfigurationException;
import dev.interlock.Option;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A backend's URI, taken apart. Not {@link java.net.URI}: that knows one host only, and echoes the
 * whole text, password included, when it is malformed.
 *
 * @param scheme the provider's id
 * @param parts what stands before the query, as written but decoded
 * @param query names and values in order, decoded; duplicates kept
 */
record LockUri(
    String scheme, Map<Option.Part, String> parts, List<Map.Entry<String, String>> query) {
  private static final Pattern FORM = Pattern.compile("(?<scheme>[a-z][a-z0-9-]*)://"
      + "(?:(?<user>[^/?#@:]*)(?::(?<password>[^/?#@]*))?@)?"
      + "(?<hosts>[^/?#@]*)"
      // No @ from here on: it would be the end of a password with an unencoded slash or question
      // mark, whose pieces would be taken for host, path and query, and be printed.
      + "(?:/(?<path>[^?#@]*))?"
      + "(?:\\?(?<query>[^#@]*))?");

  private static final Pattern ENCODED = Pattern.compile("(?:%[0-9a-fA-F]{2})++|%");

  /** Reads a URI. A malformed one is not echoed, because it may contain a password. */
  static LockUri parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new LockConfigurationException(
          "The lock URI is malformed (it is not repeated here because it may contain a password)."
              + " Expected provider://[user:password@][host[:port][,host...]][/path][?name=value&...],"
              + " with special characters percent-encoded (@ is %40, / is %2F)");
    }
    Map<Option.Part, String> parts = new EnumMap<>(Option.Part.class);
    put(parts, Option.Part.USER, form.group("user"));
    put(parts, Option.Part.PASSWORD, form.group("password"));
    put(parts, Option.Part.HOSTS, form.group("hosts"));
    put(parts, Option.Part.PATH, form.group("path"));
    return new LockUri(form.group("scheme"), parts, query(form.group("query")));
  }

  private static void put(Map<Option.Part, String> parts, Option.Part part, String text) {
    if (text != null && !text.isEmpty()) {
      parts.put(part, decode(text, part.name().toLowerCase(Locale.ROOT)));
    }
  }

  private static List<Map.Entry<String, String>> query(String text) {
    List<Map.Entry<String, String>> query = new ArrayList<>();
    if (text != null && !text.isEmpty()) {
      for (String pair : text.split("&", -1)) {
        int equals = pair.indexOf('=');
        String name = equals < 0 ? pair : pair.substring(0, equals);
        name = decode(name, "name of an option");
        String value = equals < 0 ? "" : pair.substring(equals + 1);
        query.add(Map.entry(name, decode(value, "option '" + name + "'")));
      }
    }
    return query;
  }

  /**
   * Not by {@link java.net.URLDecoder}, which takes a plus sign for a blank, and bytes that are no
   * UTF-8 for a replacement character.
   *
   * @param where for the message, which does not show the text: it may be a secret
   */
  private static String decode(String text, String where) {
    return ENCODED.matcher(text).replaceAll(found -> {
      try {
        byte[] bytes = HexFormat.of().withPrefix("%").parseHex(found.group());
        return Matcher.quoteReplacement(
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
      } catch (CharacterCodingException | IllegalArgumentException e) {
        throw new LockConfigurationException(
            "The %s of the lock URI cannot be decoded (it is not repeated here because it may be a"
                    .formatted(where)
                + " secret). Each % needs two hexadecimal digits behind it, and together they are"
                + " bytes of UTF-8");
      }
    });
  }

  /** Prints the scheme only. */
  @Override
  public String toString() {
    return scheme + "://...";
  }
}
