package dev.interlock;

import java.util.OptionalInt;

/**
 * A server's address in a URI.
 *
 * @param host a name or an address, IPv6 without its brackets
 * @param port from 1 to 65535; empty for the provider's default
 */
public record HostPort(String host, OptionalInt port) {

  /**
   * Creates an address with a port.
   *
   * @param host a name or an address
   * @param port from 1 to 65535
   * @return the address
   */
  public static HostPort of(String host, int port) {
    return new HostPort(host, OptionalInt.of(port));
  }

  /** Checks host and port. */
  public HostPort {
    if (host.isBlank()) {
      throw new IllegalArgumentException("the host is empty");
    }
    if (port.isPresent() && (port.getAsInt() < 1 || port.getAsInt() > 65_535)) {
      throw new IllegalArgumentException("the port is " + port.getAsInt() + ": 1 to 65535");
    }
  }

  /** Returns host and port as in a URI. */
  @Override
  public String toString() {
    String printed = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return port.isPresent() ? printed + ":" + port.getAsInt() : printed;
  }
}
