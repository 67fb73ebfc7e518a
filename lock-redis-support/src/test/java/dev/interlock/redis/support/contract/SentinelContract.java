package dev.interlock.redis.support.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.LostReason;
import dev.interlock.testservers.RedisSentinels;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * What a client sees of a Sentinel set whose master changes. Starting a set takes seconds, so the
 * tests share one, in order; those that take long run with {@code interlock.test.topologies=true}.
 */
@Timeout(120)
@TestMethodOrder(OrderAnnotation.class)
public abstract class SentinelContract {
  protected static RedisSentinels set;

  /** The provider's id. */
  protected abstract String provider();

  @BeforeAll
  static void start() {
    set = TestRedis.sentinels(2, builder -> builder.password("s3cret"));
  }

  @AfterAll
  static void stop() {
    set.close();
  }

  protected String uri() {
    return set.uri(provider());
  }

  @Test
  @Order(1)
  void X1_W3_aHoldAndAWaiterOutliveAFailOver() throws Exception {
    try (LockClient holder = Locks.open(uri());
        LockClient waiter = Locks.open(uri())) {
      Lease held = Topologies.handOffSoon(holder, waiter, "n");
      CompletableFuture<Lease> third = holder.acquireAsync(LockRequest.of("n"));
      Topologies.awaitWaiters(waiter, "n", 1);
      Topologies.awaitWrites(set);

      set.failOver();

      assertThat(held.isValid()).isTrue();
      Topologies.await(() -> held.extend(Duration.ofSeconds(30)));
      assertThat(third).isNotDone();
      Topologies.release(held);
      Lease last = third.get(10, TimeUnit.SECONDS);
      assertThat(last.fencingToken()).isGreaterThan(held.fencingToken());
      assertThat(set.master().command("EXISTS", Topologies.key("n"))).isEqualTo("1");
      last.release();
    }
  }

  @Test
  @Order(2)
  void E8_anUnknownMasterIsNamedAtOpen() {
    assertThatThrownBy(() -> Locks.open(uri() + "x"))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("know no master '" + set.name() + "x'")
        .hasMessageNotContaining("s3cret");
  }

  @Test
  @Order(2)
  void E8_sentinelsThatDoNotAnswerAreNamedAtOpen() throws Exception {
    int port = Topologies.freePort();
    String uri = provider() + "://:hunter2@127.0.0.1:" + port + "?topology=sentinel&master=m";
    assertThatThrownBy(() -> Locks.open(uri))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("None of the sentinels at 127.0.0.1:" + port)
        .hasMessageNotContaining("hunter2");
    String password = uri().replace("sentinelPassword=s3cret", "sentinelPassword=hunter3");
    assertThatThrownBy(() -> Locks.open(password))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("sentinelPassword")
        .hasMessageNotContaining("hunter3");
  }

  @Test
  @Order(2)
  void aGrantWaitsForTheReplicasOfTheMasterOfTheSet() {
    RedisSentinels.awaitReplicas(set.master(), 2);
    RedisServer replica = set.replicas().findFirst().orElseThrow();
    try (LockClient patient = Locks.open(uri() + "&replicas=2&replicaTimeout=PT20S");
        LockClient client = Locks.open(uri() + "&replicas=2&replicaTimeout=PT2.5S")) {
      patient.tryAcquire(LockRequest.of("two")).orElseThrow().release();
      replica.pause();
      assertThatThrownBy(() -> client.tryAcquire(LockRequest.of("two")))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("only 1 had it in time; it was given back");
      assertThat(client.inspect("two")).isEmpty();
    } finally {
      replica.resume();
    }
  }

  @Test
  @Order(3)
  void E7_closeEndsWhatListensToTheSentinels() throws Exception {
    LockClient client = Locks.open(uri());
    client.acquire(LockRequest.of("closing"));
    client.close();
    Topologies.await(() -> Thread.getAllStackTraces().keySet().stream()
        .noneMatch(thread -> thread.getName().contains("SentinelListener")
            || thread.getName().startsWith("interlock-" + provider())));
    for (RedisServer server : set.sentinels()) {
      Topologies.await(() -> !server.command("CLIENT", "LIST").contains("name=interlock-"));
    }
  }

  @Test
  @Order(3)
  void X1_aNewMasterIsFoundThoughTheConnectionsToTheSentinelsAreDead() throws Exception {
    String uri = uri();
    List<GatedProxy> proxies = new ArrayList<>();
    try {
      for (RedisServer sentinel : set.sentinels()) {
        GatedProxy proxy = GatedProxy.before(sentinel.port());
        proxies.add(proxy);
        uri = uri.replace(":" + sentinel.port(), ":" + proxy.port());
      }
      try (LockClient client = Locks.open(uri)) {
        client.tryAcquire(LockRequest.of("deaf")).orElseThrow().release();
        proxies.forEach(GatedProxy::deafen);

        set.failOver();

        long start = System.nanoTime();
        Topologies.await(() -> client.tryAcquire(LockRequest.of("deaf")).isPresent());
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
        assertThat(set.master().command("EXISTS", Topologies.key("deaf"))).isEqualTo("1");
      }
    } finally {
      for (GatedProxy proxy : proxies) {
        proxy.close();
      }
    }
  }

  @Test
  @Order(4)
  @EnabledIfSystemProperty(named = "interlock.test.topologies", matches = "true")
  @Timeout(480) // a minute and a half where other work goes on beside it
  void theRulesHold() {
    Topologies.holdRules(uri(), key -> set.master(), () -> List.of(set.master()));
  }

  @Test
  @Order(5)
  @EnabledIfSystemProperty(named = "interlock.test.topologies", matches = "true")
  void T2_aGrantThatTheReplicasNeverSawIsLostAndTheNextOneHasALargerToken() throws Exception {
    RedisServer master = set.master();
    RedisSentinels.awaitReplicas(master, 2);
    try (LockClient one = Locks.open(uri());
        LockClient other = Locks.open(uri())) {
      one.acquire(LockRequest.of("lost")).release();
      set.replicas().forEach(RedisServer::pause);
      master.command("CLIENT", "KILL", "TYPE", "slave"); // they get nothing from here on
      Lease lost =
          one.acquire(LockRequest.of("lost").withLease(Duration.ofSeconds(20)).renewing());
      set.hasten();
      master.kill();
      set.servers().stream().filter(server -> server != master).forEach(RedisServer::resume);
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
}
