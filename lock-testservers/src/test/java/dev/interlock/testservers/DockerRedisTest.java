package dev.interlock.testservers;

import static org.junit.jupiter.api.Assumptions.abort;

/** The container; skipped where no Docker daemon answers. */
class DockerRedisTest extends RedisServerContract {

  @Override
  RedisServerBuilder builder() {
    if (DockerDaemon.usualAddresses().stream().noneMatch(DockerDaemon::answers)) {
      abort("no Docker daemon answers at any of " + DockerDaemon.usualAddresses());
    }
    return TestRedis.builder().from(RedisSource.DOCKER);
  }
}
