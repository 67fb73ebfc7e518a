package dev.interlock.testservers.internal.redis;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.interlock.testservers.RedisServerBuilder;
import dev.interlock.testservers.RedisSource;
import dev.interlock.testservers.TestRedis;
import dev.interlock.testservers.internal.source.DockerDaemon;
import dev.interlock.testservers.internal.source.SourceUnavailableException;

/** The container; skipped where no Docker daemon answers, or none has the image or can pull it. */
class DockerRedisTest extends RedisServerContract {

  @Override
  RedisServerBuilder builder() {
    try {
      DockerDaemon.require(
          DockerDaemon.usualAddresses(), RedisSources.ofThisJvm().image());
    } catch (SourceUnavailableException e) {
      abort(e.getMessage());
    }
    return TestRedis.builder().from(RedisSource.DOCKER);
  }
}
