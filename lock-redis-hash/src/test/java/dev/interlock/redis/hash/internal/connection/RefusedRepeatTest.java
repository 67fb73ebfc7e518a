package dev.interlock.redis.hash.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockRequest;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.hash.RedisHashLocks;
import dev.interlock.redis.hash.RedisHashOptions;
import dev.interlock.redis.support.contract.GatedProxy;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an application's client sends again, to a server that refuses it by then. */
@Timeout(60)
class RefusedRepeatTest {
  private static final LockConfig PATIENT = LockConfig.builder("redis-hash")
      .set(RedisHashOptions.TIMEOUT, Duration.ofSeconds(30))
      .build();

  /** Nobody would hold it, and nobody could have it, until the lease is over. */
  @Test
  void E3_anAttemptThatRanAndIsRefusedTheSecondTimeLeavesNoHold() throws Exception {
    LockRequest request = LockRequest.of("n").withLease(Duration.ofHours(1));
    try (RedisServer server = TestRedis.builder().owned().start();
        GatedProxy proxy = GatedProxy.before(server.port())) {
      RedisClient redis = RedisClient.create("redis://127.0.0.1:" + proxy.port());
      try (LockClient client = RedisHashLocks.using(redis, PATIENT)) {
        client.acquire(request).release(); // the server knows the scripts now
        proxy.hold();
        CompletableFuture<Throwable> failure =
            CompletableFuture.supplyAsync(() -> catchThrowable(() -> client.tryAcquire(request)));
        Topologies.await(() -> server.command("EXISTS", Topologies.key("n")).equals("1"));
        server.command("CONFIG", "SET", "maxmemory", "1");
        proxy.cut();
        proxy.open();

        assertThat(failure.get(40, TimeUnit.SECONDS))
            .isInstanceOf(OutcomeUnknownException.class)
            .hasMessageContaining("OOM");
        Topologies.await(() -> server.command("EXISTS", Topologies.key("n")).equals("0"));
      } finally {
        redis.shutdown();
      }
    }
  }
}
