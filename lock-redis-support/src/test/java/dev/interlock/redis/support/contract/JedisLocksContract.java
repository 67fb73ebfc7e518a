package dev.interlock.redis.support.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.CommonOptions;
import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.LostReason;
import dev.interlock.contract.Undisturbed;
import dev.interlock.redis.support.jedis.JedisOptions;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import dev.interlock.testservers.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.util.Pool;

/** A provider with the engine before it, as an application meets it. */
@Timeout(60)
public abstract class JedisLocksContract {
  private static RedisServer server;

  /** The provider's id. */
  protected abstract String provider();

  /** {@code using} of the provider's entry class. */
  protected abstract LockClient using(Pool<Connection> pool);

  /** The same over a pool with settings. */
  protected abstract LockClient using(Pool<Connection> pool, LockConfig config);

  @BeforeAll
  static void startServer() {
    server = TestRedis.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Test
  void aUriOpensAClientThatLocksReentersAndReleases() throws InterruptedException {
    try (LockClient client = Locks.open(server.uri(provider()))) {
      assertThat(client.capabilities())
          .containsExactlyInAnyOrder(Capability.RENEWABLE, Capability.FENCED, Capability.PUSH);
      DistributedLock lock = client.lock("uri");
      lock.lock();
      assertThat(lock.tryLock()).isTrue();
      assertThat(lock.holdCount()).isEqualTo(2);
      lock.unlock();
      lock.unlock();
      assertThat(client.inspect("uri")).isEmpty();
    }
  }

  @Test
  void P1_aReleaseInOneClientWakesAWaiterInAnother() throws Exception {
    try (LockClient one = Locks.open(server.uri(provider()));
        LockClient two = Locks.open(server.uri(provider()))) {
      Topologies.handOffSoon(one, two, "wake").release();
    }
  }

  @Test
  void X1_clientsThatFightForALockNeverHoldItTogether() throws Exception {
    try (LockClient one = Locks.open(server.uri(provider()));
        LockClient two = Locks.open(server.uri(provider()))) {
      assertThat(fight(List.of(one, two), 8, 50)).isEqualTo(2 * 8 * 50);
    }
  }

  @Undisturbed(millis = 300)
  void W7_aPoolOfTwoServesManyWaitersAndTheirRenewals() throws Exception {
    String uri = server.uri(provider()) + "?poolSize=2&lease=PT1S";
    try (LockClient one = Locks.open(uri);
        LockClient two = Locks.open(uri)) {
      assertThat(fight(List.of(one, two), 40, 5)).isEqualTo(2 * 40 * 5);
    }
  }

  @Test
  void M2_L7_theVictimOfAForcedReleaseLearnsOfIt() throws Exception {
    Set<String> earlier = mailboxes();
    try (LockClient victim = Locks.open(server.uri(provider()));
        LockClient operator = Locks.open(server.uri(provider()))) {
      // A client listens a moment after it was opened; what went before it would find GONE.
      Topologies.await(() -> {
        Set<String> added = new HashSet<>(mailboxes());
        added.removeAll(earlier);
        return added.size() == 2;
      });
      Lease lease = victim.acquire(LockRequest.of("forced").withLease(Duration.ofMinutes(5)));
      assertThat(operator.forceRelease("forced")).isTrue();
      assertThat(lease.lost().toCompletableFuture().get(5, TimeUnit.SECONDS))
          .isEqualTo(LostReason.FORCED);
      assertThat(lease.isValid()).isFalse();
    }
  }

  @Test
  void L7_aHoldThatIsGoneIsMissedOnceTheClientListensAgain() throws Exception {
    try (LockClient client = Locks.open(server.uri(provider()) + "?namespace=missed")) {
      Lease lease = client.acquire(LockRequest.of("gone").withLease(Duration.ofMinutes(5)));
      Lease other = client.acquire(LockRequest.of("there").withLease(Duration.ofMinutes(5)));
      String key = server.command("KEYS", "{missed*lock:gone").strip();
      assertThat(server.command("DEL", key).strip()).endsWith("1");
      // Of this nobody is told.
      server.command("CLIENT", "KILL", "TYPE", "pubsub");
      assertThat(lease.lost().toCompletableFuture().get(5, TimeUnit.SECONDS))
          .isEqualTo(LostReason.GONE);
      assertThat(other.isValid()).isTrue();
      other.release();
    }
  }

  private static Set<String> mailboxes() {
    return server.command("PUBSUB", "CHANNELS", "*:mailbox:*").lines().collect(Collectors.toSet());
  }

  @Undisturbed(millis = 300)
  void N7_aFurtherConnectionThatIsRefusedCostsNoLeaseWhileOthersWork() throws Exception {
    try (RedisServer full = TestRedis.builder().owned().start();
        Jedis operator = new Jedis(full.host(), full.port());
        LockClient client = Locks.open(full.uri(provider()) + "?lease=PT1.5S")) {
      renewWithOneConnection(client, operator);
    }
  }

  @Undisturbed(millis = 300)
  void N7_theSameOverAPoolOfTheApplication() throws Exception {
    LockConfig config = LockConfig.builder(provider())
        .set(CommonOptions.LEASE, Duration.ofMillis(1_500))
        .build();
    try (RedisServer full = TestRedis.builder().owned().start();
        Jedis operator = new Jedis(full.host(), full.port());
        ConnectionPool pool = new ConnectionPool(
            new HostAndPort(full.host(), full.port()),
            DefaultJedisClientConfig.builder().build());
        LockClient client = using(pool, config)) {
      renewWithOneConnection(client, operator);
    }
  }

  /** Two threads and the renewals want a connection at a time, and no further one can be had. */
  private static void renewWithOneConnection(LockClient client, Jedis operator) throws Exception {
    client.tryAcquire(LockRequest.of("first")).orElseThrow().release(); // so that one is open
    Topologies.await(() -> !operator.pubsubChannels("*:mailbox:*").isEmpty());
    // On a machine that is slow there may be more than operator, mailbox and that one.
    operator.configSet("maxclients", Long.toString(operator.clientList().lines().count()));
    List<Lease> kept = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      kept.add(client.tryAcquire(LockRequest.of("kept-" + i)).orElseThrow());
    }
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    AtomicBoolean busy = new AtomicBoolean(true);
    List<Thread> threads = new ArrayList<>();
    for (String name : List.of("one", "other")) {
      Thread thread = new Thread(() -> {
        while (busy.get()) {
          try {
            client.tryAcquire(LockRequest.of(name)).orElseThrow().release();
          } catch (Throwable e) {
            failure.compareAndSet(null, e);
          }
        }
      });
      threads.add(thread);
      thread.start();
    }
    TimeUnit.SECONDS.sleep(5); // some leases long, with all their renewals
    busy.set(false);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(kept).allMatch(Lease::isValid);
    assertThat(failure.get()).isNull();
    operator.configSet("maxclients", "100");
  }

