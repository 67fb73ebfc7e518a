package dev.interlock.redis.support.jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.Topology;
import dev.interlock.redis.support.contract.FakeRedis;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.spi.ClientId;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisMovedDataException;

/** Which node of a cluster is believed. */
@Timeout(60)
class ClusterServersTest {
  private static final ClientId CLIENT = new ClientId("00000000000000aa", "host");

  private static LockConfig config(List<Node> nodes) {
    return LockConfig.builder("any")
        .set(JedisOptions.HOSTS, nodes.stream().map(Node::host).toList())
        .set(JedisOptions.TOPOLOGY, Topology.CLUSTER)
        .build();
  }

  private static LockKeys keysOfTheLowerHalf(ClusterServers servers) {
    return IntStream.range(0, 1000)
        .mapToObj(i -> new KeyLayout("t").keys("n" + i))
        .filter(candidate -> servers.group(candidate) < 8192)
        .findFirst()
        .orElseThrow();
  }

  /** Says what it knows of the slots. */
  private static final class Node implements AutoCloseable {
    private volatile String slots = "*0\r\n";
    private final FakeRedis server =
        new FakeRedis(command -> command.get(0).equals("CLUSTER") ? slots : "+OK\r\n");

    Node() throws IOException {}

    HostPort host() {
      return server.host();
    }

    String address() {
      return server.host().toString();
    }

    void knows(Node lowerHalf, Node upperHalf) {
      slots = "*2\r\n" + range(0, 8191, lowerHalf) + range(8192, 16383, upperHalf);
    }

    void knowsOfNoOwnerOfTheLastSlot(Node lowerHalf, Node upperHalf) {
      slots = "*2\r\n" + range(0, 8191, lowerHalf) + range(8192, 16382, upperHalf);
    }

    private static String range(int from, int to, Node node) {
      HostPort address = node.server.host();
      return "*3\r\n:%d\r\n:%d\r\n*3\r\n$9\r\n%s\r\n:%d\r\n$40\r\n%040d\r\n"
          .formatted(
              from,
              to,
              address.host(),
              address.port().orElseThrow(),
              address.port().orElseThrow());
    }

    @Override
    public void close() throws IOException {
      server.close();
    }
  }

  @Test
  void E7_whatIsReferredToANodeAfterCloseOpensNothingThere() throws Exception {
    try (Node one = new Node();
        Node other = new Node()) {
      one.knows(one, one);
      ClusterServers servers = ClusterServers.open(config(List.of(one)), CLIENT);
      LockKeys keys = new KeyLayout("t").keys("n");
      Target target = servers.of(keys);
      servers.close();
      String answer = "MOVED 1 " + other.address();
      HostAndPort elsewhere = new HostAndPort("127.0.0.1", other.host().port().orElseThrow());

      Target next = servers.after(
          keys,
          target,
          new BackendUnavailableException(
              answer, new JedisMovedDataException(answer, elsewhere, 1)));

      Connections connections = next.server().connections();
      assertThatThrownBy(() -> connections.borrow(Use.HOLDER))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("are closed");
      assertThat(other.server.connections()).isZero();
    }
  }

  /** A cluster whose nodes do not know by which names they are reached. */
  @Test
  void E4_aReferralWithoutAHostLeadsToTheHostThatGaveIt() throws Exception {
    try (Node one = new Node()) {
      one.knows(one, one);
      try (ClusterServers servers = ClusterServers.open(config(List.of(one)), CLIENT)) {
        LockKeys keys = new KeyLayout("t").keys("n");
        for (String answer : List.of("MOVED 1 :7001", "ASK 1 :7001")) {
          JedisDataException referral = refused(answer);
          Target next = servers.after(
              keys, servers.of(keys), new BackendUnavailableException(answer, referral));
          assertThat(next.server().calls().address()).isEqualTo("127.0.0.1:7001");
          assertThat(next.asking()).isEqualTo(answer.startsWith("ASK"));
        }
      }
    }
  }

  /** What Jedis makes of an error answer. */
  private static JedisDataException refused(String answer) throws Exception {
    try (FakeRedis refusing = new FakeRedis(command -> "-" + answer + "\r\n");
        Connection connection =
            new Connection("127.0.0.1", refusing.host().port().orElseThrow())) {
      connection.sendCommand(Command.PING);
      return (JedisDataException) catchThrowable(connection::getOne);
    }
  }

  @Test
  void W3_aMasterThatIsCutOffIsLeftThoughItIsTheFirstOfTheUri() throws Exception {
    try (Node cutOff = new Node();
        Node replica = new Node();
        Node other = new Node()) {
      List<Node> all = List.of(cutOff, replica, other);
      all.forEach(node -> node.knows(cutOff, other));
      try (ClusterServers servers = ClusterServers.open(config(all), CLIENT)) {
        LockKeys keys = keysOfTheLowerHalf(servers);
        Target target = servers.of(keys);
        assertThat(target.server().calls().address()).isEqualTo(cutOff.address());
        replica.knows(replica, other);
        other.knows(replica, other);

        Target next = servers.after(
            keys, target, new BackendUnavailableException("CLUSTERDOWN The cluster is down"));

        assertThat(next.server().calls().address()).isEqualTo(replica.address());
        assertThat(servers.all())
            .as("where the client listens, and what it does not close")
            .contains(next.server())
            .doesNotContain(target.server());
      }
    }
  }

  @Test
  void W3_aNewMasterIsFoundWhileASlotHasNoOwner() throws Exception {
    try (Node master = new Node();
        Node replica = new Node();
        Node other = new Node()) {
      List<Node> all = List.of(master, replica, other);
      all.forEach(node -> node.knows(master, other));
      try (ClusterServers servers = ClusterServers.open(config(all), CLIENT)) {
        LockKeys keys = keysOfTheLowerHalf(servers);
        Target target = servers.of(keys);
        all.forEach(node -> node.knowsOfNoOwnerOfTheLastSlot(replica, other));

        Target next =
            servers.after(keys, target, new BackendUnavailableException("Connection refused"));

        assertThat(next.server().calls().address()).isEqualTo(replica.address());
      }
    }
  }
}
