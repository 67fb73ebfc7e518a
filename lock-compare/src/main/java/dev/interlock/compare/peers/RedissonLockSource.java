package dev.interlock.compare.peers;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import dev.interlock.tck.ClientSource;
import java.util.Set;

/** Redisson's {@code RLock}. Immutable. */
public final class RedissonLockSource implements ClientSource {

  /** For the kit. */
  public RedissonLockSource() {}

  @Override
  public String id() {
    return "redisson";
  }

  @Override
  public String version() {
    return RedissonLocks.version();
  }

  @Override
  public Set<Capability> capabilities() {
    return RedissonKind.PLAIN.capabilities();
  }

  @Override
  public LockClient open(String uri) {
    return RedissonLocks.open(uri, RedissonKind.PLAIN);
  }
}
