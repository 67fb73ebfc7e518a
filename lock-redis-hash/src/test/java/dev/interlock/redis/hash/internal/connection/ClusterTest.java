package dev.interlock.redis.hash.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.redis.hash.RedisHashLocks;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.testservers.RedisCluster;
import dev.interlock.testservers.RedisSentinels;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Locks in a cluster whose slots and masters move. Starting a cluster takes seconds, so the tests
 * share one; the last one kills a node of it.
 */
@Timeout(120)
@EnabledIfSystemProperty(named = "interlock.test.topologies", matches = "true")
@TestMethodOrder(OrderAnnotation.class)
class ClusterTest {
  private static RedisCluster cluster;

  /** An application's own, which never looks where the slots are by itself. */
  private static RedisClusterClient application;

  @BeforeAll
  static void start() {
    cluster = TestRedis.cluster(1, builder -> builder.password("s3cret"));
    application = RedisClusterClient.create(cluster.masters().stream()
        .map(node -> RedisURI.builder()
            .withHost(node.host())
            .withPort(node.port())
            .withPassword("s3cret".toCharArray())
            .build())
        .toList());
  }

  @AfterAll
  static void stop() {
    application.shutdown();
    cluster.close();
  }

  private static LockClient open(boolean byApplication) {
    return byApplication ? RedisHashLocks.using(application) : Locks.open(uri());
  }

  private static String uri() {
    return cluster.uri("redis-hash");
  }

  private static int slotOf(String name) {
    return cluster.slotOf(Topologies.key(name));
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

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Order(2)
  void P1_aReleaseOnAnyNodeHandsOnAtOnceToAnotherClient(boolean byApplication) throws Exception {
    // Three names, one on each master: its scripts count only who listens on that master.
    List<String> names = cluster.masters().stream()
        .map(node -> IntStream.range(0, 1_000)
            .mapToObj(i -> "p1-" + i)
            .filter(name -> cluster.masterOf(slotOf(name)) == node)
            .findFirst()
            .orElseThrow())
        .toList();
    try (LockClient holder = open(byApplication);
        LockClient waiter = open(byApplication)) {
      for (String name : names) {
        Lease held = holder.acquire(LockRequest.of(name));
        CompletableFuture<Lease> next = waiter.acquireAsync(LockRequest.of(name).fair(true));
        Topologies.awaitWaiters(holder, name, 1);
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

      cluster.masters().forEach(node -> node.command("SCRIPT", "FLUSH"));
      silent.pause();
      Thread.sleep(4_000); // longer than a lease: the time itself is what is tested
      silent.resume();

      assertThat(others).hasSizeGreaterThan(20).allMatch(Lease::isValid);
      assertThat(leases).anyMatch(lease -> !lease.isValid());
    }
  }

  /**
   * New clients and names each time: the first messages of a client are the ones that go astray.
   */
  @Test
  @Order(5)
  void X1_slotsMoveUnderLoadAndNothingIsLost() throws Exception {
    for (int round = 0; round < Integer.getInteger("interlock.topology.rounds", 4); round++) {
      String name = "moving-" + round;
      try (LockClient one = Locks.open(uri());
          LockClient other = open(round % 2 == 1)) {
        Topologies.Crowd crowd = Topologies.Crowd.on(name, one, other);
        for (int moves = 0; moves < 2; moves++) {
          moveSlotOf(name);
          crowd.awaitEntries(10);
        }
        crowd.end();
      }
    }
  }

  private static void moveSlotOf(String name) {
    int slot = slotOf(name);
    RedisServer source = cluster.masterOf(slot);
    RedisServer target =
        cluster.masters().stream().filter(node -> node != source).findFirst().orElseThrow();
    cluster.beginMigration(slot, target);
    cluster.finishMigration(slot, target);
  }

  @Test
  @Order(6)
  void aGrantNeedsTheReplicasOfItsOwnMasterOnly() {
    Topologies.grantsNeedTheReplicasOfTheirOwnMasterOnly(cluster, uri());
  }

  /** A node for what concerns no key is the one with the fewest clients, be it a replica. */
  @Test
  @Order(7)
  void aClientThatNeedsReplicasOpensAtAnyNode() {
    List<LockClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < 8; i++) {
        LockClient client = Locks.open(uri() + "&replicas=1");
        clients.add(client);
        client.tryAcquire(LockRequest.of("a")).orElseThrow().release();
      }
    } finally {
      clients.forEach(LockClient::close);
    }
  }

  @Test
  @Order(8)
  void anApplicationsClientIsLeftOpenAndHasNoConnectionOfOursAfterwards() {
    long before = connections();
    RedisHashLocks.using(application).close();
    Topologies.await(() -> connections() <= before);
    try (StatefulRedisClusterConnection<String, String> connection = application.connect()) {
      assertThat(connection.sync().ping()).isEqualTo("PONG");
    }
  }

  private static long connections() {
    return cluster.masters().stream()
        .flatMap(node -> node.command("CLIENT", "LIST").lines())
        .count();
  }

  @Test
  @Order(9)
  void W3_holdsAndQueuesOutliveTheirMaster() throws Exception {
    RedisServer master = cluster.masterOf(slotOf("n"));
    RedisSentinels.awaitReplicas(master, 1);
    try (LockClient holder = Locks.open(uri());
        LockClient waiter = Locks.open(uri());
        LockClient last = open(true)) {
      Lease held = holder.acquire(LockRequest.of("n"));
      CompletableFuture<Lease> next = waiter.acquireAsync(LockRequest.of("n").fair(true));
      Topologies.awaitWaiters(holder, "n", 1);
      CompletableFuture<Lease> behind = last.acquireAsync(LockRequest.of("n").fair(true));
      Topologies.awaitWaiters(holder, "n", 2);
      Topologies.awaitWrites(master, cluster.replicaOf(master).orElseThrow());

      cluster.kill(master);

      assertThat(held.isValid()).isTrue();
      Topologies.release(held);
      Lease granted = next.get(20, TimeUnit.SECONDS);
      assertThat(granted.fencingToken()).isGreaterThan(held.fencingToken());
      Topologies.release(granted);
      Topologies.release(behind.get(20, TimeUnit.SECONDS));
    }
  }
}
