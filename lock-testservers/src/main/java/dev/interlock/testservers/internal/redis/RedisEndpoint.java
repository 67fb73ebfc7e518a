package dev.interlock.testservers.internal.redis;

import dev.interlock.testservers.TestServerException;
import dev.interlock.testservers.internal.control.ServerEndpoint;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Where a Redis listens and how to get in.
 *
 * @param user the ACL user, if the password is not the default user's
 * @param database the number selected after connecting
 * @param tls makes the sockets, or null for plain TCP
 */
public record RedisEndpoint(
    String host,
    int port,
    @Nullable String user,
    @Nullable String password,
    int database,
    @Nullable SSLSocketFactory tls)
    implements ServerEndpoint {
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);
  private static final Duration READY_LIMIT = Duration.ofSeconds(1);
  private static final int DEFAULT_PORT = 6379;

  /** Reads {@code redis[s]://[[user]:password@]host[:port][/database]}. */
  static RedisEndpoint parse(String text) {
    try {
      URI uri = new URI(text);
      String scheme = String.valueOf(uri.getScheme());
      String host = uri.getHost();
      String path = uri.getPath();
      if ((!scheme.equals("redis") && !scheme.equals("rediss")) || host == null || path == null) {
        throw malformed();
      }
      String userInfo = uri.getRawUserInfo();
      int colon = userInfo == null ? -1 : userInfo.indexOf(':');
      return new RedisEndpoint(
          host,
          uri.getPort() == -1 ? DEFAULT_PORT : uri.getPort(),
          userInfo == null || colon <= 0 ? null : decode(userInfo.substring(0, colon)),
          userInfo == null ? null : decode(userInfo.substring(colon + 1)),
          path.length() <= 1 ? 0 : Integer.parseInt(path.substring(1)),
          scheme.equals("rediss") ? (SSLSocketFactory) SSLSocketFactory.getDefault() : null);
    } catch (URISyntaxException | NumberFormatException e) {
      throw malformed();
    }
  }

  private static TestServerException malformed() {
    // Neither the URI nor the parser's message, which quotes it: there may be a password in it.
    return new TestServerException(
        "The given Redis URI is not of the form redis[s]://[user:password@]host[:port][/database].");
  }

  String uri(String scheme) {
    String credentials = password == null
        ? ""
        : encode(user == null ? "default" : user) + ":" + encode(password) + "@";
    return scheme + "://" + credentials + host + ":" + port + (database == 0 ? "" : "/" + database);
  }

  @Override
  public String uri() {
    return uri(tls == null ? "redis" : "rediss");
  }

  String command(String... arguments) {
    try (RedisConnection connection = RedisConnection.open(this, ANSWER_LIMIT)) {
      return connection.call(arguments);
    } catch (RedisConnection.ErrorAnswer e) {
      throw new TestServerException(arguments[0] + " was answered with: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new TestServerException(
          arguments[0] + " was not answered by " + this + ": " + e.getMessage(), e);
    }
  }

  /** What INFO says of the server, or nothing if it does not answer or is still loading data. */
  Map<String, String> serverInfo() {
    try (RedisConnection connection = RedisConnection.open(this, READY_LIMIT)) {
      connection.call("PING");
      return connection
          .call("INFO", "server")
          .lines()
          .filter(line -> line.contains(":"))
          .collect(Collectors.toMap(
              line -> line.substring(0, line.indexOf(':')),
              line -> line.substring(line.indexOf(':') + 1)));
    } catch (IOException notReady) {
      return Map.of();
    }
  }

  /** Host and port, for messages; no credentials. */
  @Override
  public String toString() {
    return host + ":" + port;
  }

  /** Percent-encodes what goes into a URI. */
  public static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static String decode(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
