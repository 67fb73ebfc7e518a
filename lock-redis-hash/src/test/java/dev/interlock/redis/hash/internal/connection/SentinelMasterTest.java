package dev.interlock.redis.hash.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.contract.Undisturbed;
import dev.interlock.redis.hash.RedisHashOptions;
import dev.interlock.redis.hash.internal.backend.HashBackend;
import dev.interlock.redis.support.Topology;
import dev.interlock.redis.support.contract.FakeSentinel;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.spi.ClientId;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whom a client of a Sentinel set believes. */
@Timeout(60)
class SentinelMasterTest {
  private final List<FakeSentinel> sentinels = new ArrayList<>();
  private final List<OwnConnections> opened = new ArrayList<>();
  private RedisServer old;
  private RedisServer next;

  @BeforeEach
  void start() throws IOException {
    old = TestRedis.builder().owned().start();
    next = TestRedis.builder().owned().start();
    for (int i = 0; i < 3; i++) {
      sentinels.add(new FakeSentinel(address(next)));
    }
  }

  @AfterEach
  void stop() throws IOException {
    opened.forEach(OwnConnections::close);
    for (FakeSentinel sentinel : sentinels) {
      sentinel.close();
    }
    old.close();
    next.close();
  }

  private static HostPort address(RedisServer server) {
    return HostPort.of(server.host(), server.port());
  }

  private OwnConnections connections() {
    LockConfig config = LockConfig.builder("redis-hash")
        .set(RedisHashOptions.HOSTS, sentinels.stream().map(FakeSentinel::host).toList())
        .set(RedisHashOptions.TOPOLOGY, Topology.SENTINEL)
        .set(RedisHashOptions.MASTER, FakeSentinel.NAME)
        .set(RedisHashOptions.TIMEOUT, Duration.ofSeconds(5))
        .build();
    OwnConnections connections =
        new OwnConnections(config, new ClientId("00000000000000aa", "host"));
    opened.add(connections);
    return connections;
  }

  /** Opens connections as a client does, and waits until it hears all sentinels. */
  private SharedConnection open(OwnConnections connections) {
    SharedConnection connection = connections.open();
    connections.openListeners();
    Topologies.await(() -> sentinels.stream().allMatch(sentinel -> sentinel.subscribers.get() > 0));
    return connection;
  }

  /** Whether it leads there now; false also while it leads nowhere. */
  private static boolean leadsTo(RedisServer server, SharedConnection connection) {
    try {
      return connection.sync().info("server").contains("tcp_port:" + server.port());
    } catch (RedisException e) {
      return false;
    }
  }

  /** Lets one sentinel be asked as often as this. */
  private static void awaitLooks(FakeSentinel sentinel, int looks, Runnable each) {
    for (int i = 0; i < looks; i++) {
      int asked = sentinel.asked.get();
      Topologies.await(() -> {
        each.run();
        return sentinel.asked.get() > asked;
      });
    }
  }

  @Test
  void X1_aSentinelThatIsLateIsNotBelievedAtOpen() {
    sentinels.get(0).name(address(old));
    SharedConnection connection = open(connections());
    assertThat(leadsTo(next, connection)).isTrue();
  }

  @Test
  void X1_aSentinelThatIsLateIsBelievedNeitherWhenItAnnouncesNorWhenItIsHeardAgain()
      throws Exception {
    OwnConnections connections = connections();
    SharedConnection connection = open(connections);
    FakeSentinel late = sentinels.get(0);
    long id = connection.sync().clientId();

    late.announce(address(old));

    awaitLooks(late, 1, () -> {});
    int before = late.subscribers.get();
    late.cut();
    Topologies.await(() -> late.subscribers.get() > before);
    awaitLooks(late, 2, connections::lookAgain);
    assertThat(leadsTo(next, connection)).isTrue();
    assertThat(connection.sync().clientId()).as("the same connection").isEqualTo(id);
  }

  @Test
  void X1_aSentinelThatIsLateDoesNotLeadAConnectionBackThatIsOpenedAgain() {
    sentinels.get(0).name(address(old));
    SharedConnection connection = open(connections());
    for (int i = 0; i < 3; i++) {
      next.command("CLIENT", "KILL", "TYPE", "normal");
      Topologies.await(() -> leadsTo(next, connection));
    }
    assertThat(old.command("CLIENT", "LIST")).doesNotContain("name=interlock-");
  }

