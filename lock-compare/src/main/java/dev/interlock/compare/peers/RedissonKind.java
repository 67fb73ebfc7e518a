package dev.interlock.compare.peers;

import dev.interlock.Capability;
import java.util.Set;
import org.redisson.api.RedissonClient;

/** Which of Redisson's locks. */
enum RedissonKind {
  PLAIN {
    @Override
    Set<Capability> capabilities() {
      return Set.of(Capability.RENEWABLE, Capability.PUSH);
    }

    @Override
    PeerLock lock(RedissonClient client, String name) {
      return new RedissonLock(client.getLock(name));
    }
  },
  FAIR {
    @Override
    Set<Capability> capabilities() {
      return Set.of(Capability.RENEWABLE, Capability.PUSH, Capability.FAIR);
    }

    @Override
    PeerLock lock(RedissonClient client, String name) {
      return new RedissonLock(client.getFairLock(name));
    }
  },
  FENCED {
    @Override
    Set<Capability> capabilities() {
      return Set.of(Capability.RENEWABLE, Capability.PUSH, Capability.FENCED);
    }

    @Override
    PeerLock lock(RedissonClient client, String name) {
      return new RedissonFencedLock(client.getFencedLock(name));
    }
  };

  abstract Set<Capability> capabilities();

  abstract PeerLock lock(RedissonClient client, String name);
}
