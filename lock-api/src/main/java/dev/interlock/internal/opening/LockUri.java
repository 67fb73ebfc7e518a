package dev.interlock.internal.opening;

import dev.interlock.LockConfigurationException;
import dev.interlock.Option;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
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
      parts.put(part, decode(text));
    }
  }

  private static List<Map.Entry<String, String>> query(String text) {
    List<Map.Entry<String, String>> query = new ArrayList<>();
    if (text != null && !text.isEmpty()) {
      for (String pair : text.split("&", -1)) {
        int equals = pair.indexOf('=');
        String name = equals < 0 ? pair : pair.substring(0, equals);
        query.add(Map.entry(decode(name), equals < 0 ? "" : decode(pair.substring(equals + 1))));
      }
    }
    return query;
  }

  private static String decode(String text) {
    try {
      // A plus sign is itself here, not a blank as in HTML forms.
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new LockConfigurationException(
          "The lock URI contains a % that is not followed by two hexadecimal digits");
    }
  }

  /** Prints the scheme only. */
  @Override
  public String toString() {
    return scheme + "://...";
  }
}
