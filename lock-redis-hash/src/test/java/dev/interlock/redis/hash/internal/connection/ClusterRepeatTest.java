package dev.interlock.redis.hash.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.hash.RedisHashLocks;
import dev.interlock.redis.support.contract.GatedProxy;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an application's cluster client sends again after a reconnect. */
@Timeout(60)
class ClusterRepeatTest {
  private static final int SLOTS = 16_384;
  private static final LockRequest REQUEST = LockRequest.of("n");

  /** A cluster of one node, which sends its clients to the proxy. */
  private static RedisServer nodeBehind(GatedProxy proxy) {
    RedisServer node = TestRedis.builder()
        .owned()
        .config("cluster-enabled", "yes")
        .config("cluster-announce-ip", "127.0.0.1")
        .config("cluster-announce-port", Integer.toString(proxy.port()))
        .start();
    node.command(Stream.concat(
            Stream.of("CLUSTER", "ADDSLOTS"), IntStream.range(0, SLOTS).mapToObj(Integer::toString))
        .toArray(String[]::new));
    Topologies.await(() -> node.command("CLUSTER", "INFO").contains("cluster_state:ok"));
    proxy.leadTo(node.port());
    return node;
  }

  /** The node has executed it, and finds nothing the second time. */
  @Test
  void L7_aReleaseThatAClusterClientRepeatsAfterAReconnectIsNoLoss() throws Exception {
    try (GatedProxy proxy = GatedProxy.before(0);
        RedisServer node = nodeBehind(proxy)) {
      assertThat(node.command("CLUSTER", "NODES")).contains(":" + proxy.port() + "@");
      RedisClusterClient cluster = RedisClusterClient.create("redis://127.0.0.1:" + proxy.port());
      try (LockClient client = RedisHashLocks.using(cluster)) {
        client.acquire(REQUEST).release(); // the node knows the scripts now
        Lease lease = client.acquire(REQUEST);
        int connections = proxy.connections();
        proxy.cutAfter(0);
        Topologies.release(lease);
        Topologies.await(() -> client.inspect("n").isEmpty());
        assertThat(proxy.connections()).as("it was cut").isGreaterThan(connections);
        client.acquire(REQUEST).release();
        assertThat(lease.lost()).isNotDone();
      } finally {
        cluster.shutdown();
      }
    }
  }

  /** The client would send it again, and finds no node for its slot. */
  @Test
  void E3_anAttemptWhoseNodeIsForgottenAfterItRanIsNotSaidToHaveFailed() throws Exception {
    try (GatedProxy proxy = GatedProxy.before(0);
        RedisServer node = nodeBehind(proxy);
        RedisServer other =
            TestRedis.builder().owned().config("cluster-enabled", "yes").start()) {
      node.command("CLUSTER", "MEET", other.host(), Integer.toString(other.port()));
      Topologies.await(() -> Stream.of(node, other)
          .map(one -> one.command("CLUSTER", "NODES"))
          .allMatch(seen -> seen.lines().count() == 2 && !seen.contains("handshake")));
      RedisClusterClient cluster = RedisClusterClient.create("redis://127.0.0.1:" + proxy.port());
      try (LockClient client = RedisHashLocks.using(cluster)) {
        client.acquire(REQUEST).release();
        proxy.hold();
        CompletableFuture<Throwable> failure =
            CompletableFuture.supplyAsync(() -> catchThrowable(() -> client.tryAcquire(REQUEST)));
        Topologies.await(() -> node.command("EXISTS", Topologies.key("n")).equals("1"));
        proxy.close();
        other.command("CLUSTER", "FORGET", node.command("CLUSTER", "MYID"));
        cluster.refreshPartitions();

        assertThat(failure.get(10, TimeUnit.SECONDS)).isInstanceOf(OutcomeUnknownException.class);
      } finally {
        cluster.shutdown();
      }
    }
  }
}
