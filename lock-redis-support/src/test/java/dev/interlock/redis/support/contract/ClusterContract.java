package dev.interlock.redis.support.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.testservers.RedisCluster;
import dev.interlock.testservers.RedisSentinels;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.RedisServerBuilder;
import dev.interlock.testservers.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
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
 * share one, in order; those that take long run with {@code interlock.test.topologies=true}, and
 * the last one kills a node.
 */
@Timeout(120)
@TestMethodOrder(OrderAnnotation.class)
public abstract class ClusterContract {
  private static RedisCluster cluster;

  /** The provider's id. */
  protected abstract String provider();

  @BeforeAll
  static void start() {
    int replicas = Boolean.getBoolean("interlock.test.topologies") ? 1 : 0;
    cluster = TestRedis.cluster(replicas, ClusterContract::settings);
  }

  private static RedisServerBuilder settings(RedisServerBuilder builder) {
    return builder.password("s3cret").config("cluster-require-full-coverage", "no");
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private String uri() {
    return cluster.uri(provider());
  }

  private static RedisServer masterOf(String name) {
    return cluster.masterOf(slotOf(name));
  }

  private static int slotOf(String name) {
    return cluster.slotOf(Topologies.key(name));
  }

  private static RedisServer anotherThan(RedisServer master) {
    return cluster.masters().stream().filter(one -> one != master).findFirst().orElseThrow();
  }

  /** A name on each master. */
  private static List<String> spread() {
    return cluster.masters().stream()
        .map(master -> IntStream.range(0, 1_000)
            .mapToObj(i -> "spread-" + i)
            .filter(name -> masterOf(name) == master)
            .findFirst()
            .orElseThrow())
        .toList();
  }

  @Test
  @Order(1)
  void X1_W3_aHoldAndAWaiterOutliveTheMoveOfTheirSlot() throws Exception {
    try (LockClient holder = Locks.open(uri());
        LockClient waiter = Locks.open(uri())) {
      for (String name : spread()) {
        Topologies.handOffSoon(holder, waiter, name).release();
      }
      Lease held = holder.acquire(LockRequest.of("n"));
      CompletableFuture<Lease> next = waiter.acquireAsync(LockRequest.of("n"));
      Topologies.awaitWaiters(holder, "n", 1);
      RedisServer target = anotherThan(masterOf("n"));

      cluster.beginMigration(slotOf("n"), target);
      cluster.finishMigration(slotOf("n"), target);

      assertThat(held.extend(Duration.ofSeconds(40))).isTrue();
      assertThat(next).isNotDone();
      held.release();
      Lease granted = next.get(10, TimeUnit.SECONDS);
      assertThat(granted.fencingToken()).isGreaterThan(held.fencingToken());
      assertThat(target.command("EXISTS", Topologies.key("n"))).isEqualTo("1");
      granted.release();
      assertThat(holder.tryAcquire(LockRequest.of("n"))).isPresent();
    }
  }

  @Test
  @Order(2)
  void N1_aHoldIsExtendedWhileItsKeyIsOnTheWay() throws Exception {
    try (LockClient client = Locks.open(uri())) {
      Lease held = client.acquire(LockRequest.of("way"));
      RedisServer source = masterOf("way");
      RedisServer target = anotherThan(source);
      cluster.beginMigration(slotOf("way"), target);
      assertThat(held.extend(Duration.ofSeconds(31))).isTrue();
      source.command(
          "MIGRATE",
          target.host(),
          Integer.toString(target.port()),
          Topologies.key("way"),
          "0",
          "5000",
          "AUTH",
          "s3cret");
      assertThat(held.extend(Duration.ofSeconds(32))).isTrue(); // the source answers ASK
      assertThat(isGranted(client, "way")).isFalse();
      cluster.finishMigration(slotOf("way"), target);
      assertThat(client.tryAcquire(LockRequest.of("way"))).isEmpty();
      held.release();
    }
  }

  @Test
  @Order(2)
  void O3_aReleaseWhileTheSlotIsOnTheWayIsRepeatedUntilItIsDone() throws Exception {
    try (LockClient client = Locks.open(uri())) {
      Lease held = client.acquire(LockRequest.of("torn"));
      RedisServer target = anotherThan(masterOf("torn"));
      cluster.beginMigration(slotOf("torn"), target);
      assertThatThrownBy(held::release).isInstanceOf(OutcomeUnknownException.class);
      cluster.finishMigration(slotOf("torn"), target);
      Topologies.await(() -> client.inspect("torn").isEmpty());
    }
  }

  @Test
  @Order(2)
  void locksOfAllMastersAreListed() {
    Topologies.locksOfAllMastersAreListed(cluster, uri());
  }

  private static boolean isGranted(LockClient client, String name) {
    try {
      return client.tryAcquire(LockRequest.of(name)).isPresent();
    } catch (BackendUnavailableException e) {
      assertThat(e).hasMessageContaining("TRYAGAIN");
      return false;
    }
  }

  @Test
  @Order(3)
  void X1_slotsMoveUnderLoadAndNothingIsLost() throws Exception {
    boolean longer = Boolean.getBoolean("interlock.test.topologies");
    try (LockClient one = Locks.open(uri());
        LockClient other = Locks.open(uri())) {
      Topologies.Crowd crowd = Topologies.Crowd.on("moving", one, other);
      for (int moves = longer ? 20 : 2; moves > 0; moves--) {
        RedisServer target = anotherThan(masterOf("moving"));
        crowd.awaitEntries(10);
        cluster.beginMigration(slotOf("moving"), target);
        cluster.finishMigration(slotOf("moving"), target);
      }
      crowd.awaitEntries(10);
      crowd.end();
    }
  }

  @Test
  @Order(3)
  void E2_aReleaseThatPassesALockOfWhichTheSlotMovesIsNoLoss() throws Exception {
    List<LockException> errors = new CopyOnWriteArrayList<>();
    LockListener listener = new LockListener() {
      @Override
      public void backendError(String operation, String name, LockException error) {
        errors.add(error);
      }
    };
    LockConfig listening =
        LockConfig.parse(uri()).toBuilder().listener(listener).build();
    try (LockClient one = Locks.open(listening);
        LockClient other = Locks.open(listening)) {
      String name = "passed-on-the-move";
      Lease held = one.acquire(LockRequest.of(name));
      CompletableFuture<Lease> next = one.acquireAsync(LockRequest.of(name));
      CompletableFuture<Lease> last = other.acquireAsync(LockRequest.of(name));
      Topologies.awaitWaiters(other, name, 1);
      TimeUnit.MILLISECONDS.sleep(100); // the first one waits within its client, unseen
      RedisServer target = anotherThan(masterOf(name));
      // All keys are still where they were, but what a script deletes it cannot write again.
      cluster.beginMigration(slotOf(name), target);
      try {
        Topologies.release(held);
        // Either the release meets it or, where that can be done, whoever is called by it.
        Topologies.await(() -> !errors.isEmpty());
      } finally {
        cluster.finishMigration(slotOf(name), target);
      }
      CompletableFuture.allOf(
              next.thenAccept(Topologies::release), last.thenAccept(Topologies::release))
          .get(20, TimeUnit.SECONDS);
      // A script that ended halfway must not count as one that changed nothing.
      assertThat(errors)
          .allMatch(error -> error instanceof BackendUnavailableException
              || error instanceof OutcomeUnknownException);
    }
  }

  @Test
  @Order(4)
  void N6_holdsOnAllNodesAreRenewedTogether() throws Exception {
    try (LockClient client = Locks.open(uri() + "&lease=PT6S")) {
      List<Lease> leases = IntStream.range(0, 30)
          .mapToObj(i -> client.tryAcquire(LockRequest.of("renewed-" + i)).orElseThrow())
          .toList();
      long start = System.nanoTime();
      Topologies.await(() -> System.nanoTime() - start > Duration.ofSeconds(13).toNanos());
      assertThat(leases).allMatch(Lease::isValid);
      leases.forEach(Lease::release);
    }
  }

  @Test
  @Order(5)
  void E8_whatIsNoClusterAndWhatIsOneAreNamedAtOpen() throws Exception {
    ClusterFaults.whatIsNoClusterAndWhatIsOneAreNamed(cluster, provider());
  }

  @Test
  @Order(6)
  void E9_locksOfOtherSlotsAreHadWhileOneHasNoOwner() {
    RedisServer owner = masterOf("orphan");
    String slot = Integer.toString(slotOf("orphan"));
    List<RedisServer> others =
        cluster.nodes().stream().filter(node -> node != owner).toList();
    owner.command("CLUSTER", "DELSLOTS", slot);
    try {
      others.forEach(node -> node.command("CLUSTER", "DELSLOTS", slot));
      try (LockClient client = Locks.open(uri())) {
        spread()
            .forEach(
                name -> client.tryAcquire(LockRequest.of(name)).orElseThrow().release());
        assertThatThrownBy(() -> client.tryAcquire(LockRequest.of("orphan")))
            .isInstanceOf(BackendUnavailableException.class)
            .hasMessageFindingMatch("serves slot " + slot + " now|slot not served");
      }
    } finally {
      owner.command("CLUSTER", "ADDSLOTS", slot);
      Topologies.await(() -> cluster.nodes().stream()
          .allMatch(node -> node.command("CLUSTER", "INFO").contains("slots_ok:16384")));
    }
  }

  @Test
  @Order(6)
  @EnabledIfSystemProperty(named = "interlock.test.topologies", matches = "true")
  @Timeout(480) // a minute and a half where other work goes on beside it
  void theRulesHold() {
    Topologies.holdRules(
        uri(), key -> cluster.masterOf(cluster.slotOf(key)), () -> cluster.masters());
  }

  @Test
  @Order(7)
  @EnabledIfSystemProperty(named = "interlock.test.topologies", matches = "true")
  void L1_aNodeThatIsSilentCostsTheLocksOfTheOthersNothing() throws Exception {
    try (LockClient client = Locks.open(uri() + "&timeout=PT0.5S")) {
      List<Lease> leases = IntStream.range(0, 60)
          .mapToObj(
              i -> LockRequest.of("l1-" + i).withLease(Duration.ofSeconds(4)).renewing())
          .map(request -> client.tryAcquire(request).orElseThrow())
          .toList();
      RedisServer silent = masterOf("l1-0");
      List<Lease> others =
          leases.stream().filter(lease -> masterOf(lease.name()) != silent).toList();

      cluster.masters().forEach(node -> node.command("SCRIPT", "FLUSH"));
      silent.pause();
      long start = System.nanoTime();
      Topologies.await(() -> System.nanoTime() - start > Duration.ofSeconds(6).toNanos());
      silent.resume();

      assertThat(others).hasSizeGreaterThan(20).allMatch(Lease::isValid);
      assertThat(leases).anyMatch(lease -> !lease.isValid());
    }
  }

  @Test
  @Order(7)
  @EnabledIfSystemProperty(named = "interlock.test.topologies", matches = "true")
  void E3_W4_callsEndInTimeThoughAllNodesAreSilent() {
    ClusterFaults.callsEndInTimeThoughAllNodesAreSilent(cluster, uri());
  }

  @Test
  @Order(8)
  @EnabledIfSystemProperty(named = "interlock.test.topologies", matches = "true")
  void aGrantNeedsTheReplicasOfItsOwnMasterOnly() {
    Topologies.grantsNeedTheReplicasOfTheirOwnMasterOnly(cluster, uri());
  }

  @Test
  @Order(8)
  @EnabledIfSystemProperty(named = "interlock.test.topologies", matches = "true")
  void M2_L7_aHolderOnANewMasterHearsOfAForcedRelease() throws Exception {
    ClusterFaults.aHolderOnANewMasterHearsOfAForcedRelease(cluster, uri());
  }

  @Test
  @Order(9)
  @EnabledIfSystemProperty(named = "interlock.test.topologies", matches = "true")
  void W3_holdsAndWaitersOutliveTheirMaster() throws Exception {
    RedisServer master = masterOf("n");
    RedisSentinels.awaitReplicas(master, 1);
    try (LockClient holder = Locks.open(uri());
        LockClient waiter = Locks.open(uri())) {
      Lease held = holder.acquire(LockRequest.of("n"));
      CompletableFuture<Lease> next = waiter.acquireAsync(LockRequest.of("n"));
      Topologies.awaitWaiters(holder, "n", 1);
      Topologies.awaitWrites(master, cluster.replicaOf(master).orElseThrow());

      cluster.kill(master);

      assertThat(held.isValid()).isTrue();
      Topologies.await(() -> held.extend(Duration.ofSeconds(30)));
      Topologies.release(held);
      Lease granted = next.get(20, TimeUnit.SECONDS);
      assertThat(granted.fencingToken()).isGreaterThan(held.fencingToken());
      granted.release();
    }
  }

  @Test
  @Order(10)
  void aClientIsOpenedWhileAMasterIsGoneAndHasTheLocksOfTheOthers() {
    List<String> names = spread();
    RedisServer gone = masterOf(""); // which an opening client would ask first
    List<String> others = names.stream().filter(name -> masterOf(name) != gone).toList();
    cluster.replicaOf(gone).ifPresent(RedisServer::kill);
    gone.kill();
    for (String options : List.of("", "&replicas=1")) {
      try (LockClient client = Locks.open(uri() + options)) {
        assertThat(client.inspect(others.get(0))).isEmpty();
        if (options.isEmpty()) {
          assertThat(others)
              .allMatch(name -> client.tryAcquire(LockRequest.of(name)).isPresent());
        }
      }
    }
  }
}
