package dev.interlock.redis.support;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What INFO says of a server.
 *
 * @param product name and version, such as "Redis 7.0.15" or "Valkey 8.1.1"
 * @param role "master", "slave" or "" if unknown
 * @param replicas how many follow it
 * @param evictionRisk what is wrong with the eviction settings, if locks may be evicted
 */
public record ServerInfo(String product, String role, int replicas, Optional<String> evictionRisk) {

  /** A server that does not let this user ask. */
  public static final ServerInfo UNKNOWN = new ServerInfo("Redis", "", 0, Optional.empty());

  /**
   * Reads the answer of INFO.
   *
   * @param info the answer, of one or of all sections
   * @return what it says
   */
  public static ServerInfo parse(String info) {
    Map<String, String> fields = new HashMap<>();
    info.lines().forEach(line -> {
      int colon = line.indexOf(':');
      if (colon > 0) {
        fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
      }
    });
    return new ServerInfo(
        product(fields),
        fields.getOrDefault("role", ""),
        Integer.parseInt(fields.getOrDefault("connected_slaves", "0")),
        evictionRisk(fields));
  }

  /**
   * Tells what is wrong if grants need more replicas than follow this server now.
   *
   * @param needed how many must have each grant
   * @return what to warn of, with the number of both
   */
  public Optional<String> replicaRisk(int needed) {
    if (!role.equals("master") || replicas >= needed) {
      return Optional.empty();
    }
    return Optional.of("the server has " + replicas + " replicas, but replicas=" + needed
        + " must have each grant: until there are as many, no lock can be had");
  }

  private static String product(Map<String, String> fields) {
    String valkey = fields.get("valkey_version");
    if (valkey != null) {
      return "Valkey " + valkey;
    }
    return ("Redis " + fields.getOrDefault("redis_version", "")).strip();
  }

  private static Optional<String> evictionRisk(Map<String, String> fields) {
    String limit = fields.getOrDefault("maxmemory", "0");
    String policy = fields.getOrDefault("maxmemory_policy", "noeviction");
    if (limit.equals("0") || policy.equals("noeviction")) {
      return Optional.empty();
    }
    return Optional.of("the server may evict held locks when memory is short (maxmemory=" + limit
        + ", maxmemory-policy=" + policy + "): set maxmemory-policy to noeviction");
  }
}
