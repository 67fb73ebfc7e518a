package dev.interlock.measure.peers;

import dev.interlock.Capability;
import java.util.Set;
import org.redisson.api.RedissonClient;

/** Which of Redisson's locks. */
public enum RedissonKind {
  /** {@code RLock}. */
  PLAIN,
  /** The fair lock. */
  FAIR,
  /** The fenced lock. */
  FENCED,
  /** The spin lock, which polls. */
  SPIN;

  /** What the lock promises. */
  public Set<Capability> capabilities() {
    return switch (this) {
      case PLAIN -> Set.of(Capability.RENEWABLE, Capability.PUSH);
      case FAIR -> Set.of(Capability.RENEWABLE, Capability.PUSH, Capability.FAIR);
      case FENCED -> Set.of(Capability.RENEWABLE, Capability.PUSH, Capability.FENCED);
      case SPIN -> Set.of(Capability.RENEWABLE);
    };
  }

  PeerLock lock(RedissonClient client, String name) {
    return switch (this) {
      case PLAIN -> new RedissonLock(client.getLock(name));
      case FAIR -> new RedissonLock(client.getFairLock(name));
      case FENCED -> new RedissonFencedLock(client.getFencedLock(name));
      case SPIN -> new RedissonLock(client.getSpinLock(name));
    };
  }
}