  @Test
  void namespacesKeepTheSameNameApart() throws InterruptedException {
    try (LockClient one = Locks.open(server.uri(provider()) + "?namespace=one");
        LockClient two = Locks.open(server.uri(provider()) + "?namespace=two");
        Lease held = one.acquire(LockRequest.of("same"))) {
      assertThat(held.isValid()).isTrue();
      assertThat(two.tryAcquire(LockRequest.of("same"))).isPresent();
    }
  }

  @Test
  void E7_closeEndsThreadsAndConnections() throws InterruptedException {
    String name = "closing-" + System.nanoTime();
    LockClient client = Locks.open(server.uri(provider()) + "?namespace=" + name);
    client.acquire(LockRequest.of("n"));
    client.close();
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().startsWith("interlock-" + provider()));
    assertThat(server.command("CLIENT", "LIST")).doesNotContain("name=interlock-");
    assertThat(server.command("KEYS", "{" + name + "*lock*")).isEmpty();
  }

  @Test
  void E8_everyWrongSettingIsNamedInOneMessageWithoutASecret() {
    String uri = provider() + "://alice:hunter2@h1,h2/x?poolSize=1&timeout=PT1H&trustStore=/none"
        + "&trustStorePassword=hunter3&namspace=n";
    assertThatThrownBy(() -> Locks.open(uri))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("database")
        .hasMessageContaining("poolSize")
        .hasMessageContaining("timeout")
        .hasMessageContaining("did you mean 'namespace'")
        .hasMessageNotContaining("hunter");
    assertThatThrownBy(() -> Locks.open(provider() + "://alice@h1,h2?poolSize=2&replicas=1"))
        .hasMessageContaining("without a password")
        .hasMessageContaining("several hosts")
        .hasMessageContaining("at least 3 are needed");
  }

  @Test
  void aPoolOfTheApplicationIsUsedAndLeftOpen() throws InterruptedException {
    try (ConnectionPool pool = pool()) {
      try (LockClient client = using(pool);
          Lease lease = client.acquire(LockRequest.of("pooled"))) {
        assertThat(lease.fencingToken()).isPositive();
        assertThat(pool.getBorrowedCount()).isPositive();
        assertThat(pool.getNumActive()).isZero();
      }
      try (Connection connection = pool.getResource()) {
        assertThat(connection.ping()).isTrue();
        connection.sendCommand(Command.EXISTS, BackendContract.key("pooled"));
        assertThat(connection.getIntegerReply()).isZero();
      }
    }
  }

  @Test
  void grantsOverAPoolOfTheApplicationWaitForReplicas() {
    ConnectionPoolConfig two = new ConnectionPoolConfig();
    two.setMaxTotal(2);
    HostAndPort address = new HostAndPort(server.host(), server.port());
    LockConfig replicated =
        LockConfig.builder(provider()).set(JedisOptions.REPLICAS, 1).build();
    try (ConnectionPool pool = pool();
        ConnectionPool small =
            new ConnectionPool(address, DefaultJedisClientConfig.builder().build(), two);
        LockClient client = using(pool, replicated)) {
      assertThatThrownBy(() -> client.tryAcquire(LockRequest.of("alone")))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("only 0 had it in time; it was given back");
      assertThat(client.inspect("alone")).isEmpty();
      assertThatThrownBy(() -> using(small, replicated))
          .isInstanceOf(LockConfigurationException.class)
          .hasMessageContaining("at least 3");
    }
  }

  @Test
  void W3_wakeUpsArriveThroughTheApplicationsKindOfConnectionToo() throws Exception {
    try (ConnectionPool pool = pool();
        LockClient one = using(pool);
        LockClient two = using(pool)) {
      Topologies.handOffSoon(two, one, "resp3").release();
    }
  }

  /** As an application makes one that speaks RESP3, which those of our own do not. */
  private static ConnectionPool pool() {
    return new ConnectionPool(
        new HostAndPort(server.host(), server.port()),
        DefaultJedisClientConfig.builder().protocol(RedisProtocol.RESP3).build());
  }

  @Test
  void aPoolThatCannotServeIsRefused() {
    ConnectionPoolConfig single = new ConnectionPoolConfig();
    single.setMaxTotal(1);
    HostAndPort address = new HostAndPort(server.host(), server.port());
    DefaultJedisClientConfig endless =
        DefaultJedisClientConfig.builder().socketTimeoutMillis(0).build();
    try (ConnectionPool one =
            new ConnectionPool(address, DefaultJedisClientConfig.builder().build(), single);
        ConnectionPool patient = new ConnectionPool(address, endless)) {
      assertThatThrownBy(() -> using(one))
          .isInstanceOf(LockConfigurationException.class)
          .hasMessageContaining("at least 2");
      assertThatThrownBy(() -> using(patient))
          .isInstanceOf(LockConfigurationException.class)
          .hasMessageContaining("socket timeout");
      LockConfig elsewhere =
          LockConfig.builder(provider()).set(JedisOptions.PASSWORD, "hunter2").build();
      assertThatThrownBy(() -> using(patient, elsewhere))
          .isInstanceOf(LockConfigurationException.class)
          .hasMessageContaining("password")
          .hasMessageNotContaining("hunter2");
    }
  }

  @Test
  void locksWorkOverTlsAndOnlyWithATrustedCertificate(@TempDir Path directory) throws Exception {
    TlsFiles files = TlsFiles.selfSigned(directory);
    try (RedisServer secure = TestRedis.builder().tls(files).password("p@ss").start()) {
      String base = provider() + "://:p%40ss@" + secure.host() + ":" + secure.port() + "?tls=true";
      String trust =
          "&trustStore=" + files.trustStore(directory, "secret") + "&trustStorePassword=secret";
      try (LockClient client = Locks.open(base + trust);
          Lease lease = client.acquire(LockRequest.of("tls"))) {
        assertThat(lease.isValid()).isTrue();
      }
      assertThatThrownBy(() -> Locks.open(base)).hasMessageContaining("Cannot connect");
    }
  }

  /** Threads of all clients add to a counter that is not atomic, under one lock. */
  private static int fight(List<LockClient> clients, int threads, int rounds) throws Exception {
    String name = "fight-" + System.nanoTime();
    int[] counter = new int[1];
    CountDownLatch start = new CountDownLatch(1);
    ExecutorService pool = Executors.newCachedThreadPool();
    List<Future<?>> results = new ArrayList<>();
    for (LockClient client : clients) {
      for (int t = 0; t < threads; t++) {
        results.add(pool.submit(() -> {
          start.await();
          for (int i = 0; i < rounds; i++) {
            try (Lease lease = client.acquire(LockRequest.of(name))) {
              int seen = counter[0];
              lease.ensureValid();
              counter[0] = seen + 1;
            }
          }
          return null;
        }));
      }
    }
    start.countDown();
    for (Future<?> result : results) {
      result.get(50, TimeUnit.SECONDS);
    }
    pool.shutdown();
    return counter[0];
  }
}
