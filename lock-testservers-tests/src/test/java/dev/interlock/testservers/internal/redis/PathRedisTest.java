package dev.interlock.testservers.internal.redis;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.interlock.testservers.RedisServerBuilder;
import dev.interlock.testservers.RedisSource;
import dev.interlock.testservers.TestRedis;

/** The installed program; skipped where there is none. */
class PathRedisTest extends RedisServerContract {

  @Override
  RedisServerBuilder builder() {
    if (RedisSources.ofThisJvm().onPath(RedisSources.PROGRAMS).isEmpty()) {
      abort("none of " + RedisSources.PROGRAMS + " is on the PATH of this machine");
    }
    return TestRedis.builder().from(RedisSource.PATH);
  }
}
