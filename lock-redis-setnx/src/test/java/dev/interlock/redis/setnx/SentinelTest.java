package dev.interlock.redis.setnx;

import dev.interlock.redis.support.contract.SentinelContract;
import org.junit.jupiter.api.Tag;

/** Locks in a Sentinel set. */
@Tag("thorough")
class SentinelTest extends SentinelContract {
  @Override
  protected String provider() {
    return RedisSetnxProvider.ID;
  }
}
