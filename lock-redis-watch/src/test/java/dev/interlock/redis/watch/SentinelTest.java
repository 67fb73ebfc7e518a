package dev.interlock.redis.watch;

import dev.interlock.redis.support.contract.SentinelContract;
import org.junit.jupiter.api.Tag;

/** Locks in a Sentinel set. */
@Tag("thorough")
class SentinelTest extends SentinelContract {
  @Override
  protected String provider() {
    return RedisWatchProvider.ID;
  }
}
