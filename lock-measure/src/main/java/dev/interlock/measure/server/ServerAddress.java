package dev.interlock.measure.server;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the server is, in the form that each library wants it. Shows no password in
 * {@link #toString()}.
 */
public final class ServerAddress {
  private final ServerKind kind;
  private final String host;
  private final int port;
  private final @Nullable String rawUserInfo;
  private final String database;

  private ServerAddress(
      ServerKind kind, String host, int port, @Nullable String rawUserInfo, String database) {
    this.kind = kind;
    this.host = host;
    this.port = port;
    this.rawUserInfo = rawUserInfo;
    this.database = database;
  }

  /**
   * Reads an address.
   *
   * @param kind whose form it must have
   * @throws IllegalArgumentException if it has not; does not repeat the text, which may hold a
   *     password
   */
  public static ServerAddress parse(ServerKind kind, String text) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      // Its message would repeat the text, and so would the cause in a stack trace.
      throw wrong(kind, "it is not a URI");
    }
    String host = uri.getHost();
    if (!kind.scheme().equals(uri.getScheme())) {
      throw wrong(kind, "the scheme is not " + kind.scheme());
    }
    if (host == null) {
      throw wrong(kind, "there is no host");
    }
    if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
      throw wrong(kind, "there are options, which the other libraries would not see");
    }
    int port = uri.getPort() == -1 ? kind.port() : uri.getPort();
    return new ServerAddress(
        kind, host, port, uri.getRawUserInfo(), database(kind, uri.getRawPath()));
  }

  private static String database(ServerKind kind, @Nullable String path) {
    String name = path == null || path.length() < 2 ? kind.defaultDatabase() : path.substring(1);
    if (!kind.isDatabase(name)) {
      throw wrong(kind, "that is no database");
    }
    return name;
  }

  private static IllegalArgumentException wrong(ServerKind kind, String what) {
    return new IllegalArgumentException(
        "The server's address is wrong: " + what + ". Give it as " + kind.form());
  }

  public ServerKind kind() {
    return kind;
  }

  public String host() {
    return host;
  }

  public int port() {
    return port;
  }

  public String database() {
    return database;
  }

  public Optional<String> user() {
    return Optional.ofNullable(rawUserInfo)
        .map(info -> info.substring(0, Math.max(0, info.indexOf(':'))))
        .filter(user -> !user.isEmpty())
        .map(ServerAddress::decode);
  }

  public Optional<String> password() {
    return Optional.ofNullable(rawUserInfo)
        .map(info -> info.substring(info.indexOf(':') + 1))
        .filter(password -> !password.isEmpty())
        .map(ServerAddress::decode);
  }

  private static String decode(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  /** The address with credentials, for another scheme. */
  public String uri(String scheme) {
    String credentials = rawUserInfo == null ? "" : rawUserInfo + "@";
    return scheme + "://" + credentials + host + ":" + port + "/" + database;
  }

  @Override
  public String toString() {
    return host + ":" + port + "/" + database;
  }
}
