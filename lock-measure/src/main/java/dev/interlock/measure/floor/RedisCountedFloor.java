package dev.interlock.measure.floor;

import dev.interlock.measure.CountedClient;
import dev.interlock.measure.CountedScenario;
import dev.interlock.measure.SectionLock;
import dev.interlock.measure.server.RedisPool;
import dev.interlock.measure.server.ServerAddress;
import java.time.Duration;
import java.util.List;
import redis.clients.jedis.RedisClient;

/**
 * The raw floor of locks that are held in parts: one counter with a limit, which a script adds to
 * and {@code DECRBY} takes from, on a Jedis pool; one poll a millisecond while there is no room. No
 * order, no lease of a single hold, no fencing, no renewal, no wake-up.
 */
public final class RedisCountedFloor implements CountedClient {
  private static final String ADD = "local used = tonumber(redis.call('GET', KEYS[1]) or 0) "
      + "if used + ARGV[1] > tonumber(ARGV[2]) then return 0 end "
      + "redis.call('SET', KEYS[1], used + ARGV[1], 'PX', ARGV[3]) return 1";

  /** What was added behind an answer that nobody waited for would never be taken away. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final RedisClient redis;
  private final String add;
  private final CountedScenario scenario;

  /** Connects, for the threads that the scenario has for each of its clients. */
  public RedisCountedFloor(ServerAddress server, CountedScenario scenario) {
    this.redis = RedisPool.open(server, scenario.threads() / scenario.clients(), PATIENCE);
    this.add = redis.scriptLoad(ADD);
    this.scenario = scenario;
  }

  @Override
  public List<SectionLock> ways(String name) {
    return scenario.ways().stream().map(way -> part(name, way.units())).toList();
  }

  private SectionLock part(String key, int units) {
    List<String> arguments = List.of(
        Integer.toString(units),
        Integer.toString(scenario.capacity()),
        Long.toString(RedisFloor.LEASE_MILLIS));
    return new SectionLock() {
      @Override
      public void lock() throws InterruptedException {
        SectionLock.poll(() -> Long.valueOf(1).equals(redis.evalsha(add, List.of(key), arguments)));
      }

      @Override
      public void unlock() {
        redis.decrBy(key, units);
      }
    };
  }

  @Override
  public void close() {
    redis.close();
  }
}
