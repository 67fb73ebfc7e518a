package dev.interlock.measure.floor;

import dev.interlock.measure.SectionClient;
import dev.interlock.measure.SectionLock;
import dev.interlock.measure.server.RedisPool;
import dev.interlock.measure.server.ServerAddress;
import java.util.UUID;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/**
 * The raw floor: {@code SET NX PX} and a compare-and-delete by {@code EVALSHA} on a Jedis pool, one
 * poll a millisecond while the lock is held by another. No fencing, no renewal, no wake-up.
 */
public final class RedisFloor implements SectionClient {
  static final String COMPARE_AND_DELETE =
      "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
  static final long LEASE_MILLIS = 30_000;

  private final RedisClient redis;
  private final String compareAndDelete;
  private final String holderPrefix = UUID.randomUUID() + ":";

  /**
   * Connects.
   *
   * @param threads how many will use it
   */
  public RedisFloor(ServerAddress server, int threads) {
    this.redis = RedisPool.open(server, threads);
    this.compareAndDelete = redis.scriptLoad(COMPARE_AND_DELETE);
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
      SectionLock.poll(() -> redis.set(key, holder, ifAbsent) != null);
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
