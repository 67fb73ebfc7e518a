package dev.interlock.bench;

import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/** A Redis or Valkey server. */
final class MeasuredRedis implements MeasuredServer {
  private static final String COMMAND = "cmdstat_";

  private final RedisClient redis;

  private MeasuredRedis(RedisClient redis) {
    this.redis = redis;
  }

  /**
   * Connects.
   *
   * @throws ServerUnavailableException if the server does not answer, or refuses
   */
  static MeasuredRedis open(ServerAddress server) {
    RedisClient redis = RedisFloor.pool(server, 1);
    try {
      redis.ping();
      return new MeasuredRedis(redis);
    } catch (JedisException e) {
      redis.close();
      throw new ServerUnavailableException(
          "Redis at " + server + " cannot be used: " + e.getMessage(), e);
    }
  }

  @Override
  public Map<String, Long> commands() {
    return parseCommands(redis.info("commandstats"));
  }

  static Map<String, Long> parseCommands(String info) {
    Map<String, Long> calls = new TreeMap<>();
    for (String line : info.lines().toList()) {
      int colon = line.indexOf(':');
      if (line.startsWith(COMMAND) && colon > 0) {
        String name = line.substring(COMMAND.length(), colon);
        String first = line.substring(colon + 1).split(",", 2)[0];
        calls.put(name, Long.parseLong(first.substring("calls=".length())));
      }
    }
    // Our own question is no part of what it asks about.
    calls.remove("info");
    return calls;
  }

  @Override
  public String version() {
    Map<String, String> fields = fields("server");
    if (fields.containsKey("valkey_version")) {
      return "Valkey " + fields.get("valkey_version");
    }
    return "Redis " + fields.getOrDefault("redis_version", "of an unknown version");
  }

  @Override
  public OptionalLong cpuMicros() {
    Map<String, String> fields = fields("cpu");
    String user = fields.get("used_cpu_user");
    String system = fields.get("used_cpu_sys");
    return user == null || system == null
        ? OptionalLong.empty()
        : OptionalLong.of(
            Math.round((Double.parseDouble(user) + Double.parseDouble(system)) * 1e6));
  }

  private Map<String, String> fields(String section) {
    Map<String, String> fields = new TreeMap<>();
    for (String line : redis.info(section).lines().toList()) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        fields.put(line.substring(0, colon), line.substring(colon + 1));
      }
    }
    return fields;
  }

  @Override
  public void close() {
    redis.close();
  }
}
