package dev.interlock.compare.peers;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration's registry on Redis, told of releases by Pub/Sub. A registry with a scheduler
 * renews every hold, one without renews none; so there is one without, and one with for each length
 * of lease that is to be renewed.
 */
final class SpringRedisLocks implements PeerLocks {
  static final Set<Capability> CAPABILITIES = Set.of(Capability.RENEWABLE, Capability.PUSH);

  private static final String KEY = "peer";
  // The registry's own default.
  private static final Duration DEFAULT_LEASE = Duration.ofMinutes(1);

  private final LettuceConnectionFactory connections;
  private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
  private final RedisLockRegistry registry;
  private final Map<Duration, RedisLockRegistry> renewing = new ConcurrentHashMap<>();

  private SpringRedisLocks(PeerAddress address) {
    var redis = new RedisStandaloneConfiguration(address.host(), address.port());
    redis.setDatabase(address.database());
    address.user().ifPresent(redis::setUsername);
    address.password().ifPresent(redis::setPassword);
    connections = new LettuceConnectionFactory(redis);
    connections.afterPropertiesSet();
    connections.start();
    scheduler.setDaemon(true);
    scheduler.setPoolSize(2);
    scheduler.initialize();
    registry = registry(DEFAULT_LEASE);
  }

  static String version() {
    return PeerLocks.version(RedisLockRegistry.class);
  }

  static LockClient open(String uri) {
    PeerAddress address = PeerAddress.of(uri);
    return new PeerClient(PeerErrors.callUninterruptibly(() -> new SpringRedisLocks(address)));
  }

  private RedisLockRegistry registry(Duration lease) {
    RedisLockRegistry created = new RedisLockRegistry(connections, KEY, lease);
    created.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
    return created;
  }

  @Override
  public Set<Capability> capabilities() {
    return CAPABILITIES;
  }

  @Override
  public PeerLock lock(String name) {
    return new SpringLock(registry.obtain(name), DEFAULT_LEASE, false);
  }

  @Override
  public PeerLock renewed(String name, Duration lease) {
    RedisLockRegistry chosen = renewing.computeIfAbsent(lease, length -> {
      RedisLockRegistry created = registry(length);
      created.setRenewalTaskScheduler(scheduler);
      return created;
    });
    return new SpringLock(chosen.obtain(name), lease, true);
  }

  @Override
  public void close() {
    renewing.values().forEach(RedisLockRegistry::destroy);
    registry.destroy();
    scheduler.shutdown();
    connections.destroy();
  }
}
