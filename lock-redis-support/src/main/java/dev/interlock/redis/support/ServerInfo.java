package dev.interlock.redis.support;

import dev.interlock.BackendUnavailableException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What INFO says of a server.
 *
 * @param product name and version, such as "Redis 7.0.15" or "Valkey 8.1.1"
 * @param role "master", "slave" or "" if unknown
 * @param replicas how many follow it
 * @param evictionRisk what is wrong with the eviction settings, if locks may be evicted
 */
public record ServerInfo(String product, String role, int replicas, Optional<String> evictionRisk) {
  private static final Logger LOG = System.getLogger(ServerInfo.class.getName());

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
   * A user who is not let ask can have locks all the same.
   *
   * @param refusal what the client library threw
   * @return that nothing is known
   */
  public static ServerInfo denied(Exception refusal) {
    LOG.log(Level.DEBUG, "INFO is denied", refusal);
    return parse("");
  }

  /**
   * Warns of what may cost locks.
   *
   * @param address host and port
   * @param neededReplicas how many must have each grant
   * @param anyNode whether any node of a cluster may have answered, also a replica
   * @throws BackendUnavailableException if it is a replica, which takes no locks
   */
  public void requireFit(String address, int neededReplicas, boolean anyNode) {
    if (role.equals("slave") && !anyNode) {
      throw new BackendUnavailableException("Redis at " + address
          + " is a replica and takes no locks: give the address of the master");
    }
    Stream.of(evictionRisk, replicaRisk(neededReplicas))
        .flatMap(Optional::stream)
        .forEach(risk -> LOG.log(Level.WARNING, "Redis at " + address + ": " + risk));
  }

  /** What is wrong if grants need more replicas than follow this server now. */
  Optional<String> replicaRisk(int needed) {
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
