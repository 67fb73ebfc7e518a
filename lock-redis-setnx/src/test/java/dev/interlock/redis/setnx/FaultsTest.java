package dev.interlock.redis.setnx;

import static dev.interlock.redis.support.contract.TestClient.config;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.LuaScript;
import dev.interlock.redis.support.ScriptCall;
import dev.interlock.redis.support.contract.BackendContract;
import dev.interlock.redis.support.contract.FaultsContract;
import dev.interlock.redis.support.contract.TestClient;
import dev.interlock.redis.support.jedis.Connections;
import dev.interlock.redis.support.jedis.OwnConnections;
import dev.interlock.redis.support.jedis.Servers;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rights, and scripts that come too late. */
@Timeout(60)
class FaultsTest extends FaultsContract {
  @Override
  protected String provider() {
    return RedisSetnxProvider.ID;
  }

  @Override
  protected String notNeeded() {
    return "-@transaction";
  }

  @Override
  protected String needed() {
    return "-@scripting";
  }

  @Test
  void aScriptThatComesTooLateDoesNothing() throws Exception {
    try (RedisServer server = TestRedis.start();
        TestClient client = TestClient.open(provider(), server)) {
      String key = BackendContract.key("n");
      String tokens = key.replaceAll(":lock:.*", ":token");
      String waiting = key.replace(":lock:", ":wait:");
      String due = key.replace(":lock:", ":due:");
      String id = client.id().toString();
      String late = "0000000000000001";
      String tryOnce = source(Scripts.TRY);
      assertThat(server.command("EVAL", tryOnce, "2", key, tokens, id, "30000", "0 o", late))
          .startsWith("2\n");
      String[] acquire = {
        "EVAL",
        source(Scripts.ACQUIRE),
        "4",
        key,
        tokens,
        waiting,
        due,
        id,
        "30000",
        "1",
        "0 o",
        late,
        "10000"
      };
      assertThat(server.command(acquire)).startsWith("2\n");
      assertThat(server.command("DBSIZE")).isEqualTo("0");

      HoldId held = client.id();
      HoldId waiter = client.id();
      client.acquire("n", held);
      client.tryPatiently("n", waiter);
      String[] pass = {
        "EVAL",
        source(Scripts.PASS),
        "4",
        key,
        tokens,
        waiting,
        due,
        held.toString(),
        id,
        "30000",
        "1",
        "0 o",
        late,
        "10000"
      };
      assertThat(server.command(pass)).startsWith("1\n");
      assertThat(client.event()).isEqualTo("wake n " + waiter);
      assertThat(client.backend.inspect("n")).isEmpty();
    }
  }

  /** Before Redis 7 the code of an error within a script stands behind two notes of the line. */
  @Test
  void E3_aServerThatBecameAReplicaIsUnavailableAndItsConnectionIsLeft() {
    try (RedisServer server = TestRedis.builder().owned().start();
        TestClient client = TestClient.deaf(config(provider(), server).build())) {
      client.acquire("warm", client.id());
      Set<String> before = connections(server);
      server.command("REPLICAOF", "127.0.0.1", "1");
      assertThatThrownBy(() -> client.tryOnce("n", client.id()))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("READONLY");
      assertThatThrownBy(() -> client.backend.abandon("warm", client.id()))
          .isInstanceOf(BackendUnavailableException.class);
      server.command("REPLICAOF", "NO", "ONE");
      assertThat(client.tryOnce("n", client.id())).isInstanceOf(Grant.class);
      assertThat(connections(server)).isNotEmpty().doesNotContainAnyElementsOf(before);
    }
  }

