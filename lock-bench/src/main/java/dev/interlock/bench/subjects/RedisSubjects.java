package dev.interlock.bench.subjects;

import dev.interlock.Capability;
import dev.interlock.Locks;
import dev.interlock.ProviderInfo;
import dev.interlock.measure.SectionClient;
import dev.interlock.measure.floor.RedisFloor;
import dev.interlock.measure.peers.RedissonKind;
import dev.interlock.measure.peers.RedissonLocks;
import dev.interlock.measure.peers.SpringRedisLocks;
import dev.interlock.measure.peers.Versions;
import dev.interlock.measure.server.ServerAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** What is measured on Redis: the floor, the peers, and every provider on the class path. */
public final class RedisSubjects {
  public static final String REDISSON = "redisson";
  public static final String SPRING_PUBSUB = "spring-pubsub";
  public static final String SETNX = "redis-setnx";

  private RedisSubjects() {}

  static List<Subject> all() {
    List<Subject> all = new ArrayList<>();
    all.add(new Subject(
        Subjects.FLOOR,
        "raw floor: SET NX PX + EVALSHA",
        Subject.Kind.FLOOR,
        Versions.jedis(),
        RedisFloor::new));
    all.add(redisson(REDISSON, "Redisson RLock", RedissonKind.PLAIN));
    all.add(redisson("redisson-fair", "Redisson fair lock", RedissonKind.FAIR));
    all.add(redisson("redisson-spin", "Redisson spin lock", RedissonKind.SPIN));
    all.add(spring(SPRING_PUBSUB, "Spring RedisLockRegistry, Pub/Sub", SpringRedisLocks::pubSub));
    all.add(spring("spring-spin", "Spring RedisLockRegistry, spin", SpringRedisLocks::spin));
    for (ProviderInfo provider : Locks.providers()) {
      if (provider.id().startsWith("redis-")) {
        all.add(InterlockSubject.asDefault(provider, ""));
        if (provider.capabilities().contains(Capability.FAIR)) {
          all.add(InterlockSubject.fair(provider, true, ""));
        }
      }
    }
    return List.copyOf(all);
  }

  private static Subject redisson(String id, String label, RedissonKind kind) {
    return new Subject(
        id,
        label,
        Subject.Kind.PEER,
        Versions.redisson(),
        (server, threads) -> new RedissonLocks(server, kind, false));
  }

  private static Subject spring(
      String id, String label, Function<ServerAddress, SectionClient> opener) {
    return new Subject(
        id,
        label,
        Subject.Kind.PEER,
        Versions.springIntegration(),
        (server, threads) -> opener.apply(server));
  }
}
