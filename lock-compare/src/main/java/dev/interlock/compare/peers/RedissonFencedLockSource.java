package dev.interlock.compare.peers;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import dev.interlock.tck.ClientSource;
import java.util.Set;

/** Redisson's fenced lock. Immutable. */
public final class RedissonFencedLockSource implements ClientSource {

  /** For the kit. */
  public RedissonFencedLockSource() {}

  @Override
  public String id() {
    return "redisson-fenced";
  }

  @Override
  public String version() {
    return RedissonLocks.version();
  }

  @Override
  public Set<Capability> capabilities() {
    return RedissonKind.FENCED.capabilities();
  }

  @Override
  public LockClient open(String uri) {
    return RedissonLocks.open(uri, RedissonKind.FENCED);
  }
}
