package dev.interlock.redis.hash.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.hash.RedisHashLocks;
import dev.interlock.redis.hash.internal.backend.TestClient;
import dev.interlock.redis.hash.internal.push.PushMailbox;
import dev.interlock.redis.support.contract.BackendContract;
import dev.interlock.redis.support.contract.GatedProxy;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What goes wrong, and what the caller is told. */
@Timeout(60)
class FaultsTest {
  private static final LockRequest REQUEST = LockRequest.of("n");

  @Test
  void E3_aServerThatIsNotThereIsNamedAtOpen() {
    try (RedisServer server = TestRedis.builder().owned().start()) {
      server.stop();
      assertThatThrownBy(() -> Locks.open(server.uri("redis-hash")))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("Cannot connect to Redis at")
          .hasMessageContaining(Integer.toString(server.port()));
    }
  }

  @RepeatedTest(10)
  void E8_aWrongPasswordFailsAtOpenWithoutShowingIt() {
    try (RedisServer server = TestRedis.builder().password("right").start()) {
      String uri = "redis-hash://:wr0ng@" + server.host() + ":" + server.port();
      assertThatThrownBy(() -> Locks.open(uri))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("refused the connection")
          .hasMessageContaining("Check user, password")
          .message()
          .doesNotContain("wr0ng");
      try (LockClient client = Locks.open(server.uri("redis-hash"))) {
        assertThat(client.tryAcquire(REQUEST)).isPresent();
      }
    }
  }

  @Test
  void E8_aRefusalThatLettuceDidNotPassOnIsAskedForAgain() {
    Iterator<RedisException> failures = List.<RedisException>of(
            new RedisConnectionException(
                "Unable to connect", new RedisConnectionException("Connection closed prematurely")),
            new RedisConnectionException(
                "Unable to connect", new RedisCommandExecutionException("WRONGPASS")))
        .iterator();
    Supplier<StatefulConnection<String, String>> opening = () -> {
      throw failures.next();
    };
    assertThatThrownBy(() -> new OpenConnections().open("there", opening))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("there refused the connection: WRONGPASS");
  }

  @Test
  void E8_severalHostsAreRefused() {
    assertThatThrownBy(() -> Locks.open("redis-hash://a,b"))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("several hosts");
  }

  @Test
  void E3_aStalledServerLeavesTheOutcomeUnknownAndTheLateAttemptDoesNothing() throws Exception {
    try (RedisServer server = TestRedis.builder().owned().start();
        TestClient client = TestClient.open(server)) {
      client.tryOnce("warm", client.id());
      server.pause();
      Throwable fault = catchThrowable(() -> client.tryOnce("n", client.id()));
      // The server's time is known as well as the last answer was quick: be late by more than that.
      TimeUnit.MILLISECONDS.sleep(500);
      server.resume();
      assertThat(fault).isInstanceOf(OutcomeUnknownException.class);
      assertThat(client.backend.inspect("n")).isEmpty();
      assertThat(client.tryOnce("n", client.id())).isInstanceOf(Grant.class);
    }
  }

  @Test
  void E5_theSameClientWorksAfterItsConnectionsWereCutAndTheServerRestarted() throws Exception {
    try (RedisServer server = TestRedis.builder().owned().start();
        LockClient client = Locks.open(server.uri("redis-hash"))) {
      client.tryAcquire(REQUEST).orElseThrow().close();
      server.command("CLIENT", "KILL", "TYPE", "normal");
      server.command("CLIENT", "KILL", "TYPE", "pubsub");
      client.acquire(REQUEST.withWait(Duration.ofSeconds(10))).close();
      server.stop();
      assertThatThrownBy(() -> client.tryAcquire(REQUEST)).isInstanceOf(LockException.class);
      server.start();
      client.acquire(REQUEST.withWait(Duration.ofSeconds(10))).close();
    }
  }

  @Test
  void P2_aMailboxThatCouldNotBeOpenedAtFirstIsOpenedWhenSomebodyWaits() throws Exception {
    try (RedisServer server = TestRedis.builder().owned().start();
        TestClient client = TestClient.deaf(server)) {
      server.stop();
      client.startToListen();
      server.start();
      HoldId holder = client.id();
      HoldId waiter = client.id();
      long deadline = System.nanoTime() + 20_000_000_000L;
      while (client.events.isEmpty() && System.nanoTime() - deadline < 0) {
        try {
          client.tryOnce("n", holder);
          client.queue("n", waiter);
        } catch (LockException e) {
          assertThat(e).isNotNull(); // not connected yet
        }
      }
      assertThat(client.event()).isEqualTo("inDoubt");
    }
  }

