package dev.interlock.measure.server;

import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

/** Asks a Redis or Valkey server. */
final class RedisProbe implements ServerProbe {
  private static final String COMMAND = "cmdstat_";

  /** Our own questions are no part of what they ask about. */
  private static final Set<String> OWN = Set.of("info", "ping");

  private final RedisClient redis;

  private RedisProbe(RedisClient redis) {
    this.redis = redis;
  }

  static ServerProbe open(ServerAddress server) {
    ConnectionPoolConfig pool = new ConnectionPoolConfig();
    // The kit restarts servers and closes connections.
    pool.setTestOnBorrow(true);
    RedisClient redis = RedisPool.open(server, pool);
    try {
      redis.ping();
      return new RedisProbe(redis);
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
    calls.keySet().removeAll(OWN);
    return calls;
  }

  @Override
  public OptionalLong totalCommands() {
    return OptionalLong.of(
        commands().values().stream().mapToLong(Long::longValue).sum());
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
  public Footprint footprint(String name) {
    long bytes = 0;
    List<String> keys = keys(name);
    for (String key : keys) {
      Long usage = redis.memoryUsage(key);
      // A key may expire between the two commands.
      bytes += usage == null ? 0 : usage;
    }
    return new Footprint(keys.size(), bytes);
  }

  @Override
  public Set<String> contents(String name) {
    Set<String> contents = new TreeSet<>();
    for (String key : keys(name)) {
      byte[] value = redis.dump(key);
      if (value != null) {
        contents.add(key + "=" + HexFormat.of().formatHex(value));
      }
    }
    return contents;
  }

  /** A scan may return a key twice. */
  private List<String> keys(String name) {
    ScanParams matching = new ScanParams().match("*" + name + "*").count(1000);
    Set<String> keys = new LinkedHashSet<>();
    String cursor = ScanParams.SCAN_POINTER_START;
    do {
      ScanResult<String> found = redis.scan(cursor, matching);
      cursor = found.getCursor();
      keys.addAll(found.getResult());
    } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
    return List.copyOf(keys);
  }

  @Override
  public void close() {
    redis.close();
  }
}
