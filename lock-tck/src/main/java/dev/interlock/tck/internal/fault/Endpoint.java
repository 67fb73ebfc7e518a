package dev.interlock.tck.internal.fault;

import dev.interlock.HostPort;
import dev.interlock.Option;
import java.util.List;
import java.util.Optional;

/**
 * Where a backend's URI leads to, if that is one host with a known port.
 *
 * @param before the URI up to the host
 * @param host the server's host
 * @param port the server's port
 * @param after the URI from behind the port
 */
public record Endpoint(String before, String host, int port, String after) {

  /**
   * Finds the address in a URI.
   *
   * @param options the provider's, for the default port
   * @return empty if there is no host, or more than one, or nothing tells its port
   */
  public static Optional<Endpoint> of(String uri, List<Option<?>> options) {
    int start = uri.indexOf("://") + 3;
    if (start < 3) {
      return Optional.empty();
    }
    int end = start;
    while (end < uri.length() && "/?#".indexOf(uri.charAt(end)) < 0) {
      end++;
    }
    int at = uri.lastIndexOf('@', end - 1);
    int from = at >= start ? at + 1 : start;
    String authority = uri.substring(from, end);
    if (authority.isEmpty() || authority.indexOf(',') >= 0) {
      return Optional.empty();
    }
    int colon = authority.lastIndexOf(':');
    boolean withPort = colon > authority.lastIndexOf(']');
    String host = withPort ? authority.substring(0, colon) : authority;
    Optional<Integer> port = withPort
        ? Optional.of(Integer.parseInt(authority.substring(colon + 1)))
        : defaultPort(options);
    String before = uri.substring(0, from);
    String after = uri.substring(end);
    return port.map(known -> new Endpoint(before, bare(host), known, after));
  }

  /** Returns the same URI with another address. */
  public String uriAt(String address) {
    return before + address + after;
  }

  /** Returns the same URI with another address, and with who logs in. */
  public String uriAs(String userInfo, String address) {
    return before.substring(0, before.indexOf("://") + 3) + userInfo + "@" + address + after;
  }

  /** Returns host and port as a URI has them. */
  public String address() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }

  private static String bare(String host) {
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  private static Optional<Integer> defaultPort(List<Option<?>> options) {
    for (Option<?> option : options) {
      if (option.part() == Option.Part.HOSTS
          && option.defaultValue().orElse(null) instanceof List<?> hosts
          && hosts.size() == 1
          && hosts.get(0) instanceof HostPort host
          && host.port().isPresent()) {
        return Optional.of(host.port().getAsInt());
      }
    }
    return Optional.empty();
  }
}
