package dev.interlock.redis.watch;

import dev.interlock.redis.support.contract.ClusterContract;

/** Locks in a cluster. */
class ClusterTest extends ClusterContract {
  @Override
  protected String provider() {
    return RedisWatchProvider.ID;
  }
}
