package dev.interlock.redis.watch;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.contract.JedisLocksContract;
import redis.clients.jedis.Connection;
import redis.clients.jedis.util.Pool;

/** The contract, through the entry class of this provider. */
class RedisWatchLocksTest extends JedisLocksContract {
  @Override
  protected String provider() {
    return RedisWatchProvider.ID;
  }

  @Override
  protected LockClient using(Pool<Connection> pool) {
    return RedisWatchLocks.using(pool);
  }

  @Override
  protected LockClient using(Pool<Connection> pool, LockConfig config) {
    return RedisWatchLocks.using(pool, config);
  }
}
