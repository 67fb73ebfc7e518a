package dev.interlock.redis.watch;

import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.contract.ForeignKeysContract;

/** Other software uses a lock's keys. */
class ForeignKeysTest extends ForeignKeysContract {
  @Override
  protected String provider() {
    return RedisWatchProvider.ID;
  }

  @Override
  protected byte[] counter(LockKeys keys) {
    return CommandWords.counter(keys);
  }
}