  /**
   * What a script has written stays, so what it cannot do afterwards must not look like a failure.
   */
  @Test
  void O1_E3_whatIsRefusedAfterALockWasFreedOrGrantedIsNoFailure() throws Exception {
    try (RedisServer server =
            TestRedis.builder().user("u", "on", ">pw", "~*", "&*", "+@all").start();
        TestClient client = TestClient.open(as(server, "u"))) {
      for (String right : List.of("zpopmin", "zscore", "zrem", "zadd", "time", "publish")) {
        HoldId held = client.id();
        Map<String, Long> tokens = new HashMap<>();
        for (String step : List.of("release", "force", "abandon", "pass")) {
          String name = step + " " + right;
          tokens.put(step, client.acquire(name, held));
          client.tryPatiently(name, client.id());
        }
        server.command("ACL", "SETUSER", "u", "-" + right);

        assertThat(client.release("release " + right, held)).as(right).isTrue();
        assertThat(client.backend.forceRelease("force " + right, tokens.get("force")))
            .as(right)
            .isTrue();
        if (!right.equals("time")) { // without it these begin with nothing
          assertThat(client.pass("pass " + right, held, client.id()).held())
              .as(right)
              .isTrue();
          HoldId next = client.id();
          assertThat(client.backend.attempt(
                  TestClient.attempt("free " + right, next, TestClient.LEASE, Duration.ZERO, 2)))
              .as(right)
              .isInstanceOf(Grant.class);
        }
        if (!right.equals("zrem")) { // an abandonment begins with it
          client.backend.abandon("abandon " + right, held);
        }
        server.command("ACL", "SETUSER", "u", "+@all");
        for (String step : List.of("release", "force")) {
          assertThat(client.tryOnce(step + " " + right, client.id()))
              .as(right)
              .isInstanceOf(Grant.class);
        }
      }
    }
  }

  /** Each step's own first write decides, so each is tried on its own. */
  @Test
  void E10_aFullServerRenewsReleasesAndForgets() throws Exception {
    try (RedisServer server = TestRedis.builder().owned().start();
        TestClient client = TestClient.deaf(config(provider(), server).build())) {
      HoldId held = client.id();
      HoldId waiter = client.id();
      for (String name : List.of("release", "pass", "abandon", "force", "renew")) {
        client.acquire(name, held);
        client.tryPatiently(name, waiter);
      }
      server.command("CONFIG", "SET", "maxmemory", "1");
      Renewal renewal = Renewal.of("renew", held, Duration.ofSeconds(90), false);
      assertThat(RenewalAnswers.collect(client.backend, List.of(renewal)))
          .hasOnlyElementsOfType(Grant.class);
      client.backend.abandon("renew", waiter);
      assertThat(client.release("release", held)).isTrue();
      assertThat(client.release("release", held)).isFalse();
      assertThat(client.pass("pass", held, waiter).held()).isTrue();
      client.backend.abandon("abandon", held);
      assertThat(client.backend.forceRelease("force")).isTrue();
      assertThatThrownBy(() -> client.tryOnce("new", held))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("OOM");
      server.command("CONFIG", "SET", "maxmemory", "0");
      assertThat(client.backend.inspect("renew").orElseThrow().waiters()).isZero();
      for (String name : List.of("release", "abandon", "force")) {
        assertThat(client.tryOnce(name, waiter)).isInstanceOf(Grant.class);
      }
    }
  }

  private static Set<String> connections(RedisServer server) {
    return server
        .command("CLIENT", "LIST")
        .lines()
        .filter(line -> line.contains(" name=interlock-"))
        .map(line -> line.substring(0, line.indexOf(' ')))
        .collect(Collectors.toSet());
  }

  @Test
  void aStepOfTheServersClockRefusesNothing() {
    try (RedisServer server = TestRedis.start()) {
      LockConfig config = config(provider(), server).build();
      OwnConnections connections =
          OwnConnections.open(config, new ClientId("00000000000000aa", "host"));
      Servers servers = Servers.only(connections, Duration.ofSeconds(2));
      LockKeys keys = new KeyLayout("t").keys("n");
      // The year 2001.
      servers.of(keys).server().clock().learn(System.nanoTime(), 1_000_000_000_000_000L);
      ScriptRunner runner = new ScriptRunner(servers, Duration.ofSeconds(2));
      String key = BackendContract.key("n");
      ScriptCall call = new ScriptCall(Scripts.TRY)
          .on(keys, key.getBytes(StandardCharsets.UTF_8), "t".getBytes(StandardCharsets.UTF_8))
          .with(new HoldId(1, 2))
          .with(30_000)
          .with("0 o".getBytes(StandardCharsets.UTF_8))
          .withDeadline();
      assertThat(runner.run(Connections.Use.ATTEMPT, "acquire", call)).isInstanceOf(Long.class);
      connections.close();
    }
  }

  private static String source(LuaScript script) {
    return new String(script.source(), StandardCharsets.ISO_8859_1);
  }
}
