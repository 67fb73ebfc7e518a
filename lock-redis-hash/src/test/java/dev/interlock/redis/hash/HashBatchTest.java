package dev.interlock.redis.hash;

import dev.interlock.redis.support.contract.BatchContract;

class HashBatchTest extends BatchContract {
  @Override
  protected String provider() {
    return RedisHashProvider.ID;
  }
}
