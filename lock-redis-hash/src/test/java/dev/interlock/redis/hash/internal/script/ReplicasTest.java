package dev.interlock.redis.hash.internal.script;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.redis.hash.RedisHashLocks;
import dev.interlock.redis.hash.RedisHashOptions;
import dev.interlock.redis.support.contract.GatedProxy;
import dev.interlock.redis.support.contract.ReplicasContract;
import dev.interlock.testservers.RedisSentinels;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Grants that count only once a replica has them. */
class ReplicasTest extends ReplicasContract {
  @Override
  protected String provider() {
    return "redis-hash";
  }

  @Override
  protected String notNeeded() {
    return "-@transaction";
  }

  @Override
  protected String fewConnections() {
    return ""; // three, whatever happens
  }

  @Test
  void scriptsThatTheServerForgotAreLoadedAgain() {
    try (LockClient client = openReplicated()) {
      client.tryAcquire(LockRequest.of("s")).orElseThrow().release();
      master.command("SCRIPT", "FLUSH");
      client.tryAcquire(LockRequest.of("s")).orElseThrow().release();
    }
  }

  /**
   * The grant is with the first master, and {@code WAIT} asks the second one, which never heard of
   * it, about a replica that is not the first one's any more.
   */
  @Test
  void aWaitThatAnApplicationsClientRepeatsAfterAReconnectDoesNotCount() throws Exception {
    LockConfig config = LockConfig.builder("redis-hash")
        .set(RedisHashOptions.REPLICAS, 1)
        .set(RedisHashOptions.REPLICA_TIMEOUT, Duration.ofSeconds(20))
        .build();
    try (RedisServer second =
            TestRedis.builder().owned().config("repl-diskless-sync-delay", "0").start();
        GatedProxy proxy = GatedProxy.before(master.port())) {
      RedisClient redis = RedisClient.create("redis://127.0.0.1:" + proxy.port());
      try (LockClient client = RedisHashLocks.using(redis, config)) {
        client.tryAcquire(LockRequest.of("r")).orElseThrow().release();
        replica.command("REPLICAOF", second.host(), Integer.toString(second.port()));
        RedisSentinels.awaitReplicas(second, 1);
        proxy.leadTo(second.port());
        proxy.cutAfter(4); // two lines of the grant, two of the write that WAIT follows
        assertThatThrownBy(() -> client.tryAcquire(LockRequest.of("r")))
            .isInstanceOf(LockException.class)
            .hasMessageContaining("the connection broke while they were waited for");
      } finally {
        replica.command("REPLICAOF", master.host(), Integer.toString(master.port()));
        redis.shutdown();
      }
    }
  }
}
