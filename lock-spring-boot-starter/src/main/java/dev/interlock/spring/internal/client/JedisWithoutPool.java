package dev.interlock.spring.internal.client;

/**
 * A Jedis client of the application that locks cannot use: it has a pool for each node of a
 * cluster, or follows the master that sentinels name, or does not tell its pool.
 *
 * @param bean its name
 * @param type its class
 */
record JedisWithoutPool(String bean, Class<?> type) {

  /**
   * Says why it is not used, and what to set instead.
   *
   * @param beside what else there is; empty if nothing
   * @param prefix what the names of the client's properties begin with
   */
  String message(String beside, String prefix) {
    return "the Jedis client '%s' has no pool for one server that locks could use%s: %s"
        .formatted(bean, beside, advice().formatted(prefix));
  }

  /** Whether it is for a cluster, or asks sentinels. */
  boolean hasSeveralServers() {
    return isA("Cluster") || isA("Sentinel");
  }

  /** By names, for each version of Jedis has other classes. */
  private String advice() {
    if (isA("Cluster")) {
      return "name its nodes in spring.data.redis.cluster.nodes, or in %s.uri with topology=cluster";
    }
    return isA("Sentinel")
        ? "name its sentinels in spring.data.redis.sentinel.nodes and its master in spring.data.redis.sentinel.master, or both in %s.uri with topology=sentinel&master=NAME"
        : "name its server in %s.uri";
  }

  private boolean isA(String kind) {
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      if (each.getSimpleName().contains(kind)) {
        return true;
      }
    }
    return false;
  }
}
