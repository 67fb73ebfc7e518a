package dev.interlock.redis.support.jedis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.contract.Undisturbed;
import dev.interlock.redis.support.Topology;
import dev.interlock.redis.support.contract.FakeSentinel;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.spi.ClientId;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.HostAndPort;

/** Whom a client of a Sentinel set believes. */
@Timeout(60)
class SentinelMasterTest {
  private static final HostPort OLD = HostPort.of("127.0.0.1", 1);
  private static final HostPort NEXT = HostPort.of("127.0.0.1", 2);

  private final List<FakeSentinel> sentinels = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    for (int i = 0; i < 3; i++) {
      sentinels.add(new FakeSentinel(NEXT));
    }
  }

  @AfterEach
  void stop() throws IOException {
    for (FakeSentinel sentinel : sentinels) {
      sentinel.close();
    }
  }

  private SentinelMaster find() {
    LockConfig config = LockConfig.builder("any")
        .set(JedisOptions.HOSTS, sentinels.stream().map(FakeSentinel::host).toList())
        .set(JedisOptions.TOPOLOGY, Topology.SENTINEL)
        .set(JedisOptions.MASTER, FakeSentinel.NAME)
        .build();
    return SentinelMaster.find(config, new ClientId("00000000000000aa", "host"));
  }

  private static HostPort address(SentinelMaster master) {
    HostAndPort now = master.address();
    return HostPort.of(now.getHost(), now.getPort());
  }

  @Test
  void X1_aSentinelThatIsLateIsNotBelievedAtOpen() throws Exception {
    sentinels.get(0).name(OLD);
    try (SentinelMaster master = find()) {
      assertThat(address(master)).isEqualTo(NEXT);
    }
  }

  @Test
  void X1_aSentinelThatIsLateIsNotBelievedWhenItIsHeardAgain() throws Exception {
    try (SentinelMaster master = find()) {
      FakeSentinel late = sentinels.get(0);
      awaitListening();
      int before = late.subscribers.get();
      late.name(OLD);

      late.cut();

      Topologies.await(() -> {
        assertThat(address(master)).isEqualTo(NEXT);
        return late.subscribers.get() > before;
      });
      for (int asked = late.asked.get(), i = 0; i < 2; i++) { // by looks
        int last = asked + i;
        Topologies.await(() -> {
          assertThat(address(master)).isEqualTo(NEXT);
          return late.asked.get() > last;
        });
      }
    }
  }

  @Undisturbed(millis = 300)
  void X1_aFailOverThatIsHeardOfIsFollowedAtOnce() throws Exception {
    sentinels.forEach(sentinel -> sentinel.name(OLD));
    try (SentinelMaster master = find()) {
      awaitListening();
      assertThat(address(master)).isEqualTo(OLD);
      sentinels.get(1).name(NEXT);
      long start = System.nanoTime();

      sentinels.get(2).announce(NEXT);

      Topologies.await(() -> address(master).equals(NEXT));
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
    }
  }

  @Test
  void X1_oneSentinelThatIsLeftDoesNotDeposeAMasterThatServes() throws Exception {
    try (RedisServer server = TestRedis.builder().owned().start()) {
      HostPort serving = HostPort.of(server.host(), server.port());
      sentinels.forEach(sentinel -> sentinel.name(serving));
      try (SentinelMaster master = find()) {
        awaitListening();
        sentinels.get(1).close();
        sentinels.get(2).close();
        FakeSentinel left = sentinels.get(0);
        left.name(OLD);
        for (int i = 0; i < 2; i++) {
          int last = left.asked.get();
          Topologies.await(() -> {
            master.doubt();
            assertThat(address(master)).isEqualTo(serving);
            return left.asked.get() > last;
          });
        }
        server.close();
        Topologies.await(() -> {
          master.doubt();
          return address(master).equals(OLD);
        });
      }
    }
  }

  @Test
  void E7_whatIsClosedAtOnceListensNoMore() {
    sentinels.get(2).slowDown();
    for (int i = 0; i < 5; i++) {
      find().close(); // while it connects to that one
    }
    Topologies.await(() -> Thread.getAllStackTraces().keySet().stream()
        .noneMatch(thread -> thread.getName().contains(FakeSentinel.NAME + "-SentinelListener")
            || thread.getName().equals("interlock-sentinels-end")));
    Topologies.await(() -> sentinels.stream().allMatch(sentinel -> sentinel.connections() == 0));
  }

  private void awaitListening() {
    Topologies.await(() -> sentinels.stream().allMatch(sentinel -> sentinel.subscribers.get() > 0));
  }
}
