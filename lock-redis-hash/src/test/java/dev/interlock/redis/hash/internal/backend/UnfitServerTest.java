package dev.interlock.redis.hash.internal.backend;

import static dev.interlock.redis.hash.internal.backend.TestClient.LEASE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.BackendRefusedException;
import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.redis.hash.internal.connection.Connections;
import dev.interlock.redis.hash.internal.connection.SharedConnection;
import dev.interlock.redis.hash.internal.push.Listeners;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.contract.BackendContract;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.spi.AttemptResult.Queued;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server that has forgotten the scripts, has something else at the keys, is full, or has become a
 * replica; a JVM that has no room.
 */
@Timeout(60)
class UnfitServerTest extends OneClient {
  @Test
  void E4_scriptsThatTheServerForgotAreLoadedAgain() {
    client.tryOnce("n", a);
    server.command("SCRIPT", "FLUSH");
    assertThat(client.queue("n", b)).isInstanceOf(Queued.class);
    server.command("SCRIPT", "FLUSH");
    assertThat(client.release("n", a).granted().id()).isEqualTo(b);
  }

  @Test
  void E9_aLockThatCannotBeReadIsToldFromTheOthersOfItsBatch() {
    List<String> names = List.of("type", "header", "sound");
    List<Renewal> batch = names.stream()
        .map(name -> {
          HoldId id = client.id();
          client.tryOnce(name, id);
          return Renewal.of(name, id, Duration.ofSeconds(90), false);
        })
        .toList();
    server.command("DEL", BackendContract.key("type"));
    server.command("RPUSH", BackendContract.key("type"), "not a lock");
    server.command("HSET", BackendContract.key("header"), "*", "not a lock");

    assertThat(RenewalAnswers.collect(client.backend, batch))
        .satisfiesExactly(
            type -> assertThat(type).isInstanceOf(RenewalResult.Failed.class),
            header -> assertThat(header).isInstanceOf(RenewalResult.Failed.class),
            sound -> assertThat(sound).isInstanceOf(Grant.class));

    for (String name : List.of("type", "header")) {
      assertThat(client.backend.forceRelease(name)).isTrue();
      assertThat(client.tryOnce(name, a)).isInstanceOf(Grant.class);
    }
  }

  /** Who follows the advice for keys of other software would end a sound hold. */
  @Test
  void E9_aRightThatIsMissingIsNotTakenForKeysOfOtherSoftware() throws InterruptedException {
    try (RedisServer own = TestRedis.builder().owned().start();
        TestClient on = TestClient.open(own)) {
      on.tryOnce("n", a);
      on.tryOnce("foreign", b);
      own.command("HSET", BackendContract.key("foreign"), "*", "not a lock");
      own.command("ACL", "SETUSER", "default", "-hset", "-hsetnx");
      assertThatThrownBy(() -> on.tryOnce("other", c)).isInstanceOf(BackendRefusedException.class);
      assertThatThrownBy(() -> on.renew("n", a))
          .isInstanceOf(BackendRefusedException.class)
          .hasMessageContainingAll("renew lock 'n'", "Check user, password and rights (ACL)");
      assertThatThrownBy(() -> on.renew("foreign", b))
          .isExactlyInstanceOf(LockException.class)
          .hasMessageContainingAll("other software uses its keys", "user_script");
      own.command("ACL", "SETUSER", "default", "+@all");
      assertThat(on.renew("n", a)).isInstanceOf(Grant.class);
    }
  }

  /** That key is there only while somebody is passed over, and nothing of the others. */
  @Test
  void E9_somethingElseInPlaceOfThoseWhoWerePassedOverHarmsNoOtherLock() {
    List<Renewal> batch = Stream.of("spoilt", "sound")
        .map(name -> {
          HoldId id = client.id();
          client.tryOnce(name, id);
          return Renewal.of(name, id, LEASE, false);
        })
        .toList();
    String waiting = key(new KeyLayout(TestClient.NAMESPACE).keys("spoilt").waiting());
    server.command("SET", waiting, "not a set");

    assertThat(RenewalAnswers.collect(client.backend, batch)).allMatch(Grant.class::isInstance);

    assertThat(client.backend.forceRelease("spoilt")).isTrue();
    assertThat(server.command("EXISTS", waiting)).isEqualTo("0");
  }

  @Test
  void X3_withoutACounterNobodyGetsTheLockAndNobodyIsSaidToHaveIt() {
    String counter = key(new KeyLayout(TestClient.NAMESPACE).keys("n").token());
    server.command("DEL", counter);
    server.command("RPUSH", counter, "not a counter");
    expectRefused();
    server.command("DEL", counter);
    server.command("SET", counter, "no number");
    expectRefused();
    assertThat(server.command("GET", counter)).isEqualTo("no number");
    server.command("DEL", counter);
    assertThat(client.tryOnce("n", a)).isInstanceOf(Grant.class);
  }

