package dev.interlock.redis.setnx;

import dev.interlock.redis.support.contract.SentinelContract;

/** Locks in a Sentinel set. */
class SentinelTest extends SentinelContract {
  @Override
  protected String provider() {
    return RedisSetnxProvider.ID;
  }
}