  /** Before Redis 7 the code of an error within a script stands behind two notes of the line. */
  @Test
  void E3_aServerThatBecameAReplicaIsUnavailable() {
    try (RedisServer server = TestRedis.builder().owned().start();
        TestClient client = TestClient.deaf(server)) {
      server.command("REPLICAOF", "127.0.0.1", "1");
      assertThatThrownBy(() -> client.tryOnce("n", client.id()))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("READONLY");
      server.command("REPLICAOF", "NO", "ONE");
      assertThat(client.tryOnce("n", client.id())).isInstanceOf(Grant.class);
    }
  }

  /** The proxy stands for a name: who connects anew gets to the new master. */
  @Test
  void E5_aServerThatBecameAReplicaIsLeftForWhereItsNameLeadsNow() throws Exception {
    try (RedisServer first = TestRedis.builder().owned().start();
        RedisServer second = TestRedis.builder().owned().start();
        GatedProxy name = GatedProxy.before(first.port());
        TestClient client = TestClient.openAt(name.port())) {
      client.tryOnce("n", client.id());
      name.leadTo(second.port());
      first.command("REPLICAOF", second.host(), Integer.toString(second.port()));
      Topologies.await(() -> isGranted(client, "m"));
      assertThat(second.command("EXISTS", BackendContract.key("m"))).isEqualTo("1");
      assertThat(client.event()).as("the mailbox is there too").isEqualTo("inDoubt");
      assertThat(second.command("PUBSUB", "CHANNELS", "*:mailbox:*")).isNotBlank();
      Topologies.await(() -> !first.command("CLIENT", "LIST").contains(" name=interlock-"));
    }
  }

  /** A replica that has lost its master, too, and is not to tell what it knew. */
  @Test
  void E5_aReplicaWithoutItsMasterIsLeftForWhereItsNameLeadsNow() throws Exception {
    try (RedisServer first =
            TestRedis.builder().owned().config("replica-serve-stale-data", "no").start();
        RedisServer second = TestRedis.builder().owned().start();
        GatedProxy name = GatedProxy.before(first.port());
        TestClient client = TestClient.openAt(name.port())) {
      client.tryOnce("n", client.id());
      name.leadTo(second.port());
      first.command("REPLICAOF", "127.0.0.1", "1");
      assertThatThrownBy(() -> client.tryOnce("m", client.id()))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("MASTERDOWN");
      Topologies.await(() -> isGranted(client, "m"));
      assertThat(second.command("EXISTS", BackendContract.key("m"))).isEqualTo("1");
    }
  }

  private static boolean isGranted(TestClient client, String name) {
    try {
      return client.tryOnce(name, client.id()) instanceof Grant;
    } catch (LockException e) {
      return false;
    }
  }

  @Test
  void aKeyOfOtherSoftwareIsNamed() {
    try (RedisServer server = TestRedis.start();
        LockClient client = Locks.open(server.uri("redis-hash") + "?namespace=mine")) {
      Lease lease = client.tryAcquire(REQUEST).orElseThrow();
      String key = server.command("KEYS", "{mine:*:lock:n");
      lease.release();
      server.command("SET", key, "x");
      assertThat(client.inspect("n").orElseThrow().fencingToken()).isZero();
      assertThatThrownBy(() -> client.tryAcquire(REQUEST))
          .isInstanceOf(LockException.class)
          .hasMessageContaining("WRONGTYPE");
      assertThat(client.forceRelease("n")).isTrue();
      assertThat(server.command("EXISTS", key)).isEqualTo("0");
    }
  }

  @Test
  void anApplicationsClientIsUsedAndLeftOpen() throws Exception {
    try (RedisServer server = TestRedis.start()) {
      RedisClient redis = RedisClient.create(server.uri());
      try {
        try (LockClient client = RedisHashLocks.using(redis);
            Lease lease = client.acquire(REQUEST)) {
          assertThat(lease.isValid()).isTrue();
        }
        assertThat(redis.connect().sync().ping()).isEqualTo("PONG");
        assertThat(server.command("CLIENT", "LIST").lines()).hasSizeLessThanOrEqualTo(2);
      } finally {
        redis.shutdown();
      }
    }
  }

  /** The server has executed it, and finds nothing the second time. */
  @Test
  void E2_aReleaseThatAnApplicationsClientRepeatsAfterAReconnectIsNoLoss() throws Exception {
    try (RedisServer server = TestRedis.builder().owned().start();
        GatedProxy proxy = GatedProxy.before(server.port())) {
      RedisClient redis = RedisClient.create("redis://127.0.0.1:" + proxy.port());
      try (LockClient client = RedisHashLocks.using(redis)) {
        client.acquire(REQUEST).release(); // the server knows the scripts now
        Lease lease = client.acquire(REQUEST);
        proxy.cutAfter(0);
        Topologies.release(lease);
        Topologies.await(() -> client.inspect("n").isEmpty());
      } finally {
        redis.shutdown();
      }
    }
  }