  private void expectRefused() {
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> client.tryOnce("n", client.id()))
          .isInstanceOf(LockException.class)
          .hasMessageContaining("WRONGTYPE");
      assertThat(server.command("EXISTS", BackendContract.key("n"))).isEqualTo("0");
    }
  }

  private static String key(byte[] bytes) {
    return new String(bytes, UTF_8);
  }

  /** Any other error says nothing of what is there. */
  @Test
  void M2_aLockThatCannotBeReadForAnotherReasonIsNotTakenForThatOfOtherSoftware()
      throws InterruptedException {
    try (RedisServer own = TestRedis.builder().owned().start();
        TestClient on = TestClient.open(own)) {
      on.tryOnce("n", a);
      own.command("ACL", "SETUSER", "default", "-hmget");
      assertThatThrownBy(() -> on.backend.inspect("n")).isInstanceOf(LockException.class);
      assertThatThrownBy(() -> on.backend.forceRelease("n", 0)).isInstanceOf(LockException.class);
      own.command("ACL", "SETUSER", "default", "+hmget");
      assertThat(on.renew("n", a)).isInstanceOf(Grant.class);
    }
  }

  /** Each step's own first write decides, so each is tried on its own. */
  @Test
  void E10_aFullServerRenewsReleasesAndForgets() throws InterruptedException {
    try (RedisServer own = TestRedis.builder().owned().start();
        TestClient on = TestClient.open(own)) {
      for (String name : List.of("release", "abandon", "force", "renew")) {
        on.tryOnce(name, a);
        on.queue(name, b);
      }
      own.command("CONFIG", "SET", "maxmemory", "1");
      assertThat(on.refresh("renew", b)).isInstanceOf(RenewalResult.Queued.class);
      assertThat(on.renew("renew", a)).isInstanceOf(Grant.class);
      on.backend.abandon("renew", b);
      on.release("release", a);
      on.backend.abandon("abandon", a);
      assertThat(on.backend.forceRelease("force")).isTrue();
      assertThatThrownBy(() -> on.tryOnce("new", c))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("OOM");
      own.command("CONFIG", "SET", "maxmemory", "0");
      assertThat(on.backend.inspect("renew").orElseThrow().waiters()).isZero();
      for (String name : List.of("release", "abandon", "force")) {
        assertThat(on.tryOnce(name, b)).isInstanceOf(Grant.class);
      }
    }
  }

  /** A replica may know less than its master, and must not answer for it. */
  @Test
  void aServerThatBecameAReplicaAnswersNothingThatTheEngineActsOn() throws InterruptedException {
    try (RedisServer own = TestRedis.builder().owned().start();
        TestClient on = TestClient.open(own)) {
      on.tryOnce("n", a);
      own.command("REPLICAOF", "127.0.0.1", "1");
      for (ThrowingCallable step : List.<ThrowingCallable>of(
          () -> on.renew("n", b),
          () -> on.renew("free", b),
          () -> on.release("n", b),
          () -> on.release("free", b),
          () -> on.tryOnce("n", b),
          () -> on.backend.abandon("free", b),
          () -> on.backend.forceRelease("free", 1))) {
        assertThatThrownBy(step)
            .isInstanceOf(BackendUnavailableException.class)
            .hasMessageContaining("READONLY");
      }
      own.command("REPLICAOF", "NO", "ONE");
      assertThat(on.renew("n", a)).isInstanceOf(Grant.class);
    }
  }

  /** Each pause would end at once, for all the time that an answer may take. */
  @Test
  void aCallOfAnInterruptedThreadPausesWhileItsServerIsGone() throws InterruptedException {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    try (RedisServer own = TestRedis.builder().owned().start();
        TestClient on = TestClient.open(own)) {
      own.kill();
      Topologies.await(() -> {
        Throwable failure = catchThrowable(() -> on.release("n", a));
        return String.valueOf(failure).contains("is not connected");
      });
      long used = threads.getCurrentThreadCpuTime();
      Thread.currentThread().interrupt();
      Throwable failure = catchThrowable(() -> on.release("n", a));
      assertThat(Thread.interrupted()).as("left to the caller").isTrue();
      assertThat(failure).isInstanceOf(BackendUnavailableException.class);
      assertThat(Duration.ofNanos(threads.getCurrentThreadCpuTime() - used))
          .isLessThan(Duration.ofMillis(100));
    }
  }

  /** As where there is no memory for a thread. */
  @Test
  void E7_nothingStaysOpenAfterAnErrorEither() {
    AtomicBoolean closed = new AtomicBoolean();
    Connections connections = new Connections() {
      @Override
      public SharedConnection open() {
        throw new OutOfMemoryError("as planned");
      }

      @Override
      public Listeners openListeners() {
        throw new IllegalStateException("not reached");
      }

      @Override
      public void lookAgain() {}

      @Override
      public boolean isCluster() {
        return false;
      }

      @Override
      public String address() {
        return "nowhere";
      }

      @Override
      public void close() {
        closed.set(true);
      }
    };
    assertThatThrownBy(() -> HashBackend.open(
            LockConfig.builder("redis-hash").build(),
            new ClientId("00000000000000aa", "host"),
            connections))
        .hasMessage("as planned");
    assertThat(closed).isTrue();
  }
}
