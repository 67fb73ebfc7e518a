package dev.interlock.redis.support.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.LostReason;
import dev.interlock.testservers.RedisCluster;
import dev.interlock.testservers.RedisSentinels;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What happens to a cluster of which a client notices little. */
public final class ClusterFaults {
  private ClusterFaults() {}

  /** Who asks all nodes where the slot is, one after the other, waits for twelve time limits. */
  static void callsEndInTimeThoughAllNodesAreSilent(RedisCluster cluster, String uri) {
    try (LockClient client = Locks.open(uri + "&timeout=PT0.5S")) {
      client.tryAcquire(LockRequest.of("silent")).orElseThrow().release();
      cluster.nodes().forEach(RedisServer::pause);
      try {
        for (int i = 0; i < 2; i++) {
          assertThatFailsWithin(
              Duration.ofSeconds(3), () -> client.tryAcquire(LockRequest.of("silent")));
          assertThatFailsWithin(
              Duration.ofSeconds(4),
              () -> client.acquire(LockRequest.of("silent").withWait(Duration.ofSeconds(1))));
        }
      } finally {
        cluster.nodes().forEach(RedisServer::resume);
      }
      Topologies.await(() -> client.tryAcquire(LockRequest.of("no more")).isPresent());
    }
  }

  private static void assertThatFailsWithin(Duration limit, ThrowingCallable call) {
    long start = System.nanoTime();
    assertThatThrownBy(call).isInstanceOf(LockException.class);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(limit);
  }

  /** The holder waits for nothing, so it has no other reason to listen there. */
  static void aHolderOnANewMasterHearsOfAForcedRelease(RedisCluster cluster, String uri)
      throws Exception {
    RedisServer master = masterOf(cluster, "forced-0");
    List<String> names = IntStream.range(0, 1_000)
        .mapToObj(i -> "forced-" + i)
        .filter(name -> masterOf(cluster, name) == master)
        .limit(2)
        .toList();
    RedisSentinels.awaitReplicas(master, 1);
    RedisServer successor = cluster.replicaOf(master).orElseThrow();
    try (LockClient holder = Locks.open(uri);
        LockClient operator = Locks.open(uri)) {
      cluster.failOver(master);
      // Whatever it asks for there tells it of the new master.
      Topologies.await(() -> holder.tryAcquire(LockRequest.of(names.get(0))).isPresent());
      Lease held = holder.acquire(LockRequest.of(names.get(1)).withLease(Duration.ofMinutes(1)));
      Topologies.await(
          () -> !successor.command("PUBSUB", "CHANNELS", "*:mailbox:*").isEmpty());
      assertThat(operator.forceRelease(names.get(1))).isTrue();
      assertThat(held.lost().toCompletableFuture().get(1, TimeUnit.SECONDS))
          .isEqualTo(LostReason.FORCED);
    }
  }

  /**
   * A URI that names a cluster where there is none, one that names a node of it as if that were
   * all, and some that are wrong for any cluster.
   *
   * @param cluster has the password {@code s3cret}
   */
  public static void whatIsNoClusterAndWhatIsOneAreNamed(RedisCluster cluster, String provider)
      throws IOException {
    try (RedisServer single = TestRedis.start()) {
      assertThatThrownBy(() -> Locks.open(single.uri(provider) + "?topology=cluster"))
          .isInstanceOf(LockConfigurationException.class)
          .hasMessageContaining("is not a cluster: leave out topology=cluster");
    }
    assertThatThrownBy(() -> Locks.open(cluster.uri(provider).replace("?", "/1?")))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("a cluster has database 0 only")
        .hasMessageNotContaining("s3cret");
    int port = Topologies.freePort();
    assertThatThrownBy(
            () -> Locks.open(provider + "://:hunter2@127.0.0.1:" + port + "?topology=cluster"))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("Cannot connect to Redis at 127.0.0.1:" + port)
        .hasMessageNotContaining("hunter2");
    RedisServer elsewhere = cluster.masters().stream()
        .filter(node -> node != masterOf(cluster, "e8"))
        .findFirst()
        .orElseThrow();
    try (LockClient unaware =
        Locks.open(provider + "://:s3cret@" + elsewhere.host() + ":" + elsewhere.port())) {
      assertThatThrownBy(() -> unaware.tryAcquire(LockRequest.of("e8")))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("add topology=cluster");
    } catch (BackendUnavailableException atOpen) {
      assertThat(atOpen).hasMessageContaining("add topology=cluster");
    }
  }

  private static RedisServer masterOf(RedisCluster cluster, String name) {
    return cluster.masterOf(cluster.slotOf(Topologies.key(name)));
  }
}
