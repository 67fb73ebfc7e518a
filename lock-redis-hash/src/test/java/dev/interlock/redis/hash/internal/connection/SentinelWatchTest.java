package dev.interlock.redis.hash.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.redis.hash.internal.backend.TestClient;
import dev.interlock.redis.support.SentinelMajority;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Listening to a sentinel, for which a server stands that has its channel. */
@Timeout(60)
class SentinelWatchTest {
  /** Its questions are not what is tested here. */
  private static SentinelMajority unasked() {
    LockConfig config = LockConfig.builder("redis-hash").build();
    return new SentinelMajority(config, new SilentSentinels(), master -> {});
  }

  private static final class SilentSentinels implements SentinelMajority.Questions {
    @Override
    public CompletionStage<Optional<HostPort>> master(HostPort sentinel) {
      return CompletableFuture.completedStage(Optional.empty());
    }

    @Override
    public CompletionStage<Boolean> isMaster(HostPort server) {
      return CompletableFuture.completedStage(true);
    }
  }

  private static boolean isHeard(RedisServer sentinel) {
    return TestClient.listeners(sentinel, "+switch-master") == 1;
  }

  @Test
  void P2_aSentinelThatRefusedTheSubscriptionAfterACutIsListenedToOnceItAllowsIt() {
    try (RedisServer sentinel = TestRedis.builder()
        .owned()
        .user("app", "on", ">secret", "~*", "&*", "+@all")
        .start()) {
      RedisURI uri = RedisURI.builder()
          .withHost(sentinel.host())
          .withPort(sentinel.port())
          .withAuthentication("app", "secret")
          .build();
      RedisClient redis = RedisClient.create();
      try {
        SentinelWatch watch = new SentinelWatch(redis, List.of(uri), "main", unasked());
        watch.lookAgain();
        Topologies.await(() -> isHeard(sentinel));
        sentinel.command("ACL", "SETUSER", "app", "resetchannels");
        sentinel.command("CLIENT", "KILL", "TYPE", "pubsub");
        Topologies.await(() -> sentinel
            .command("INFO", "commandstats")
            .matches("(?s).*cmdstat_subscribe:\\S*rejected_calls=[1-9].*"));
        assertThat(isHeard(sentinel)).isFalse();
        sentinel.command("ACL", "SETUSER", "app", "allchannels");
        Topologies.await(() -> {
          watch.lookAgain();
          return isHeard(sentinel);
        });
      } finally {
        redis.shutdown();
      }
    }
  }
}
