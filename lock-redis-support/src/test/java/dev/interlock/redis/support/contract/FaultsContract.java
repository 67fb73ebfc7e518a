package dev.interlock.redis.support.contract;

import static dev.interlock.redis.support.contract.TestClient.config;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendRefusedException;
import dev.interlock.BackendUnavailableException;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.contract.Undisturbed;
import dev.interlock.redis.support.ServerInfo;
import dev.interlock.redis.support.jedis.JedisOptions;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What goes wrong, and what is said of it. */
@Timeout(60)
public abstract class FaultsContract {
  private static final Duration SHORT = Duration.ofMillis(300);

  /** The timeout by default; who waits for that long has not heeded the one that was set. */
  private static final Duration USUAL = Duration.ofSeconds(2);

  /** The provider's id. */
  protected abstract String provider();

  /** The rule that takes away a right which this provider does without. */
  protected abstract String notNeeded();

  /** The rule that takes away a right without which this provider cannot work. */
  protected abstract String needed();

  @Test
  void E8_aDeadServerIsOneClearMessage() throws Exception {
    // Bound, so that nobody else gets the port, and not listening, so that the system refuses
    // connections.
    try (Socket nobody = new Socket()) {
      nobody.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      int port = nobody.getLocalPort();
      LockConfig config = LockConfig.builder(provider())
          .set(JedisOptions.HOSTS, List.of(HostPort.of("127.0.0.1", port)))
          .set(JedisOptions.PASSWORD, "hunter2")
          .build();
      assertThatThrownBy(() -> TestClient.deaf(config))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("127.0.0.1:" + port)
          .hasMessageContaining("refused")
          .hasMessageContaining("Check host, port")
          .hasMessageNotContaining("hunter2")
          .hasStackTraceContaining("BackendUnavailable");
    }
  }

