package dev.interlock.compare.servers;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the comparison must know of a lock URI. None of its methods repeats the URI. */
public final class LockUris {
  /** The option with which a run keeps to itself. */
  static final String NAMESPACE = "namespace";

  private static final Pattern FORM =
      Pattern.compile("(?<scheme>[a-z][a-z0-9-]*)://(?<user>[^@/?]*@)?(?<hosts>[^/?]*)(?<rest>.*)");

  private static final Pattern MEMBER = Pattern.compile("[?&]member=([^&]*)");

  private LockUris() {}

  static String freshNamespace() {
    return "compare-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
  }

  /** What stands before the colon, if it is a lock URI. */
  public static Optional<String> scheme(String uri) {
    Matcher form = FORM.matcher(uri);
    return form.matches() ? Optional.of(form.group("scheme")) : Optional.empty();
  }

  /** The host, without the brackets of an IPv6 address, if there is exactly one. */
  public static Optional<String> host(String uri) {
    return hostAndPort(uri).map(text -> text.replaceFirst(":\\d+$", "").replaceAll("[\\[\\]]", ""));
  }

  /** All hosts and ports as they stand in the URI, if any do. */
  public static Optional<String> hosts(String uri) {
    Matcher form = FORM.matcher(uri);
    return form.matches()
        ? Optional.of(form.group("hosts")).filter(hosts -> !hosts.isEmpty())
        : Optional.empty();
  }

  /** The port, if one is named and there is one host. */
  public static OptionalInt port(String uri) {
    Matcher port = Pattern.compile(".*:(\\d+)$").matcher(hostAndPort(uri).orElse(""));
    return port.matches() ? OptionalInt.of(Integer.parseInt(port.group(1))) : OptionalInt.empty();
  }

  /** The URIs of a quorum's members, in their order; none if it is no quorum. */
  static List<String> members(String uri) {
    return MEMBER
        .matcher(uri)
        .results()
        .map(found -> URLDecoder.decode(found.group(1), StandardCharsets.UTF_8))
        .toList();
  }

  /** The same URI with another place to connect to. */
  public static String redirect(String uri, String hostAndPort) {
    Matcher form = FORM.matcher(uri);
    if (!form.matches()) {
      throw new IllegalArgumentException("the lock URI is malformed");
    }
    String user = form.group("user") == null ? "" : form.group("user");
    return form.group("scheme") + "://" + user + hostAndPort + form.group("rest");
  }

  /** The same URI with another account. */
  public static String withAccount(String uri, String user, String password) {
    Matcher form = FORM.matcher(uri);
    if (!form.matches()) {
      throw new IllegalArgumentException("the lock URI is malformed");
    }
    return form.group("scheme") + "://" + user + ":" + password + "@" + form.group("hosts")
        + form.group("rest");
  }

  /** Whether an option is given. */
  public static boolean hasOption(String uri, String name) {
    return uri.contains("?" + name + "=") || uri.contains("&" + name + "=");
  }

  /** The same URI with one more option. */
  public static String withOption(String uri, String name, String value) {
    return uri + (uri.contains("?") ? "&" : "?") + name + "=" + value;
  }

  private static Optional<String> hostAndPort(String uri) {
    return hosts(uri).filter(hosts -> !hosts.contains(","));
  }
}
