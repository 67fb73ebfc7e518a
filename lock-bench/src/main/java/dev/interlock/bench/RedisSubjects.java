package dev.interlock.bench;

import dev.interlock.Capability;
import dev.interlock.Locks;
import dev.interlock.ProviderInfo;
import java.util.ArrayList;
import java.util.List;
import org.redisson.api.RedissonClient;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** What is measured on Redis: the floor, the peers, and every provider on the class path. */
final class RedisSubjects {
  static final String REDISSON = "redisson";
  static final String SPRING_PUBSUB = "spring-pubsub";
  static final String SETNX = "redis-setnx";

  private RedisSubjects() {}

  static List<Subject> all() {
    List<Subject> all = new ArrayList<>();
    all.add(new Subject(
        Subjects.FLOOR,
        "raw floor: SET NX PX + EVALSHA",
        Subject.Kind.FLOOR,
        Versions.jedis(),
        RedisFloor::open));
    all.add(RedissonSubject.subject(REDISSON, "Redisson RLock", RedissonClient::getLock));
    all.add(RedissonSubject.subject(
        "redisson-fair", "Redisson fair lock", RedissonClient::getFairLock));
    all.add(RedissonSubject.subject(
        "redisson-spin", "Redisson spin lock", RedissonClient::getSpinLock));
    all.add(SpringRedisSubject.subject(
        SPRING_PUBSUB, "Spring RedisLockRegistry, Pub/Sub", RedisLockType.PUB_SUB_LOCK));
    all.add(SpringRedisSubject.subject(
        "spring-spin", "Spring RedisLockRegistry, spin", RedisLockType.SPIN_LOCK));
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
}
