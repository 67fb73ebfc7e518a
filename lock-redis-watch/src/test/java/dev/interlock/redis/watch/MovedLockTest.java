package dev.interlock.redis.watch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.Topology;
import dev.interlock.redis.support.contract.TestClient;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.redis.support.jedis.JedisCalls;
import dev.interlock.redis.support.jedis.JedisOptions;
import dev.interlock.redis.support.jedis.Servers;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HoldId;
import dev.interlock.testservers.RedisCluster;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.Protocol.Command;

/** A lock whose slot is being moved to another node of the cluster. */
@Timeout(120)
class MovedLockTest {
  private static final KeyLayout LAYOUT = new KeyLayout(TestClient.NAMESPACE);

  /** Releases are repeated until the slot has moved, and the other locks there go on meanwhile. */
  @Test
  void E9_aReleaseThatIsRefusedCostsTheOtherNodeNoConnection() {
    try (RedisCluster cluster = TestRedis.cluster(0, builder -> builder)) {
      LockConfig config = LockConfig.builder(RedisWatchProvider.ID)
          .set(JedisOptions.TOPOLOGY, Topology.CLUSTER)
          .set(
              JedisOptions.HOSTS,
              cluster.masters().stream().map(MovedLockTest::host).toList())
          .build();
      Servers servers = Servers.open(config, new ClientId("00000000000000aa", "host"));
      try {
        int slot = cluster.slotOf(new String(LAYOUT.keys("n").lock(), UTF_8));
        RedisServer source = cluster.masterOf(slot);
        RedisServer target =
            cluster.masters().stream().filter(one -> one != source).findFirst().orElseThrow();
        cluster.beginMigration(slot, target);
        FreeTransaction freeing = new FreeTransaction(new Transactions(servers), LAYOUT);
        JedisCalls calls = servers.all().stream()
            .map(server -> server.calls())
            .filter(each -> each.address().endsWith(":" + target.port()))
            .findFirst()
            .orElseThrow();
        String before = connection(calls);
        for (int i = 0; i < 3; i++) {
          assertThatThrownBy(() -> freeing.release(LAYOUT.keys("n"), new HoldId(0xaa, 1)))
              .isExactlyInstanceOf(BackendUnavailableException.class)
              .hasMessageContaining("is being moved");
          assertThat(connection(calls)).isEqualTo(before);
        }
        assertThat(target.command("CLIENT", "LIST")).doesNotContain(" watch=1");
      } finally {
        servers.close();
      }
    }
  }

  /** The number of the connection that is used next. */
  private static String connection(JedisCalls calls) {
    return calls.on(Use.HOLDER, "tell its number", LAYOUT.keys(""), connection -> {
      connection.sendCommand(Command.CLIENT, "ID");
      return String.valueOf(connection.getIntegerReply());
    });
  }

  private static HostPort host(RedisServer server) {
    return HostPort.of(server.host(), server.port());
  }
}