  @Undisturbed(millis = 300)
  void X1_aFailOverThatIsHeardOfIsFollowedAtOnce() {
    sentinels.forEach(sentinel -> sentinel.name(address(old)));
    SharedConnection connection = open(connections());
    assertThat(leadsTo(old, connection)).isTrue();
    sentinels.get(1).name(address(next));
    long start = System.nanoTime();

    sentinels.get(2).announce(address(next));

    Topologies.await(() -> leadsTo(next, connection));
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
    Topologies.await(() -> !old.command("CLIENT", "LIST").contains("name=interlock-"));
  }

  @Test
  void X1_aFailOverThatNobodyTellsOfIsFoundWhileTheClientIsUsed() {
    sentinels.forEach(sentinel -> sentinel.name(address(old)));
    OwnConnections connections = connections();
    SharedConnection connection = connections.open();
    var listeners = connections.openListeners();
    sentinels.forEach(sentinel -> sentinel.name(address(next)));
    Topologies.await(() -> {
      listeners.check();
      return leadsTo(next, connection);
    });
  }

  @Test
  void X1_oneSentinelThatIsLeftDoesNotDeposeAMasterThatServes() throws Exception {
    OwnConnections connections = connections();
    SharedConnection connection = open(connections);
    sentinels.get(1).close();
    sentinels.get(2).close();
    FakeSentinel left = sentinels.get(0);

    left.announce(address(old));

    awaitLooks(left, 3, connections::lookAgain);
    assertThat(leadsTo(next, connection)).isTrue();

    next.command("REPLICAOF", old.host(), Integer.toString(old.port()));

    Topologies.await(() -> {
      connections.answeredByReplica();
      return leadsTo(old, connection);
    });
  }

  @Test
  void X1_sentinelsThatDisagreeDoNotKeepAClientAtAMasterThatWasDeposed() throws Exception {
    sentinels.forEach(sentinel -> sentinel.name(address(old)));
    OwnConnections connections = connections();
    SharedConnection connection = open(connections);
    assertThat(leadsTo(old, connection)).isTrue();
    sentinels.get(1).name(address(next));
    sentinels.get(2).close();

    awaitLooks(sentinels.get(1), 2, connections::lookAgain);
    assertThat(leadsTo(old, connection)).as("a master that says so is not left").isTrue();
    old.command("REPLICAOF", next.host(), Integer.toString(next.port()));

    Topologies.await(() -> {
      connections.answeredByReplica();
      return leadsTo(next, connection);
    });
  }

  @Test
  void W9_failuresOfManyThreadsLeadToFewQuestions() {
    OwnConnections connections = connections();
    SharedConnection connection = open(connections);
    FakeSentinel sentinel = sentinels.get(0);
    int asked = sentinel.asked.get();
    int subscriptions = sentinel.subscribers.get();
    long start = System.nanoTime();

    for (int i = 0; i < 1_000; i++) {
      connections.lookAgain();
    }

    awaitLooks(sentinel, 2, connections::lookAgain);
    assertThat(leadsTo(next, connection)).isTrue();
    long most = 3 + Duration.ofNanos(System.nanoTime() - start).toMillis() / 500;
    assertThat(sentinel.asked.get() - asked).isLessThanOrEqualTo((int) most);
    assertThat(sentinel.subscribers.get() - subscriptions).isLessThanOrEqualTo((int) most);
  }

  @Test
  void E7_nothingIsLeftOfAClientThatIsClosedNorOfOneThatDidNotOpen() throws Exception {
    EndedThreads threads = new EndedThreads();
    OwnConnections connections = connections();
    SharedConnection connection = open(connections);
    assertThat(leadsTo(next, connection)).isTrue();
    awaitLooks(sentinels.get(0), 1, connections::lookAgain);

    Thread.currentThread().interrupt();
    connections.close();
    assertThat(Thread.interrupted()).as("the flag is left to the caller").isTrue();

    awaitNothingConnected();
    threads.check();

    next.command("REPLICAOF", old.host(), Integer.toString(old.port()));
    OwnConnections refused = connections();
    assertThatThrownBy(() -> HashBackend.open(
            LockConfig.builder("redis-hash").build(),
            new ClientId("00000000000000aa", "h"),
            refused))
        .hasMessageContaining("is a replica and takes no locks");
    awaitNothingConnected();
    threads.check();
  }

  private void awaitNothingConnected() {
    Topologies.await(() -> sentinels.stream().allMatch(sentinel -> sentinel.connections() == 0));
    Topologies.await(() -> !next.command("CLIENT", "LIST").contains("name=interlock-"));
  }

  @Test
  void E8_sentinelsThatDoNotAnswerAreNamed() throws Exception {
    for (FakeSentinel sentinel : sentinels) {
      sentinel.close();
    }
    OwnConnections connections = connections();
    assertThatThrownBy(connections::open)
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("None of the sentinels at 127.0.0.1:");
  }
}
