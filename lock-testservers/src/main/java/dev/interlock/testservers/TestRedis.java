package dev.interlock.testservers;

import dev.interlock.testservers.internal.redis.RedisSources;
import java.util.function.UnaryOperator;

/**
 * Starts real Redis servers for tests.
 *
 * <p>The server comes from the first of these that is there ({@link RedisSource}):
 *
 * <ol>
 *   <li>the URI in the system property {@code interlock.test.redis}, else in the environment
 *       variable {@code INTERLOCK_TEST_REDIS}, such as {@code redis://localhost:6379};
 *   <li>a container, when a Docker daemon answers; {@code interlock.test.redis.image}, else
 *       {@code INTERLOCK_TEST_REDIS_IMAGE}, names another image;
 *   <li>{@code redis-server} or {@code valkey-server} on the {@code PATH};
 *   <li>the binary inside {@code com.github.codemonstur:embedded-redis}.
 * </ol>
 *
 * <p>{@code interlock.test.redis.from}, else {@code INTERLOCK_TEST_REDIS_FROM}, allows one source
 * only: {@code given}, {@code docker}, {@code path} or {@code embedded}. It also tells why a source
 * that was expected is not taken.
 *
 * <p>Pairs, Sentinel sets and clusters are made of processes on this machine, so for them the first
 * two do not count.
 *
 * <p>A started server listens on the loopback address only (unless the Docker daemon is remote),
 * keeps its files in a private temporary directory, and ends with the JVM, however the JVM ends; of
 * a container Testcontainers sees to that. All methods are thread-safe and block until the server
 * answers.
 */
public final class TestRedis {
  private TestRedis() {}

  /**
   * Starts, or connects to, a server with the default settings: no password, nothing kept on disk.
   *
   * @throws TestServerException if there is no server to be had, or it does not start within 30 s
   */
  public static RedisServer start() {
    return builder().start();
  }

  /** Settings for one or several servers. */
  public static RedisServerBuilder builder() {
    return new RedisServerBuilder(RedisSources.ofThisJvm());
  }

  /**
   * Starts a master and a replica of it with the default settings.
   *
   * @return a pair of which the replica follows
   * @throws TestServerException if there is no server to be had, or the replica does not follow
   *     within 60 s
   */
  public static RedisPair pair() {
    return RedisPair.start();
  }

  /**
   * Starts a master, its replicas, and three sentinels that watch them.
   *
   * @param replicas how many, at least one
   * @param settings for the master, the replicas and the sentinels alike: a password, TLS
   * @return a set that is ready to fail over
   */
  public static RedisSentinels sentinels(int replicas, UnaryOperator<RedisServerBuilder> settings) {
    return RedisSentinels.start(replicas, () -> settings.apply(builder()).asProcess());
  }

  /**
   * Starts a cluster of three masters, which share the slots.
   *
   * @param replicasEach how many replicas each master has
   * @param settings for all nodes alike: a password, TLS
   * @return a cluster that serves every slot
   */
  public static RedisCluster cluster(int replicasEach, UnaryOperator<RedisServerBuilder> settings) {
    return RedisCluster.start(replicasEach, () -> settings.apply(builder()).asProcess());
  }
}
