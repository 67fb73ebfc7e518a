package dev.interlock.testservers;

import java.util.Map;

/** What a server is to its clients, wherever it runs. */
abstract class RedisAtEndpoint implements RedisServer {
  private final RedisEndpoint endpoint;
  private final String origin;
  private volatile String version = "(not started)";

  RedisAtEndpoint(RedisEndpoint endpoint, String origin) {
    this.endpoint = endpoint;
    this.origin = origin;
  }

  final RedisEndpoint endpoint() {
    return endpoint;
  }

  /** Whether it answers within a second. */
  final boolean isUp() {
    return !endpoint.serverInfo().isEmpty();
  }

  /** Notes the version, which may change with a restart. */
  final void reportsItself(Map<String, String> serverInfo) {
    String valkey = serverInfo.get("valkey_version");
    version = valkey == null
        ? serverInfo.getOrDefault("redis_version", "(unknown version)")
        : "Valkey " + valkey;
  }

  @Override
  public final String host() {
    return endpoint.host();
  }

  @Override
  public final int port() {
    return endpoint.port();
  }

  @Override
  public final String uri() {
    return endpoint.uri();
  }

  @Override
  public final String uri(String scheme) {
    return endpoint.uri(scheme);
  }

  @Override
  public final String version() {
    return version;
  }

  @Override
  public final String source() {
    return origin + " " + version;
  }

  @Override
  public final String command(String... arguments) {
    return endpoint.command(arguments);
  }

  @Override
  public void restart() {
    stop();
    start();
  }

  /** Source and address; no credentials. */
  @Override
  public final String toString() {
    return source() + " at " + endpoint;
  }
}
