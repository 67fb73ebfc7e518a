package dev.interlock.redis.setnx;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.contract.JedisLocksContract;
import redis.clients.jedis.Connection;
import redis.clients.jedis.util.Pool;

/** The contract, through the entry class of this provider. */
class RedisSetnxLocksTest extends JedisLocksContract {
  @Override
  protected String provider() {
    return RedisSetnxProvider.ID;
  }

  @Override
  protected LockClient using(Pool<Connection> pool) {
    return RedisSetnxLocks.using(pool);
  }

  @Override
  protected LockClient using(Pool<Connection> pool, LockConfig config) {
    return RedisSetnxLocks.using(pool, config);
  }
}
