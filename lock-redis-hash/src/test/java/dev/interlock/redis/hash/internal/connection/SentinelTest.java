package dev.interlock.redis.hash.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.LostReason;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.testservers.RedisSentinels;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * What a client sees of a Sentinel set whose master changes. Starting a set takes seconds, so the
 * tests share one and use up its servers, in order.
 */
@Tag("thorough")
@Timeout(120)
@EnabledIfSystemProperty(named = "interlock.test.topologies", matches = "true")
@TestMethodOrder(OrderAnnotation.class)
class SentinelTest {
  private static RedisSentinels set;

  @BeforeAll
  static void start() {
    set = TestRedis.sentinels(2, builder -> builder.password("s3cret"));
  }

  @AfterAll
  static void stop() {
    set.close();
  }

  @Test
  @Order(1)
  @Timeout(480)
  void theRulesHold() {
    // Patient, so that a busy machine does not look like a dead sentinel.
    TopologyRules.hold(
        set.uri("redis-hash") + "&connectTimeout=PT10S&timeout=PT5S",
        key -> set.master().command("EVAL", TopologyRules.HOLDS, "1", key),
        () -> Long.parseLong(set.master().command("DBSIZE")),
        List.of(set.master()));
  }

  @Test
  @Order(2)
  void E8_anUnknownMasterIsNamedAtOpen() {
    assertThatThrownBy(() -> Locks.open(set.uri("redis-hash") + "x"))
        .isInstanceOf(LockConfigurationException.class)
        .message()
        .contains("know no master '" + set.name() + "x'")
        .doesNotContain("s3cret");
  }

  @Test
  @Order(3)
  void W3_holdsAndQueuesOutliveTheMasterThatIsKilled() throws Exception {
    try (LockClient holder = Locks.open(set.uri("redis-hash"));
        LockClient waiter = Locks.open(set.uri("redis-hash"))) {
      Lease held = holder.acquire(LockRequest.of("n"));
      CompletableFuture<Lease> first = waiter.acquireAsync(LockRequest.of("n").fair(true));
      Topologies.awaitWaiters(holder, "n", 1);
      CompletableFuture<Lease> second = holder.acquireAsync(LockRequest.of("n").fair(true));
      Topologies.awaitWaiters(holder, "n", 2);
      Topologies.awaitWrites(set);

      set.killMaster();

      assertThat(held.isValid()).isTrue();
      awaitMailboxes(set, 2);
      Topologies.await(() -> held.extend(Duration.ofSeconds(30)));
      held.release();
      Lease next = first.get(10, TimeUnit.SECONDS);
      assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
      assertThat(second).isNotDone();
      next.release();
      second.get(10, TimeUnit.SECONDS).release();
    }
  }

  @Test
  @Order(4)
  void T2_aGrantThatTheReplicaNeverSawIsLostAndTheNextOneHasALargerToken() throws Exception {
    RedisServer master = set.master();
    RedisServer replica = set.replicas().filter(SentinelTest::isUp).findFirst().orElseThrow();
    RedisSentinels.awaitReplicas(master, 1);
    try (LockClient one = Locks.open(set.uri("redis-hash"));
        LockClient other = Locks.open(set.uri("redis-hash"))) {
      Lease earlier = one.acquire(LockRequest.of("lost"));
      earlier.release();
      replica.pause();
      master.command("CLIENT", "KILL", "TYPE", "slave"); // it gets nothing from here on
      Lease lost =
          one.acquire(LockRequest.of("lost").withLease(Duration.ofSeconds(20)).renewing());
      set.hasten();
      master.kill();
      replica.resume();
      set.awaitSuccessor(master);
      set.calm();

      Lease next = other.acquire(LockRequest.of("lost").withWait(Duration.ofSeconds(10)));

      // Both may believe that they hold it now, or the first has asked and knows already.
      assertThat(next.fencingToken()).isGreaterThan(lost.fencingToken());
      assertThat(lost.lost().toCompletableFuture().get(20, TimeUnit.SECONDS))
          .isEqualTo(LostReason.GONE);
      next.release();
    }
  }

  @Test
  @Order(5)
  void E5_whileThereIsNoMasterCallersAreToldAndAfterwardsTheSameClientGoesOn() throws Exception {
    RedisServer master = set.master();
    try (LockClient client = Locks.open(set.uri("redis-hash"))) {
      Lease before = client.acquire(LockRequest.of("gone"));
      master.kill();
      assertThatThrownBy(() -> client.tryAcquire(LockRequest.of("other")))
          .isInstanceOf(LockException.class);
      CompletableFuture<Lease> patient = client.acquireAsync(
          LockRequest.of("gone").withWait(Duration.ofSeconds(30)).withOwner("patient"));
      master.start();

      Lease after = patient.get(30, TimeUnit.SECONDS);

      assertThat(after.fencingToken()).isGreaterThan(before.fencingToken());
    }
  }

  private static boolean isUp(RedisServer server) {
    try {
      return server.command("PING").equals("PONG");
    } catch (RuntimeException e) {
      return false;
    }
  }

  /** Who does not listen to the new master yet is passed over, which is not what is tested here. */
  static void awaitMailboxes(RedisSentinels set, int clients) {
    Topologies.await(
        () -> set.master().command("PUBSUB", "CHANNELS", "*:mailbox:*").lines().count() == clients);
  }
}
