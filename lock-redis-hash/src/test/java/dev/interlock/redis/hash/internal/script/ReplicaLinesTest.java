package dev.interlock.redis.hash.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfig;
import dev.interlock.redis.hash.internal.connection.Connections;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HoldId;
import dev.interlock.testservers.RedisCluster;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client that waits for replicas keeps of the masters of a cluster. */
@Timeout(60)
class ReplicaLinesTest {
  private static final HoldId NOBODYS = new HoldId(0, 0);

  /** Where nodes come and go, each with an address of its own, that would be ever more. */
  @Test
  void E7_theConnectionToAMasterThatIsGoneIsNotKept() {
    try (RedisCluster cluster =
            TestRedis.cluster(0, builder -> builder.config("cluster-require-full-coverage", "no"));
        Connections connections = connections(cluster)) {
      ReplicaWait wait = ReplicaWait.open(
          connections.open(), config(cluster), new KeyLayout("interlock"), connections);
      List<RedisServer> masters = cluster.masters();
      List<String> names =
          masters.stream().map(master -> nameOn(cluster, master)).toList();
      wait.confirm(names.get(0), NOBODYS);
      masters.get(0).kill();
      Topologies.await(() -> isUnreachable(wait, names.get(0)));

      wait.confirm(names.get(1), NOBODYS);
      assertThat(wait.knownMasters()).isOne();
      wait.confirm(names.get(2), NOBODYS);
      assertThat(wait.knownMasters()).isEqualTo(2);
    }
  }

  private static LockConfig config(RedisCluster cluster) {
    return LockConfig.parse(cluster.uri("redis-hash"));
  }

  private static Connections connections(RedisCluster cluster) {
    return Connections.own(config(cluster), new ClientId("00000000000000aa", "host"));
  }

  private static String nameOn(RedisCluster cluster, RedisServer master) {
    return IntStream.range(0, 1_000)
        .mapToObj(i -> "line-" + i)
        .filter(name -> cluster.masterOf(cluster.slotOf(Topologies.key(name))) == master)
        .findFirst()
        .orElseThrow();
  }

  private static boolean isUnreachable(ReplicaWait wait, String name) {
    try {
      wait.confirm(name, NOBODYS);
      return false;
    } catch (BackendUnavailableException e) {
      return String.valueOf(e.getMessage()).contains("is not connected");
    }
  }
}
