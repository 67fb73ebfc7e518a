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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Listening to a sentinel, for which a server stands that has its channel. */
@Timeout(60)
class SentinelWatchTest {
  private static final Pattern REJECTED =
      Pattern.compile("cmdstat_subscribe:\\S*rejected_calls=(\\d+)");

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

  private static RedisURI uri(RedisServer sentinel) {
    return RedisURI.builder()
        .withHost(sentinel.host())
        .withPort(sentinel.port())
        .withAuthentication("app", "secret")
        .build();
  }

  private static boolean isHeard(RedisServer sentinel) {
    return TestClient.listeners(sentinel, "+switch-master") == 1;
  }

  /** Asks on until the sentinel has refused as often as this. */
  private static void awaitRefusals(RedisServer sentinel, SentinelWatch watch, int count) {
    Topologies.await(() -> {
      watch.lookAgain();
      return refusals(sentinel) >= count;
    });
  }

  private static int refusals(RedisServer sentinel) {
    Matcher rejected = REJECTED.matcher(sentinel.command("INFO", "commandstats"));
    return rejected.find() ? Integer.parseInt(rejected.group(1)) : 0;
  }

  @Test
  void aSentinelThatRefusesIsWarnedOfOnceUntilItAllowsIt() {
    List<String> warnings = new CopyOnWriteArrayList<>();
    Handler handler = new Handler() {
      @Override
      public void publish(LogRecord line) {
        if (line.getLevel().equals(Level.WARNING)) {
          warnings.add(line.getMessage());
        }
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
    Logger logger = Logger.getLogger(SentinelWatch.class.getName());
    logger.setUseParentHandlers(false);
    logger.setLevel(Level.WARNING); // the tests' settings switch it off
    logger.addHandler(handler);
    try (RedisServer sentinel = TestRedis.builder()
        .owned()
        .user("app", "on", ">secret", "~*", "resetchannels", "+@all")
        .start()) {
      RedisClient redis = RedisClient.create();
      try {
        SentinelWatch watch = new SentinelWatch(redis, List.of(uri(sentinel)), "main", unasked());
        awaitRefusals(sentinel, watch, 3);
        assertThat(warnings).hasSize(1);

        sentinel.command("ACL", "SETUSER", "app", "allchannels");
        Topologies.await(() -> {
          watch.lookAgain();
          return isHeard(sentinel);
        });
        sentinel.command("ACL", "SETUSER", "app", "resetchannels");
        sentinel.command("CLIENT", "KILL", "TYPE", "pubsub");
        awaitRefusals(sentinel, watch, refusals(sentinel) + 3);
      } finally {
        redis.shutdown();
      }
      assertThat(warnings).hasSize(2).containsOnly("A sentinel does not let this user listen");
    } finally {
      logger.removeHandler(handler);
      logger.setLevel(null);
      logger.setUseParentHandlers(true);
    }
  }

  @Test
  void P2_aSentinelThatRefusedTheSubscriptionAfterACutIsListenedToOnceItAllowsIt() {
    try (RedisServer sentinel = TestRedis.builder()
        .owned()
        .user("app", "on", ">secret", "~*", "&*", "+@all")
        .start()) {
      RedisClient redis = RedisClient.create();
      try {
        SentinelWatch watch = new SentinelWatch(redis, List.of(uri(sentinel)), "main", unasked());
        watch.lookAgain();
        Topologies.await(() -> isHeard(sentinel));
        sentinel.command("ACL", "SETUSER", "app", "resetchannels");
        sentinel.command("CLIENT", "KILL", "TYPE", "pubsub");
        Topologies.await(() -> refusals(sentinel) > 0);
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
