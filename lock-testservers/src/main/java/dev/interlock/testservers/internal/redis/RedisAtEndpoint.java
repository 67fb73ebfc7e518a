package dev.interlock.testservers.internal.redis;

import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.internal.control.ControlledServer;
import dev.interlock.testservers.internal.control.ServerControl;
import java.time.Duration;
import java.util.Map;

/** What a server is to its clients, wherever it runs. */
public abstract class RedisAtEndpoint extends ControlledServer<RedisEndpoint>
    implements RedisServer {
  private static final Duration START_LIMIT = Duration.ofSeconds(30);
  private static final Duration STOP_GRACE = Duration.ofSeconds(10);

  RedisAtEndpoint(RedisEndpoint endpoint, String origin, ServerControl control) {
    super(endpoint, origin, control, START_LIMIT, STOP_GRACE);
  }

  /** Whether it answers within a second. */
  public final boolean isUp() {
    return !endpoint().serverInfo().isEmpty();
  }

  @Override
  protected boolean answers() {
    Map<String, String> info = endpoint().serverInfo();
    if (info.isEmpty()) {
      return false;
    }
    reportsItself(info);
    return true;
  }

  final void reportsItself(Map<String, String> serverInfo) {
    String valkey = serverInfo.get("valkey_version");
    noteVersion(
        valkey == null
            ? serverInfo.getOrDefault("redis_version", "(unknown version)")
            : "Valkey " + valkey);
  }

  @Override
  public final String uri(String scheme) {
    return endpoint().uri(scheme);
  }

  @Override
  public final String command(String... arguments) {
    return endpoint().command(arguments);
  }
}
