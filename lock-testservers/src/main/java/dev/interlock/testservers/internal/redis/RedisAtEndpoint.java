package dev.interlock.testservers.internal.redis;

import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.internal.control.ControlledServer;
import dev.interlock.testservers.internal.control.ServerControl;
import java.time.Duration;
import java.util.Map;

/** What a server is to its clients, wherever it runs. */
public abstract class RedisAtEndpoint extends ControlledServer implements RedisServer {
  private static final Duration START_LIMIT = Duration.ofSeconds(30);
  private static final Duration STOP_GRACE = Duration.ofSeconds(10);

  private final RedisEndpoint endpoint;
  private final String origin;
  private volatile String version = "(not started)";

  RedisAtEndpoint(RedisEndpoint endpoint, String origin, ServerControl control) {
    super(control, START_LIMIT, STOP_GRACE);
    this.endpoint = endpoint;
    this.origin = origin;
  }

  public final RedisEndpoint endpoint() {
    return endpoint;
  }

  /** Whether it answers within a second. */
  public final boolean isUp() {
    return !endpoint.serverInfo().isEmpty();
  }

  @Override
  protected boolean answers() {
    Map<String, String> info = endpoint.serverInfo();
    if (info.isEmpty()) {
      return false;
    }
    reportsItself(info);
    return true;
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

  /** Source and address; no credentials. */
  @Override
  public final String toString() {
    return source() + " at " + endpoint;
  }
}
