package dev.interlock.measure.peers;

import dev.interlock.Capability;
import dev.interlock.measure.server.ServerAddress;
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
 * Spring Integration's registry on Lettuce, with the settings that both have by default. A registry
 * with a scheduler renews every hold, one without renews none; so there is one without, and one
 * with for each length of lease that is to be renewed.
 */
public final class SpringRedisLocks implements PeerLocks {
  /** What the locks promise that are told of releases by Pub/Sub. */
  public static final Set<Capability> CAPABILITIES = Set.of(Capability.RENEWABLE, Capability.PUSH);

  // The registry's own default.
  private static final Duration DEFAULT_LEASE = Duration.ofMinutes(1);

  private final LettuceConnectionFactory connections;
  private final RedisLockType type;
  private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
  private final RedisLockRegistry registry;
  private final Map<Duration, RedisLockRegistry> renewing = new ConcurrentHashMap<>();

  private SpringRedisLocks(ServerAddress server, RedisLockType type) {
    this.type = type;
    var redis = new RedisStandaloneConfiguration(server.host(), server.port());
    redis.setDatabase(Integer.parseInt(server.database()));
    server.user().ifPresent(redis::setUsername);
    server.password().ifPresent(redis::setPassword);
    connections = new LettuceConnectionFactory(redis);
    connections.afterPropertiesSet();
    connections.start();
    scheduler.setDaemon(true);
    scheduler.setPoolSize(2);
    scheduler.initialize();
    registry = registry(DEFAULT_LEASE);
  }

  /** Connects; waiters are told of releases by Pub/Sub. */
  public static SpringRedisLocks pubSub(ServerAddress server) {
    return new SpringRedisLocks(server, RedisLockType.PUB_SUB_LOCK);
  }

  /** Connects; waiters poll. */
  public static SpringRedisLocks spin(ServerAddress server) {
    return new SpringRedisLocks(server, RedisLockType.SPIN_LOCK);
  }

  private RedisLockRegistry registry(Duration lease) {
    RedisLockRegistry created = new RedisLockRegistry(connections, "peer-" + type, lease);
    created.setRedisLockType(type);
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
