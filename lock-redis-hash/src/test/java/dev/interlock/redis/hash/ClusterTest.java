package dev.interlock.redis.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.testservers.RedisCluster;
import dev.interlock.testservers.RedisSentinels;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Locks in a cluster whose slots and masters move. Starting a cluster takes seconds, so the tests
 * share one; the last one kills a node of it.
 */
@Timeout(120)
@EnabledIfSystemProperty(named = "interlock.test.topologies", matches = "true")
@TestMethodOrder(OrderAnnotation.class)
class ClusterTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static RedisCluster cluster;

  @BeforeAll
  static void start() {
    cluster = TestRedis.cluster(1, builder -> builder.password("s3cret"));
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static String uri() {
    return cluster.uri("redis-hash");
  }

  private static int slotOf(String name) {
    return cluster.slotOf(TopologyRules.lockKey(name));
  }

  @Test
  @Order(1)
  @Timeout(480)
  void theRulesHold() {
    List<RedisServer> masters = cluster.masters(); // which a paused one could not tell
    TopologyRules.hold(
        uri(),
        key -> cluster.commandOn(key, "EVAL", TopologyRules.HOLDS, "1", key),
        () -> cluster.masters().stream()
            .mapToLong(node -> Long.parseLong(node.command("DBSIZE")))
            .sum(),
        masters);
  }

  @Test
  @Order(2)
  void P1_aReleaseOnAnyNodeHandsOnAtOnceToAnotherClient() throws Exception {
    // Three names, one on each master: its PUBLISH counts only who listens on that master.
    List<String> names = cluster.masters().stream()
        .map(node -> IntStream.range(0, 1_000)
            .mapToObj(i -> "p1-" + i)
            .filter(name -> cluster.masterOf(slotOf(name)) == node)
            .findFirst()
            .orElseThrow())
        .toList();
    try (LockClient holder = Locks.open(uri());
        LockClient waiter = Locks.open(uri())) {
      for (String name : names) {
        Lease held = holder.acquire(LockRequest.of(name));
        CompletableFuture<Lease> next = waiter.acquireAsync(LockRequest.of(name).fair(true));
        while (holder.inspect(name).orElseThrow().waiters() == 0) {
          Thread.onSpinWait();
        }
        held.release();
        // A waiter that was passed over would come back after 2.1 s at the earliest.
        next.get(1_500, TimeUnit.MILLISECONDS).release();
      }
    }
  }

  @Test
  @Order(3)
  void E4_scriptsThatAllNodesForgotAreLoadedAgain() throws Exception {
    try (LockClient client = Locks.open(uri())) {
      cluster.masters().forEach(node -> node.command("SCRIPT", "FLUSH"));
      for (int i = 0; i < 20; i++) {
        try (Lease lease = client.acquire(LockRequest.of("e4-" + i))) {
          assertThat(lease.extend(Duration.ofSeconds(30))).isTrue();
        }
      }
    }
  }

  @Test
  @Order(4)
  void L1_aNodeThatIsSilentCostsTheLocksOfTheOthersNothing() throws Exception {
    try (LockClient client = Locks.open(uri() + "&timeout=PT0.5S")) {
      List<Lease> leases = Stream.iterate(0, i -> i + 1)
          .limit(60)
          .map(i -> LockRequest.of("l1-" + i).withLease(Duration.ofSeconds(3)).renewing())
          .map(request -> client.tryAcquire(request).orElseThrow())
          .toList();
      RedisServer silent = cluster.masterOf(slotOf("l1-0"));
      List<Lease> others = leases.stream()
          .filter(lease -> cluster.masterOf(slotOf(lease.name())) != silent)
          .toList();

      silent.pause();
      Thread.sleep(4_000); // longer than a lease: the time itself is what is tested
      silent.resume();

      assertThat(others).hasSizeGreaterThan(20).allMatch(Lease::isValid);
      assertThat(leases).anyMatch(lease -> !lease.isValid());
    }
  }

  @Test
  @Order(5)
  void X1_aSlotMovesUnderLoadAndNothingIsLost() throws Exception {
    String name = "moving";
    int slot = slotOf(name);
    AtomicBoolean goOn = new AtomicBoolean(true);
    AtomicInteger guarded = new AtomicInteger();
    AtomicInteger entries = new AtomicInteger();
    try (LockClient one = Locks.open(uri());
        LockClient other = Locks.open(uri())) {
      List<CompletableFuture<Void>> threads = Stream.of(one, one, other, other)
          .map(client ->
              CompletableFuture.runAsync(() -> count(client, name, goOn, guarded, entries)))
          .toList();
      for (int moves = 0; moves < Integer.getInteger("interlock.topology.moves", 6); moves++) {
        RedisServer source = cluster.masterOf(slot);
        RedisServer target = cluster.masters().stream()
            .filter(node -> node != source)
            .findFirst()
            .orElseThrow();
        int before = entries.get();
        cluster.beginMigration(slot, target);
        cluster.finishMigration(slot, target);
        while (entries.get() < before + 10) {
          Thread.sleep(1);
        }
      }
      goOn.set(false);
      for (CompletableFuture<Void> thread : threads) {
        thread.get(30, TimeUnit.SECONDS);
      }
    }
    assertThat(guarded.get()).isEqualTo(entries.get());
  }

  /** Raises a counter in two steps, which loses counts unless the lock excludes the others. */
  private static void count(
      LockClient client,
      String name,
      AtomicBoolean goOn,
      AtomicInteger guarded,
      AtomicInteger entries) {
    while (goOn.get()) {
      try (Lease lease = client.acquire(LockRequest.of(name).withWait(PATIENCE))) {
        int read = guarded.get();
        Thread.sleep(1);
        guarded.set(read + 1);
        entries.incrementAndGet();
        assertThat(lease.isValid()).isTrue();
      } catch (BackendUnavailableException | OutcomeUnknownException e) {
        assertThat(e).isNotNull(); // the slot is on its way; whatever was counted was counted
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  @Test
  @Order(6)
  void aGrantNeedsTheReplicasOfItsOwnMasterOnly() {
    Map<String, RedisServer> masters = IntStream.range(0, 10)
        .mapToObj(i -> "r-" + i)
        .collect(Collectors.toMap(name -> name, name -> cluster.masterOf(slotOf(name))));
    RedisServer master = masters.get("r-0");
    RedisServer replica = cluster.nodes().stream()
        .filter(
            node -> node.command("INFO", "replication").contains("master_port:" + master.port()))
        .findFirst()
        .orElseThrow();
    try (LockClient client = Locks.open(uri() + "&replicas=1&replicaTimeout=PT0.5S")) {
      replica.pause();
      masters.forEach((name, its) -> {
        if (its == master) {
          assertThatThrownBy(() -> client.tryAcquire(LockRequest.of(name)))
              .isInstanceOf(BackendUnavailableException.class)
              .hasMessageContaining("replicas");
        } else {
          client.tryAcquire(LockRequest.of(name)).orElseThrow().release();
        }
      });
    } finally {
      replica.resume();
    }
  }

  @Test
  @Order(7)
  void W3_holdsAndQueuesOutliveTheirMaster() throws Exception {
    RedisServer master = cluster.masterOf(slotOf("n"));
    RedisSentinels.awaitReplicas(master, 1);
    try (LockClient holder = Locks.open(uri());
        LockClient waiter = Locks.open(uri())) {
      Lease held = holder.acquire(LockRequest.of("n"));
      CompletableFuture<Lease> next = waiter.acquireAsync(LockRequest.of("n").fair(true));
      while (holder.inspect("n").orElseThrow().waiters() == 0) {
        Thread.onSpinWait();
      }
      Thread.sleep(100); // the replica is a few milliseconds behind

      cluster.kill(master);

      assertThat(held.isValid()).isTrue();
      release(held);
      Lease granted = next.get(20, TimeUnit.SECONDS);
      assertThat(granted.fencingToken()).isGreaterThan(held.fencingToken());
      release(granted);
    }
  }

  /** A release may come while the client has not heard of the new master. */
  private static void release(Lease lease) {
    try {
      lease.release();
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      assertThat(e).isNotNull(); // it is repeated in the background
    }
  }
}
