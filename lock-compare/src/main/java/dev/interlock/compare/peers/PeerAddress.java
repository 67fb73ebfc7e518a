package dev.interlock.compare.peers;

import dev.interlock.LockConfigurationException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/**
 * Where a URI leads to.
 *
 * @param path what comes behind the port, without the slash
 */
record PeerAddress(
    String host, int port, Optional<String> user, Optional<String> password, String path) {

  /** Reads a URI with a port. */
  static PeerAddress of(String uri) {
    try {
      URI parsed = new URI(uri);
      String host = parsed.getHost();
      if (host == null || parsed.getPort() < 0) {
        throw new LockConfigurationException("A peer's URI needs a host and a port.");
      }
      String info = parsed.getUserInfo() == null ? "" : parsed.getUserInfo();
      int colon = info.indexOf(':');
      String user = colon < 0 ? info : info.substring(0, colon);
      String password = colon < 0 ? "" : info.substring(colon + 1);
      String path = parsed.getPath() == null ? "" : parsed.getPath().replaceFirst("^/", "");
      return new PeerAddress(host, parsed.getPort(), present(user), present(password), path);
    } catch (URISyntaxException e) {
      // Without the cause, which repeats the URI and a password in it.
      throw new LockConfigurationException("A peer's URI is malformed.");
    }
  }

  private static Optional<String> present(String text) {
    return Optional.of(text).filter(some -> !some.isEmpty());
  }

  int database() {
    return path.isEmpty() ? 0 : Integer.parseInt(path);
  }
}
