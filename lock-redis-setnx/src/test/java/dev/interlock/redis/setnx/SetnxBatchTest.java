package dev.interlock.redis.setnx;

import dev.interlock.redis.support.contract.BatchContract;

class SetnxBatchTest extends BatchContract {
  @Override
  protected String provider() {
    return RedisSetnxProvider.ID;
  }
}
