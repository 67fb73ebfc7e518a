package dev.interlock.testservers;

import static org.junit.jupiter.api.Assumptions.abort;

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
