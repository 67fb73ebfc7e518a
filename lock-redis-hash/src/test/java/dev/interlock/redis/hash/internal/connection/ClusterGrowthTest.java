package dev.interlock.redis.hash.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.redis.hash.RedisHashLocks;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.testservers.RedisCluster;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cluster that gets a further node while a client is open, which does not know it yet. */
@Timeout(60)
class ClusterGrowthTest {
  private static final String NAME = "n";

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void E4_aCallThatDoesNotWaitFollowsItsSlotToANewNode(boolean byApplication) {
    try (RedisCluster cluster = TestRedis.cluster(0, builder -> builder);
        RedisServer added =
            TestRedis.builder().owned().config("cluster-enabled", "yes").start()) {
      RedisServer first = cluster.nodes().get(0);
      RedisClusterClient application =
          RedisClusterClient.create(RedisURI.create(first.host(), first.port()));
      try (LockClient client = byApplication
          ? RedisHashLocks.using(application)
          : Locks.open(cluster.uri("redis-hash"))) {
        client.tryAcquire(LockRequest.of(NAME)).orElseThrow().release();
        join(cluster, added);
        moveSlot(cluster, added);

        assertThat(client.tryAcquire(LockRequest.of(NAME))).isPresent();
        assertThat(added.command("EXISTS", Topologies.key(NAME))).isEqualTo("1");
      } finally {
        application.shutdown();
      }
    }
  }

  private static void join(RedisCluster cluster, RedisServer added) {
    RedisServer first = cluster.nodes().get(0);
    added.command("CLUSTER", "MEET", first.host(), Integer.toString(first.port()));
    Topologies.await(() -> Stream.concat(cluster.nodes().stream(), Stream.of(added))
        .map(node -> node.command("CLUSTER", "NODES"))
        .allMatch(seen ->
            seen.lines().count() == cluster.nodes().size() + 1 && !seen.contains("handshake")));
    Topologies.await(() -> added.command("CLUSTER", "INFO").contains("cluster_state:ok"));
  }

  private static void moveSlot(RedisCluster cluster, RedisServer target) {
    int slot = cluster.slotOf(Topologies.key(NAME));
    RedisServer source = cluster.masterOf(slot);
    String number = Integer.toString(slot);
    String targetId = target.command("CLUSTER", "MYID");
    target.command("CLUSTER", "SETSLOT", number, "IMPORTING", source.command("CLUSTER", "MYID"));
    source.command("CLUSTER", "SETSLOT", number, "MIGRATING", targetId);
    source.command(Stream.concat(
            Stream.of(
                "MIGRATE", target.host(), Integer.toString(target.port()), "", "0", "5000", "KEYS"),
            source.command("CLUSTER", "GETKEYSINSLOT", number, "100").lines())
        .toArray(String[]::new));
    target.command("CLUSTER", "SETSLOT", number, "NODE", targetId);
    source.command("CLUSTER", "SETSLOT", number, "NODE", targetId);
  }
}
