package dev.interlock.redis.setnx;

import dev.interlock.redis.support.contract.ClusterContract;

/** Locks in a cluster. */
class ClusterTest extends ClusterContract {
  @Override
  protected String provider() {
    return RedisSetnxProvider.ID;
  }
}
