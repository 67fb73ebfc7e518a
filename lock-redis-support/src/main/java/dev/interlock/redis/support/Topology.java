package dev.interlock.redis.support;

/** What stands behind the hosts of a URI. */
public enum Topology {
  /** One server. */
  SINGLE,

  /** Sentinels, which know where the master is. */
  SENTINEL,

  /** Nodes of a cluster. */
  CLUSTER
}
