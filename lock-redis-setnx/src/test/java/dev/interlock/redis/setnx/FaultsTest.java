package dev.interlock.redis.setnx;

import static dev.interlock.redis.setnx.TestClient.config;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LuaScript;
import dev.interlock.redis.support.ServerClock;
import dev.interlock.redis.support.jedis.Connections;
import dev.interlock.redis.support.jedis.JedisCalls;
import dev.interlock.redis.support.jedis.OpeningCheck;
import dev.interlock.redis.support.jedis.OwnConnections;
import dev.interlock.spi.AttemptResult.Granted;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HoldId;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What goes wrong, and what is said of it. */
@Timeout(60)
class FaultsTest {
  private static final Duration SHORT = Duration.ofMillis(300);

  @Test
  void E8_aDeadServerIsOneClearMessage() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    LockConfig config = LockConfig.builder("redis-setnx")
        .set(RedisSetnxOptions.HOSTS, List.of(HostPort.of("127.0.0.1", port)))
        .set(RedisSetnxOptions.PASSWORD, "hunter2")
        .build();
    assertThatThrownBy(() -> TestClient.deaf(config))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("127.0.0.1:" + port)
        .hasMessageContaining("refused")
        .hasMessageContaining("Check host, port")
        .hasMessageNotContaining("hunter2")
        .hasStackTraceContaining("BackendUnavailable");
  }

  @Test
  void E8_aWrongPasswordAndAMissingOneAreOneClearMessageEach() {
    try (RedisServer server = TestRedis.builder().password("right").start()) {
      assertThatThrownBy(() -> TestClient.deaf(
              config(server).set(RedisSetnxOptions.PASSWORD, "hunter2").build()))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("WRONGPASS")
          .hasMessageContaining("Check user, password")
          .hasMessageContaining(":" + server.port())
          .hasMessageNotContaining("hunter2");
      assertThatThrownBy(() -> TestClient.deaf(config(server).build()))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("NOAUTH")
          .hasMessageContaining("Check user, password");
      try (TestClient client = TestClient.deaf(
          config(server).set(RedisSetnxOptions.PASSWORD, "right").build())) {
        assertThat(client.tryOnce("n", client.id())).isInstanceOf(Granted.class);
      }
    }
  }

  @Test
  void aUserWithTheRightsThatAreNeededHasLocksAndOneWithoutIsToldAtOpen() throws Exception {
    try (RedisServer server = TestRedis.builder()
        .user(
            "fit",
            "on",
            ">pw",
            "~{t:*",
            "resetchannels",
            "&t:mailbox:*",
            "+@all",
            "-@dangerous",
            "-@admin")
        .user("noscripts", "on", ">pw", "~*", "&*", "+@all", "-@scripting")
        .user("nochannel", "on", ">pw", "~*", "resetchannels", "+@all")
        .user("nokeys", "on", ">pw", "~other:*", "&*", "+@all")
        .start()) {
      try (TestClient client = TestClient.open(as(server, "fit"))) {
        HoldId id = client.id();
        client.acquire("n", id);
        client.tryPatiently("n", client.id());
        assertThat(client.release("n", id)).isTrue();
        assertThat(client.event()).startsWith("wake n");
      }
      for (String user : List.of("noscripts", "nochannel", "nokeys")) {
        assertThatThrownBy(() -> TestClient.deaf(as(server, user)))
            .as(user)
            .isInstanceOf(BackendUnavailableException.class)
            .hasMessageContaining("NOPERM")
            .hasMessageContaining("ACL");
      }
    }
  }

  @Test
  void aServerThatMayEvictLocksIsWarnedOf() {
    BlockingQueue<String> warnings = new LinkedBlockingQueue<>();
    Handler handler = new Handler() {
      @Override
      public void publish(LogRecord entry) {
        warnings.add(entry.getMessage());
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
    Logger logger = Logger.getLogger(OpeningCheck.class.getName());
    logger.addHandler(handler);
    try (RedisServer server = TestRedis.builder()
            .config("maxmemory", "100mb")
            .config("maxmemory-policy", "allkeys-lru")
            .start();
        TestClient client = TestClient.deaf(config(server).build())) {
      assertThat(warnings)
          .singleElement()
          .asString()
          .contains("allkeys-lru", "noeviction", ":" + server.port());
      assertThat(client.backend.server()).isNotBlank();
    } finally {
      logger.removeHandler(handler);
    }
  }

  @Test
  void aKeyOfAnotherTypeIsAFinalError() {
    try (RedisServer server = TestRedis.start();
        TestClient client = TestClient.deaf(config(server).build())) {
      server.command("HSET", SetnxBackendTest.key("n"), "f", "v");
      assertThatThrownBy(() -> client.tryOnce("n", client.id()))
          .isExactlyInstanceOf(LockException.class)
          .hasMessageContaining("namespace");
    }
  }

  @Test
  void E3_anAnswerThatDoesNotComeIsAnUnknownOutcomeAndTheCommandDoesNothingLater()
      throws Exception {
    try (RedisServer server = TestRedis.builder().owned().start();
        TestClient client =
            TestClient.deaf(config(server).set(RedisSetnxOptions.TIMEOUT, SHORT).build())) {
      HoldId warm = client.id();
      client.acquire("warm", warm);
      client.release("warm", warm);
      server.pause();
      long start = System.nanoTime();
      assertThatThrownBy(() -> client.tryOnce("n", client.id()))
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("acquire lock 'n'")
          .hasMessageContaining("no answer in time");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SHORT.multipliedBy(4));
      TimeUnit.MILLISECONDS.sleep(100); // now it is too late for the command by any clock
      server.resume();
      assertThat(server.command("INFO", "commandstats")).isNotBlank();
      for (int i = 0; i < 50; i++) {
        assertThat(client.backend.inspect("n")).isEmpty();
      }
    }
  }

  @Test
  void aScriptThatComesTooLateDoesNothing() throws Exception {
    try (RedisServer server = TestRedis.start();
        TestClient client = TestClient.open(server)) {
      String key = SetnxBackendTest.key("n");
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

  @Test
  void aStepOfTheServersClockRefusesNothing() {
    try (RedisServer server = TestRedis.start()) {
      LockConfig config = config(server).build();
      OwnConnections connections =
          new OwnConnections(config, new ClientId("00000000000000aa", "host"));
      ServerClock clock = new ServerClock();
      clock.learn(System.nanoTime(), 1_000_000_000_000_000L); // the year 2001
      ScriptRunner runner =
          new ScriptRunner(new JedisCalls(connections), clock, Duration.ofSeconds(2));
      String key = SetnxBackendTest.key("n");
      ScriptCall call = ScriptCall.of(
              Scripts.TRY,
              4,
              key.getBytes(StandardCharsets.UTF_8),
              "t".getBytes(StandardCharsets.UTF_8))
          .with(new HoldId(1, 2))
          .with(30_000)
          .with("0 o".getBytes(StandardCharsets.UTF_8))
          .withDeadline();
      assertThat(runner.run(Connections.Use.ATTEMPT, "acquire", new KeyLayout("t").keys("n"), call))
          .isInstanceOf(Long.class);
      connections.close();
    }
  }

  @Test
  void E5_theSameClientWorksAgainAfterTheServerWasRestarted() throws Exception {
    try (RedisServer server = TestRedis.builder().owned().start();
        TestClient client = TestClient.open(server)) {
      client.acquire("n", client.id());
      server.kill();
      assertThatThrownBy(() -> client.tryOnce("n", client.id()))
          .isInstanceOf(OutcomeUnknownException.class);
      assertThatThrownBy(() -> client.tryOnce("n", client.id()))
          .isInstanceOf(BackendUnavailableException.class);
      server.start();
      assertThat(client.tryOnce("n", client.id())).isInstanceOf(Granted.class);
      assertThat(client.event()).isEqualTo("inDoubt");
    }
  }

  @Test
  void W7_attemptsNeverTakeTheLastConnectionAndAnExhaustedPoolSaysSo() throws Exception {
    try (RedisServer server = TestRedis.builder().owned().start();
        TestClient client = TestClient.deaf(config(server)
            .set(RedisSetnxOptions.POOL_SIZE, 2)
            .set(RedisSetnxOptions.TIMEOUT, SHORT)
            .build())) {
      OwnConnections connections = new OwnConnections(
          config(server)
              .set(RedisSetnxOptions.POOL_SIZE, 2)
              .set(RedisSetnxOptions.TIMEOUT, SHORT)
              .build(),
          new ClientId("00000000000000aa", "host"));
      var attempting = connections.borrow(Connections.Use.ATTEMPT);
      assertThatThrownBy(() -> connections.borrow(Connections.Use.ATTEMPT))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("pool exhausted");
      var releasing = connections.borrow(Connections.Use.HOLDER);
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> connections.borrow(Connections.Use.HOLDER))
          .hasMessageContaining("pool exhausted");
      assertThat(Thread.interrupted()).isTrue();
      connections.giveBack(Connections.Use.ATTEMPT, attempting, true);
      connections.giveBack(Connections.Use.HOLDER, releasing, true);
      connections.close();
      assertThat(releasing.isConnected()).isFalse();
      assertThat(client.tryOnce("n", client.id())).isInstanceOf(Granted.class);
    }
  }

  @Test
  void aConnectionWithAFaultIsNeverUsedAgain() {
    try (RedisServer server = TestRedis.start()) {
      OwnConnections connections =
          new OwnConnections(config(server).build(), new ClientId("00000000000000aa", "host"));
      var first = connections.borrow(Connections.Use.HOLDER);
      connections.giveBack(Connections.Use.HOLDER, first, false);
      assertThat(first.isConnected()).isFalse();
      var second = connections.borrow(Connections.Use.HOLDER);
      assertThat(second).isNotSameAs(first);
      connections.giveBack(Connections.Use.HOLDER, second, true);
      assertThat(connections.borrow(Connections.Use.HOLDER)).isSameAs(second);
      connections.close();
    }
  }

  private static LockConfig as(RedisServer server, String user) {
    return config(server)
        .set(RedisSetnxOptions.USER, user)
        .set(RedisSetnxOptions.PASSWORD, "pw")
        .build();
  }

  private static String source(LuaScript script) {
    return new String(script.source(), StandardCharsets.ISO_8859_1);
  }
}