  @Test
  void E8_aWrongPasswordAndAMissingOneAreOneClearMessageEach() {
    try (RedisServer server = TestRedis.builder().password("right").start()) {
      assertThatThrownBy(() -> TestClient.deaf(
              config(provider(), server).set(JedisOptions.PASSWORD, "hunter2").build()))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("WRONGPASS")
          .hasMessageContaining("Check user, password")
          .hasMessageContaining(":" + server.port())
          .hasMessageNotContaining("hunter2");
      assertThatThrownBy(() -> TestClient.deaf(config(provider(), server).build()))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("NOAUTH")
          .hasMessageContaining("Check user, password");
      try (TestClient client = TestClient.deaf(
          config(provider(), server).set(JedisOptions.PASSWORD, "right").build())) {
        assertThat(client.tryOnce("n", client.id())).isInstanceOf(Grant.class);
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
    Logger logger = Logger.getLogger(ServerInfo.class.getName());
    logger.addHandler(handler);
    try (RedisServer server = TestRedis.builder()
            .config("maxmemory", "100mb")
            .config("maxmemory-policy", "allkeys-lru")
            .start();
        TestClient client = TestClient.deaf(config(provider(), server).build())) {
      assertThat(warnings)
          .singleElement()
          .asString()
          .contains("allkeys-lru", "noeviction", ":" + server.port());
      assertThat(client.backend.server()).isNotBlank();
    } finally {
      logger.removeHandler(handler);
    }
  }

  /** Every step begins with a write, so the page warns of settings that have writes refused. */
  @Test
  void E3_aServerWithoutTheReplicasThatItWantsRefusesEveryStep() {
    try (RedisServer server = TestRedis.builder().owned().start();
        TestClient client = TestClient.deaf(config(provider(), server).build())) {
      HoldId holder = client.id();
      client.acquire("n", holder);
      server.command("CONFIG", "SET", "min-replicas-to-write", "1");
      for (ThrowingCallable step : List.<ThrowingCallable>of(
          () -> renew(client, "n", holder),
          () -> client.tryOnce("free", client.id()),
          () -> client.release("n", holder))) {
        assertThatThrownBy(step)
            .isInstanceOf(BackendUnavailableException.class)
            .hasMessageContaining("NOREPLICAS");
      }
      server.command("CONFIG", "SET", "min-replicas-to-write", "0");
      assertThat(client.release("n", holder)).isTrue();
    }
  }

  /** A replica may know less than its master, and must not answer for it. */
  @Test
  void aServerThatBecameAReplicaAnswersNothingThatTheEngineActsOn() {
    try (RedisServer server = TestRedis.builder().owned().start();
        TestClient client = TestClient.deaf(config(provider(), server).build())) {
      HoldId holder = client.id();
      HoldId other = client.id();
      client.acquire("n", holder);
      server.command("REPLICAOF", "127.0.0.1", "1");
      for (ThrowingCallable step : List.<ThrowingCallable>of(
          () -> renew(client, "n", other),
          () -> renew(client, "free", other),
          () -> client.release("n", other),
          () -> client.release("free", other),
          () -> client.pass("n", other, client.id()),
          () -> client.pass("free", other, client.id()),
          () -> client.tryOnce("n", other),
          () -> client.backend.abandon("n", other),
          () -> client.backend.forceRelease("free", 1))) {
        assertThatThrownBy(step)
            .isInstanceOf(BackendUnavailableException.class)
            .hasMessageContaining("READONLY");
      }
      server.command("REPLICAOF", "NO", "ONE");
      assertThat(renew(client, "n", holder)).isInstanceOf(Grant.class);
    }
  }

  private static RenewalResult renew(TestClient client, String name, HoldId id) {
    return RenewalAnswers.collect(client.backend, List.of(Renewal.of(name, id, USUAL, false)))
        .get(0);
  }

  @Test
  void aKeyOfAnotherTypeIsAFinalError() {
    try (RedisServer server = TestRedis.start();
        TestClient client = TestClient.deaf(config(provider(), server).build())) {
      server.command("HSET", BackendContract.key("n"), "f", "v");
      assertThatThrownBy(() -> client.tryOnce("n", client.id()))
          .isExactlyInstanceOf(LockException.class)
          .hasMessageContaining("namespace");
    }
  }

  @Undisturbed(millis = 300)
  void E3_anAnswerThatDoesNotComeIsAnUnknownOutcomeAndTheCommandDoesNothingLater()
      throws Exception {
    try (RedisServer server = TestRedis.builder().owned().start();
        TestClient client = TestClient.deaf(
            config(provider(), server).set(JedisOptions.TIMEOUT, SHORT).build())) {
      HoldId warm = client.id();
      client.acquire("warm", warm);
      client.release("warm", warm);
      server.pause();
      long start = System.nanoTime();
      assertThatThrownBy(() -> client.tryOnce("n", client.id()))
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("acquire lock 'n'")
          .hasMessageContaining("no answer in time");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(USUAL);
      TimeUnit.MILLISECONDS.sleep(100); // now it is too late for the command by any clock
      server.resume();
      assertThat(server.command("INFO", "commandstats")).isNotBlank();
      for (int i = 0; i < 50; i++) {
        assertThat(client.backend.inspect("n")).isEmpty();
      }
    }
  }

  @Test
  void E5_theSameClientWorksAgainAfterTheServerWasRestarted() throws Exception {
    try (RedisServer server = TestRedis.builder().owned().start();
        TestClient client = TestClient.open(provider(), server)) {
      client.acquire("n", client.id());
      server.kill();
      assertThatThrownBy(() -> client.tryOnce("n", client.id()))
          .isInstanceOf(OutcomeUnknownException.class);
      assertThatThrownBy(() -> client.tryOnce("n", client.id()))
          .isInstanceOf(BackendUnavailableException.class);
      server.start();
      assertThat(client.tryOnce("n", client.id())).isInstanceOf(Grant.class);
      assertThat(client.event()).isEqualTo("inDoubt");
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
            "-@admin",
            notNeeded())
        .user("unfit", "on", ">pw", "~*", "&*", "+@all", needed())
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
      for (String user : List.of("unfit", "nochannel", "nokeys")) {
        assertThatThrownBy(() -> TestClient.deaf(as(server, user)))
            .as(user)
            .isInstanceOf(BackendUnavailableException.class)
            .hasMessageContaining("NOPERM")
            .hasMessageContaining("ACL");
      }
    }
  }

  @Test
  void M2_W3_aLockWithAWaiterIsFreedAfterTheRightToItsChannelWasTakenAway() {
    try (RedisServer server =
            TestRedis.builder().user("u", "on", ">pw", "~*", "&*", "+@all").start();
        TestClient client = TestClient.deaf(as(server, "u"))) {
      HoldId held = client.id();
      long token = client.acquire("released", held);
      client.tryPatiently("released", client.id());
      long forced = client.acquire("forced", client.id());
      client.tryPatiently("forced", client.id());
      HoldId given = client.id();
      client.acquire("given up", given);
      client.tryPatiently("given up", client.id());

      server.command("ACL", "SETUSER", "u", "resetchannels");

      assertThat(client.release("released", held)).isTrue();
      assertThat(client.backend.forceRelease("forced", forced)).isTrue();
      client.backend.abandon("given up", given);
      for (String name : List.of("released", "forced", "given up")) {
        assertThat(client.acquire(name, client.id())).as(name).isGreaterThan(token);
      }
    }
  }

  /**
   * A proxy, or a name, leads to the new master only after the old one has refused. The old one
   * cuts no connection, so the mailbox is still there.
   */
  @Test
  void W3_P2_aClientListensWhereItsCommandsGoOnceTheServersNameLeadsElsewhere() throws Exception {
    try (RedisServer old = TestRedis.builder().owned().start();
        RedisServer next = TestRedis.builder().owned().start();
        GatedProxy name = GatedProxy.before(old.port());
        TestClient client = TestClient.open(config(provider(), old)
            .set(JedisOptions.HOSTS, List.of(HostPort.of("127.0.0.1", name.port())))
            .build());
        TestClient other = TestClient.deaf(config(provider(), next).build())) {
      old.command("REPLICAOF", "127.0.0.1", "1");
      assertThatThrownBy(() -> client.tryOnce("n", client.id()))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("READONLY");
      TimeUnit.MILLISECONDS.sleep(100); // a mailbox that was opened at once would be there again
      name.leadTo(next.port());
      HoldId held = other.id();
      other.acquire("n", held);
      HoldId waiter = client.id();

      client.tryPatiently("n", waiter);

      assertThat(client.event()).isEqualTo("inDoubt");
      other.release("n", held);
      assertThat(client.event()).isEqualTo("wake n " + waiter);
    }
  }

  /** Each server has words of its own for a right that is missing within a script. */
  @Test
  void E3_aRightThatWasTakenAwayIsARefusal() {
    try (RedisServer server =
            TestRedis.builder().user("u", "on", ">pw", "~*", "&*", "+@all").start();
        TestClient client = TestClient.deaf(as(server, "u"))) {
      server.command("ACL", "SETUSER", "u", "-set", "-hsetnx");
      assertThatThrownBy(() -> client.tryOnce("n", client.id()))
          .isInstanceOf(BackendRefusedException.class)
          .hasMessageContaining("Check user, password and rights (ACL)");
    }
  }

  /** The settings of a user with the password "pw". */
  protected LockConfig as(RedisServer server, String user) {
    return config(provider(), server)
        .set(JedisOptions.USER, user)
        .set(JedisOptions.PASSWORD, "pw")
        .build();
  }
}
