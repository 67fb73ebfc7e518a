package dev.interlock.redis.setnx;

import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.contract.ForeignKeysContract;

/** Other software uses a lock's keys. */
class ForeignKeysTest extends ForeignKeysContract {
  @Override
  protected String provider() {
    return RedisSetnxProvider.ID;
  }

  @Override
  protected byte[] counter(LockKeys keys) {
    return keys.token();
  }
}