  /** The server has executed it, and finds nothing the second time. */
  @Test
  void M2_aForcedReleaseThatAnApplicationsClientRepeatsIsNotSaidToHaveFoundNothing()
      throws Exception {
    try (RedisServer server = TestRedis.builder().owned().start();
        GatedProxy proxy = GatedProxy.before(server.port());
        LockClient holder = Locks.open(server.uri("redis-hash"))) {
      RedisClient redis = RedisClient.create("redis://127.0.0.1:" + proxy.port());
      try (LockClient client = RedisHashLocks.using(redis)) {
        assertThat(client.forceRelease("n", 1)).isFalse(); // the server knows the script now
        Lease lease = holder.acquire(REQUEST);
        proxy.cutAfter(0);
        assertThatThrownBy(() -> client.forceRelease("n", lease.fencingToken()))
            .isInstanceOf(OutcomeUnknownException.class)
            .hasMessageContaining("the forced release of lock 'n'");
        assertThat(holder.inspect("n")).isEmpty();
      } finally {
        redis.shutdown();
      }
    }
  }

  @Test
  void W11_aReleaseWaitsForTheConnectionThatIsBeingMadeAgain() throws Exception {
    try (RedisServer server = TestRedis.start();
        GatedProxy proxy = GatedProxy.before(server.port());
        TestClient client = TestClient.openAt(proxy.port())) {
      HoldId id = client.id();
      client.tryOnce("n", id);
      int connections = proxy.connections();
      proxy.hold(); // so that no connection is ready for use
      proxy.cut();
      Topologies.await(() -> proxy.connections() == 2 * connections);
      FutureTask<ReleaseResult> release = new FutureTask<>(() -> client.release("n", id));
      Thread thread = new Thread(release, "release");
      thread.start();
      Topologies.await(() -> release.isDone() || thread.getState() == Thread.State.TIMED_WAITING);
      assertThat(release.isDone()).isFalse();
      proxy.open();
      assertThat(release.get(20, TimeUnit.SECONDS).held()).isTrue();
    }
  }

  /** The server that it is repeated on does not even know the script. */
  @Test
  void E2_aReleaseThatAnApplicationsClientRepeatsOnAnotherServerIsNoLoss() throws Exception {
    try (RedisServer first = TestRedis.builder().owned().start();
        RedisServer second = TestRedis.builder().owned().start();
        GatedProxy proxy = GatedProxy.before(first.port())) {
      RedisClient redis = RedisClient.create("redis://127.0.0.1:" + proxy.port());
      try (LockClient client = RedisHashLocks.using(redis)) {
        client.acquire(REQUEST).release(); // the first server knows the scripts now
        Lease lease = client.acquire(REQUEST);
        proxy.leadTo(second.port());
        proxy.cutAfter(0);
        Topologies.release(lease);
      } finally {
        redis.shutdown();
      }
    }
  }

  @Test
  void E7_closingEndsEveryThread() throws Exception {
    try (RedisServer server = TestRedis.start()) {
      EndedThreads threads = new EndedThreads();
      LockClient client = Locks.open(server.uri("redis-hash"));
      client.acquire(REQUEST);
      client.close();
      threads.check();
      assertThat(server.command("KEYS", "*:lock:*")).isIn("", "(nil)");
    }
  }

  @Test
  void E7_closingOnAnInterruptedThreadEndsEveryThread() throws Exception {
    try (RedisServer server = TestRedis.start()) {
      EndedThreads threads = new EndedThreads();
      for (int i = 0; i < 5; i++) { // an end that is not awaited may be quick enough by chance
        LockClient client = Locks.open(server.uri("redis-hash"));
        client.acquire(REQUEST).release();
        Thread.currentThread().interrupt();
        client.close();
        assertThat(Thread.interrupted())
            .as("the interruption is left to the caller")
            .isTrue();
      }
      threads.check();
    }
  }

  @Test
  void E7_closingWhileTheMailboxOpensIsSilent() throws Exception {
    List<String> logged = new CopyOnWriteArrayList<>();
    Handler handler = new Handler() {
      @Override
      public void publish(LogRecord line) {
        logged.add(line.getMessage());
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
    Logger logger = Logger.getLogger(PushMailbox.class.getName());
    logger.addHandler(handler);
    try (RedisServer server = TestRedis.builder().owned().start()) {
      TestClient client = TestClient.deaf(server);
      server.pause();
      client.startToListen();
      client.close();
      server.resume();
      assertThat(logged).isEmpty();
    } finally {
      logger.removeHandler(handler);
    }
  }
}
