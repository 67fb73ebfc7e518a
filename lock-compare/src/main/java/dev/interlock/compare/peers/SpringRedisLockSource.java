package dev.interlock.compare.peers;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import dev.interlock.tck.ClientSource;
import java.util.Set;

/** Spring Integration's {@code RedisLockRegistry}, Pub/Sub. Immutable. */
public final class SpringRedisLockSource implements ClientSource {

  /** For the kit. */
  public SpringRedisLockSource() {}

  @Override
  public String id() {
    return "spring-redis";
  }

  @Override
  public String version() {
    return SpringRedisLocks.version();
  }

  @Override
  public Set<Capability> capabilities() {
    return SpringRedisLocks.CAPABILITIES;
  }

  @Override
  public LockClient open(String uri) {
    return SpringRedisLocks.open(uri);
  }
}
