package dev.interlock.bench;

import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/**
 * The raw floor: {@code SET NX PX} and a compare-and-delete by {@code EVALSHA} on a Jedis pool, one
 * poll a millisecond while the lock is held by another. No fencing, no renewal, no wake-up.
 */
final class RedisFloor implements SubjectClient {
  private static final String COMPARE_AND_DELETE =
      "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
  private static final long LEASE_MILLIS = 30_000;
  private static final long POLL_NANOS = 1_000_000;

  private final RedisClient redis;
  private final String compareAndDelete;
  private final String holderPrefix = UUID.randomUUID() + ":";

  private RedisFloor(RedisClient redis) {
    this.redis = redis;
    this.compareAndDelete = redis.scriptLoad(COMPARE_AND_DELETE);
  }

  static RedisFloor open(ServerAddress server, int threads) {
    return new RedisFloor(pool(server, threads));
  }

  static RedisClient pool(ServerAddress server, int connections) {
    ConnectionPoolConfig config = new ConnectionPoolConfig();
    config.setMaxTotal(connections);
    config.setMaxIdle(connections);
    DefaultJedisClientConfig.Builder settings =
        DefaultJedisClientConfig.builder().database(Integer.parseInt(server.database()));
    server.user().ifPresent(settings::user);
    server.password().ifPresent(settings::password);
    return RedisClient.builder()
        .hostAndPort(server.host(), server.port())
        .clientConfig(settings.build())
        .poolConfig(config)
        .build();
  }

  @Override
  public SectionLock lock(String name) {
    return new FloorLock(name);
  }

  @Override
  public void close() {
    redis.close();
  }

  private final class FloorLock implements SectionLock {
    private final SetParams ifAbsent = SetParams.setParams().nx().px(LEASE_MILLIS);
    private final String key;
    private final String threadPrefix = holderPrefix + Thread.currentThread().getId() + ":";
    private String holder = "";
    private long holds;

    FloorLock(String key) {
      this.key = key;
    }

    @Override
    public void lock() throws InterruptedException {
      holder = threadPrefix + holds++;
      while (redis.set(key, holder, ifAbsent) == null) {
        LockSupport.parkNanos(POLL_NANOS);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    }

    @Override
    public void unlock() {
      Object deleted = redis.evalsha(compareAndDelete, 1, key, holder);
      if (!Long.valueOf(1).equals(deleted)) {
        throw new IllegalStateException("the lock was gone at its release");
      }
    }
  }
}
