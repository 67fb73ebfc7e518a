package dev.interlock.compare.peers;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import dev.interlock.tck.ClientSource;
import java.util.Set;

/** Redisson's fair lock. Immutable. */
public final class RedissonFairLockSource implements ClientSource {

  /** For the kit. */
  public RedissonFairLockSource() {}

  @Override
  public String id() {
    return "redisson-fair";
  }

  @Override
  public String version() {
    return RedissonLocks.version();
  }

  @Override
  public Set<Capability> capabilities() {
    return RedissonKind.FAIR.capabilities();
  }

  @Override
  public LockClient open(String uri) {
    return RedissonLocks.open(uri, RedissonKind.FAIR);
  }
}
