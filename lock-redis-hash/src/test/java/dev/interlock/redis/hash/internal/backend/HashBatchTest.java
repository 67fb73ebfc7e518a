package dev.interlock.redis.hash.internal.backend;

import dev.interlock.redis.support.contract.BatchContract;

class HashBatchTest extends BatchContract {
  @Override
  protected String provider() {
    return "redis-hash";
  }
}
