package dev.interlock.redis.hash.internal.connection;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.redis.hash.RedisHashLocks;
import dev.interlock.redis.hash.internal.backend.TestClient;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.contract.ClusterFaults;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.testservers.RedisCluster;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import io.lettuce.core.RedisClient;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cluster that is addressed as one server, or the other way round. */
@Timeout(60)
class ClusterAddressTest {
  private static RedisCluster cluster;

  @BeforeAll
  static void start() {
    cluster = TestRedis.cluster(0, builder -> builder.password("s3cret"));
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static List<String> namesOn(RedisServer node) {
    return IntStream.range(0, 40)
        .mapToObj(i -> "e8-" + i)
        .filter(name -> cluster.masterOf(cluster.slotOf(Topologies.key(name))) == node)
        .toList();
  }

  /** The node that has what an opening client asks for. */
  private static RedisServer first() {
    byte[] asked = new KeyLayout("interlock").nobodys(0).lock();
    return cluster.masterOf(cluster.slotOf(new String(asked, UTF_8)));
  }

  private static String uri(String scheme, RedisServer node) {
    return scheme + "://:s3cret@" + node.host() + ":" + node.port();
  }

  @Test
  void E8_whatIsNoClusterAndWhatIsOneAreNamed() throws Exception {
    ClusterFaults.whatIsNoClusterAndWhatIsOneAreNamed(cluster, "redis-hash");
  }

  @Test
  void E8_anApplicationsClientOfOneNodeIsToldWhatItLacks() {
    String elsewhere = namesOn(cluster.masters().stream()
            .filter(node -> node != first())
            .findFirst()
            .orElseThrow())
        .get(0);
    RedisClient redis = RedisClient.create(uri("redis", first()));
    try (LockClient client = RedisHashLocks.using(redis)) {
      assertThatThrownBy(() -> client.tryAcquire(LockRequest.of(elsewhere)))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("a RedisClusterClient");
    } finally {
      redis.shutdown();
    }
  }

  /** One script renews all, and a node refuses one for several slots though it has them all. */
  @Test
  void E8_holdsOfSeveralSlotsTellWhyTheyCannotBeRenewed() {
    try (TestClient client = TestClient.deaf(uri("redis-hash", first()))) {
      List<Renewal> batch = namesOn(first()).stream()
          .map(name -> Renewal.of(name, client.id(), TestClient.LEASE, false))
          .peek(renewal ->
              assertThat(client.tryOnce(renewal.name(), renewal.id())).isInstanceOf(Grant.class))
          .toList();
      assertThat(batch).hasSizeGreaterThan(1);
      assertThatThrownBy(() -> RenewalAnswers.collect(client.backend, batch))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("add topology=cluster");
    }
  }
}
