package dev.interlock.redis.watch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.Topology;
import dev.interlock.redis.support.contract.FakeRedis;
import dev.interlock.redis.support.contract.TestClient;
import dev.interlock.redis.support.jedis.JedisOptions;
import dev.interlock.redis.support.jedis.LockValue;
import dev.interlock.redis.support.jedis.Servers;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.testservers.RedisCluster;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many renewals in one step. */
@Timeout(120)
class RenewalsTest {
  private static final KeyLayout LAYOUT = new KeyLayout(TestClient.NAMESPACE);
  private static final ClientId CLIENT = new ClientId("00000000000000aa", "host");
  private static final HoldId ID = new HoldId(0xaa, 1);

  /** How long an answer of the slow server takes, by its clock. */
  private static final long STEP = 100;

  @Test
  void N7_locksOfWhichSomeHaveMovedToAnotherServerAreNotGone() {
    try (RedisCluster cluster = TestRedis.cluster(0, builder -> builder)) {
      LockConfig config = LockConfig.builder(RedisWatchProvider.ID)
          .set(JedisOptions.TOPOLOGY, Topology.CLUSTER)
          .set(
              JedisOptions.HOSTS,
              cluster.masters().stream().map(RenewalsTest::host).toList())
          .build();
      Servers servers = Servers.open(config, CLIENT);
      try {
        Transactions transactions = new Transactions(servers);
        List<String> names = inOneBucket(9);
        List<Renewal> batch = new ArrayList<>();
        String first = key(names.get(0));
        RedisServer source = cluster.masterOf(cluster.slotOf(first));
        for (String name : names) {
          source.command("SET", key(name), value(), "PX", "20000");
          batch.add(Renewal.of(name, ID, TestClient.LEASE, false));
        }
        RedisServer target =
            cluster.masters().stream().filter(one -> one != source).findFirst().orElseThrow();
        cluster.beginMigration(cluster.slotOf(first), target);
        source.command(Stream.concat(
                Stream.of("MIGRATE", target.host(), "" + target.port(), "", "0", "5000", "KEYS"),
                names.stream().limit(8).map(RenewalsTest::key))
            .toArray(String[]::new));
        RenewTransaction renewing = new RenewTransaction(transactions, LAYOUT);
        List<Object> answers = new ArrayList<>();
        renewing.renew(batch, (renewal, result) -> answers.add(result));
        assertThat(answers).hasSize(9).hasOnlyElementsOfType(Grant.class);
      } finally {
        servers.close();
      }
    }
  }

  private static HostPort host(RedisServer server) {
    return HostPort.of(server.host(), server.port());
  }

  private static List<String> inOneBucket(int count) {
    return IntStream.range(0, 100_000)
        .mapToObj(i -> "n" + i)
        .filter(name -> KeyLayout.bucket(name.getBytes(UTF_8)) == 7)
        .limit(count)
        .toList();
  }

  private static String key(String name) {
    return new String(LAYOUT.keys(name).lock(), UTF_8);
  }

  private static String value() {
    byte[] value = new LockValue(ID, 7, 1, Instant.EPOCH, "owner", "host").encode();
    return new String(value, UTF_8);
  }

  /** The server tells a time left of a later moment than its time. */
  @Test
  void L1_aSlowRenewalNeverMakesALeaseShorter() throws Exception {
    AtomicLong clock = new AtomicLong(1_000_000);
    long end = clock.get() + TestClient.LEASE.toMillis() + 2 * STEP;
    List<Long> ends = new ArrayList<>();
    try (FakeRedis slow = new FakeRedis(words -> answer(words, clock, end, ends))) {
      Servers servers = Servers.open(slow.config().build(), CLIENT);
      try {
        List<Renewal> batch = List.of(
            Renewal.of("n1", ID, TestClient.LEASE, false),
            Renewal.of("n2", ID, TestClient.LEASE, false));
        RenewTransaction renewing = new RenewTransaction(new Transactions(servers), LAYOUT);
        renewing.renew(batch, (renewal, result) -> assertThat(result).isInstanceOf(Grant.class));
      } finally {
        servers.close();
      }
    }
    assertThat(ends).isNotEmpty().allMatch(later -> later >= end);
  }

  private static String answer(List<String> words, AtomicLong clock, long end, List<Long> ends) {
    switch (words.get(0)) {
      case "TIME" -> {
        long now = clock.addAndGet(STEP);
        return "*2\r\n" + bulk("" + now / 1_000) + bulk(now % 1_000 + "000");
      }
      case "GETEX" -> {
        return bulk(value());
      }
      case "PTTL" -> {
        return ":" + (end - clock.addAndGet(STEP)) + "\r\n";
      }
      case "PEXPIREAT" -> {
        ends.add(Long.parseLong(words.get(2)));
        return "+QUEUED\r\n";
      }
      case "EXEC" -> {
        return "*2\r\n:1\r\n:1\r\n";
      }
      default -> {
        return "+OK\r\n";
      }
    }
  }

  private static String bulk(String text) {
    return "$" + text.length() + "\r\n" + text + "\r\n";
  }
}
