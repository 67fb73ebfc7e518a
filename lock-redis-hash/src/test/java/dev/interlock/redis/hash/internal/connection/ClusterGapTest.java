package dev.interlock.redis.hash.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.testservers.RedisCluster;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cluster of which a master has gone, and none has taken its place. */
@Timeout(60)
class ClusterGapTest {
  @Test
  void aClientIsOpenedWhicheverItIsAndHasTheLocksOfTheOthers() {
    try (RedisCluster cluster =
        TestRedis.cluster(0, builder -> builder.config("cluster-require-full-coverage", "no"))) {
      for (RedisServer gone : cluster.masters()) {
        Map<Boolean, List<String>> names = IntStream.range(0, 40)
            .mapToObj(i -> "gap-" + i)
            .collect(Collectors.partitioningBy(
                name -> cluster.masterOf(cluster.slotOf(Topologies.key(name))) == gone));
        String lost = names.get(true).get(0);
        gone.kill();
        for (int i = 0; i < 4; i++) { // each has a mailbox, with a slot of its own
          try (LockClient client = Locks.open(cluster.uri("redis-hash"))) {
            assertThat(names.get(false))
                .hasSizeGreaterThan(10)
                .allMatch(name -> client.tryAcquire(LockRequest.of(name)).isPresent());
          }
        }
        try (LockClient client = Locks.open(cluster.uri("redis-hash"))) {
          assertThatThrownBy(() -> client.tryAcquire(LockRequest.of(lost)))
              .isInstanceOf(BackendUnavailableException.class)
              // By then Lettuce may be between two tries, and tells the second of these.
              .message()
              .containsAnyOf("Connection refused", "is not connected");
        }
        gone.start();
        Topologies.await(() -> gone.command("CLUSTER", "INFO").contains("cluster_state:ok"));
      }
    }
  }
}
