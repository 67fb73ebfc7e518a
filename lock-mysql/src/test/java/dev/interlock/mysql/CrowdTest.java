package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.CommonOptions;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.contract.TestClient;
import dev.interlock.contract.Undisturbed;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.sql.support.Recheck;
import dev.interlock.testservers.MysqlServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(90)
class CrowdTest {
  private static final int KEPT = 16; // free rows in a bucket, see Sweep

  @Undisturbed(millis = 500)
  void w7_200WaitersOnTwoConnectionsAreServedInOrderWhileAnotherLockIsRenewed() throws Exception {
    String uri = Server.uri() + "&poolSize=2";
    try (LockClient client = Locks.open(uri)) {
      Lease renewed = client.acquire(
          LockRequest.of("renewed").withLease(Duration.ofSeconds(4)).renewing());
      Lease first = client.acquire(LockRequest.of("crowd"));
      Queue<Integer> order = new ConcurrentLinkedQueue<>();
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        int number = i;
        all.add(client.acquireAsync(LockRequest.of("crowd")).thenAccept(lease -> {
          order.add(number);
          lease.release();
        }));
        int queued = i + 1;
        Awaitility.await()
            .pollDelay(Duration.ZERO)
            .pollInterval(Duration.ofMillis(1))
            .atMost(Duration.ofSeconds(10))
            .until(() -> client.inspect("crowd").orElseThrow().waiters() == queued);
      }
      first.release();
      CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
      assertThat(order)
          .containsExactlyElementsOf(IntStream.range(0, 200).boxed().toList());
      assertThat(renewed.isValid()).isTrue();
      renewed.release();
    }
  }

  @Test
  void f2_passingWithinAClientOvertakesNobodyAndLeavesNoEntry() throws Exception {
    String uri = Server.uri();
    try (LockClient one = Locks.open(uri);
        LockClient two = Locks.open(uri)) {
      Lease first = one.acquire(LockRequest.of("runs"));
      Queue<Integer> order = new ConcurrentLinkedQueue<>();
      Queue<Long> tokens = new ConcurrentLinkedQueue<>();
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        int number = i;
        LockClient client = i / 5 % 2 == 0 ? one : two; // runs of five
        all.add(client.acquireAsync(LockRequest.of("runs")).thenAccept(lease -> {
          order.add(number);
          tokens.add(lease.fencingToken());
          lease.release();
        }));
        int queued = i + 1;
        Awaitility.await()
            .pollDelay(Duration.ZERO)
            .pollInterval(Duration.ofMillis(1))
            .until(() -> one.inspect("runs").orElseThrow().waiters() == queued);
      }
      first.release();
      CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
      assertThat(order).containsExactlyElementsOf(IntStream.range(0, 40).boxed().toList());
      assertThat(new ArrayList<>(tokens)).isSorted().doesNotHaveDuplicates();
      assertThat(one.inspect("runs")).isEmpty();
      Awaitility.await()
          .until(() -> Server.shared()
              .execute("SELECT COUNT(*) FROM interlock_entry WHERE lock_key LIKE '%:runs'")
              .equals("0"));
    }
  }

  @Test
  void m1_whoHasHadTheLockByInheritanceIsNotCountedAmongThoseWhoWait() throws Exception {
    String uri = Server.uri();
    try (LockClient client = Locks.open(uri);
        LockClient other = Locks.open(uri)) {
      Lease first = client.acquire(LockRequest.of("heirs"));
      CompletableFuture<Lease> second = client.acquireAsync(LockRequest.of("heirs"));
      Awaitility.await().until(() -> other.inspect("heirs").orElseThrow().waiters() == 1);
      CompletableFuture<Lease> third = client.acquireAsync(LockRequest.of("heirs"));
      Awaitility.await().until(() -> other.inspect("heirs").orElseThrow().waiters() == 2);
      first.release();
      second.get(10, TimeUnit.SECONDS).release();
      Lease last = third.get(10, TimeUnit.SECONDS);
      Awaitility.await()
          .atMost(Duration.ofSeconds(5))
          .until(() -> other.inspect("heirs").orElseThrow().waiters() == 0);
      assertThat(last.isValid()).isTrue();
      last.release();
      assertThat(other.inspect("heirs")).isEmpty();
    }
  }

  @Undisturbed(millis = 1000)
  void x6_500FirstUsersOfOneNameYieldOneHolderAndNoError() throws Exception {
    String uri = Server.uri();
    ExecutorService threads = Executors.newFixedThreadPool(500);
    try (LockClient one = Locks.open(uri);
        LockClient two = Locks.open(uri);
        LockClient three = Locks.open(uri)) {
      List<LockClient> clients = List.of(one, two, three);
      for (String name : List.of("first", "second")) {
        CountDownLatch start = new CountDownLatch(1);
        List<Future<Boolean>> results = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
          LockClient client = clients.get(i % clients.size());
          results.add(threads.submit(() -> {
            start.await();
            return client.tryAcquire(LockRequest.of(name)).isPresent();
          }));
        }
        start.countDown();
        int holders = 0;
        for (Future<Boolean> result : results) {
          holders += result.get(30, TimeUnit.SECONDS) ? 1 : 0;
        }
        assertThat(holders).isEqualTo(1);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void m3_thousandsOfNamesUsedOnceLeaveABoundedNumberOfRows() throws Exception {
    MysqlServer server = Server.shared();
    String prefix = "m3_";
    String flush = server.execute("SELECT @@GLOBAL.innodb_flush_log_at_trx_commit");
    server.execute("SET GLOBAL innodb_flush_log_at_trx_commit = 0"); // for speed: nothing crashes
    String sync = server.execute("SELECT @@GLOBAL.sync_binlog");
    server.execute("SET GLOBAL sync_binlog = 0");
    int each = Integer.getInteger("interlock.test.names", 3_000) / 8;
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try (LockClient client = Locks.open(Server.uri() + "&tablePrefix=" + prefix)) {
      List<Future<?>> parts = new ArrayList<>();
      for (int part = 0; part < 8; part++) {
        int from = part * each;
        parts.add(threads.submit(() -> {
          for (int i = from; i < from + each; i++) {
            client.tryAcquire(LockRequest.of("name-" + i)).orElseThrow().release();
          }
        }));
      }
      for (Future<?> part : parts) {
        part.get(60, TimeUnit.SECONDS);
      }
      long rows = Long.parseLong(server.execute("SELECT COUNT(*) FROM " + prefix + "lock"));
      assertThat(rows).isLessThanOrEqualTo(64L * (KEPT + 1));
      assertThat(server.execute("SELECT SUM(lock_rows) FROM " + prefix + "counter"))
          .isEqualTo(Long.toString(rows));
    } finally {
      threads.shutdownNow();
      server.execute("SET GLOBAL innodb_flush_log_at_trx_commit = " + flush);
      server.execute("SET GLOBAL sync_binlog = " + sync);
    }
  }

  /** A lock for each order or customer has such names. The release is a statement of its own. */
  @Test
  void aNameThatIsUsedOnceCostsOneTransaction() throws Exception {
    MysqlServer server = Server.shared();
    int names = 50;
    try (LockClient client = Locks.open(Server.uri() + "&tablePrefix=once_")) {
      client.acquire(LockRequest.of("first")).release();
      long before = status(server, "Com_begin");
      for (int i = 0; i < names; i++) {
        client.acquire(LockRequest.of("once-" + i)).release();
      }
      assertThat(status(server, "Com_begin") - before).isBetween((long) names, names + 5L);
    }
  }

  @Test
  void t2_tokensRiseAlsoWhenTheRowWasRemovedAndWhenAllStateIsLost() throws Exception {
    MysqlServer server = Server.shared();
    try (LockClient client = Locks.open(Server.uri() + "&tablePrefix=t2_")) {
      long last = 0;
      for (String loss : List.of(
          "DO 0", "DELETE FROM t2_lock", "DELETE FROM t2_counter", "TRUNCATE TABLE t2_entry")) {
        server.execute(loss);
        Lease lease = client.acquire(LockRequest.of("a"));
        assertThat(lease.fencingToken()).isGreaterThan(last);
        last = lease.fencingToken();
        lease.release();
      }
    }
  }

  @Test
  void w9_waitersOfAnIdleClientCostAFewStatementsASecond() throws Exception {
    MysqlServer server = Server.shared();
    String uri = Server.uri();
    try (LockClient holder = Locks.open(uri);
        LockClient client = Locks.open(uri)) {
      Lease held = holder.acquire(LockRequest.of("idle"));
      List<CompletableFuture<Lease>> waiting = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        waiting.add(client.acquireAsync(LockRequest.of("idle")));
      }
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> holder.inspect("idle").orElseThrow().waiters() == 200);
      // Those that nobody could tell yet when they queued look often, until they say so.
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> server
              .execute("SELECT COUNT(*) FROM interlock_entry WHERE lock_key = '"
                  + LockConfig.parse(uri).get(CommonOptions.NAMESPACE) + ":idle' AND listens = 1")
              .equals("200"));
      // Statements of others count as well, such as those that clean up behind the last test.
      assertThat(DoubleStream.generate(() -> questionsASecond(server))
              .limit(3)
              .anyMatch(each -> each < 12))
          .as("fewer than 12 a second for one of three times")
          .isTrue();
      waiting.forEach(future -> future.cancel(true));
      held.release();
    }
  }

  private static double questionsASecond(MysqlServer server) {
    long before = status(server, "Questions");
    long start = System.nanoTime();
    Awaitility.await().pollDelay(Duration.ofSeconds(4)).until(() -> true);
    double seconds = (System.nanoTime() - start) / 1e9;
    return (status(server, "Questions") - before) / seconds;
  }

  /** As a quorum renews: each hold with the token of its own that it had from all members. */
  @Test
  void n6_renewalsWithSmallestTokensOfTheirOwnGoTogether() {
    TestClient client = Server.client(Server.uri() + "&tablePrefix=least_");
    List<Renewal> batch = new ArrayList<>();
    List<Long> tokens = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      HoldId id = client.id();
      Grant held = (Grant) client.attempt("least-" + i, id, Duration.ZERO);
      Renewal renewal = Renewal.of("least-" + i, id, TestClient.LEASE, false);
      long higher = held.fencingToken() + i % 3 * 1_000_000_000L - 1_000_000_000L;
      batch.add(renewal.withMinToken(higher));
      tokens.add(Math.max(held.fencingToken(), higher));
    }
    MysqlServer server = Server.shared();
    long before = status(server, "Com_update");
    for (int round = 0; round < 2; round++) {
      List<RenewalResult> results = RenewalAnswers.collect(client.backend, batch);
      assertThat(results)
          .map(result -> result instanceof Grant held ? held.fencingToken() : 0)
          .isEqualTo(tokens);
    }
    assertThat(status(server, "Com_update") - before).isLessThan(batch.size() / 2);
    for (int i = 0; i < batch.size(); i++) {
      Renewal renewal = batch.get(i);
      assertThat(client.release(renewal.name(), renewal.id()).held()).isTrue();
      Grant next = (Grant) client.attempt(renewal.name(), client.id(), Duration.ZERO);
      assertThat(next.fencingToken()).isGreaterThan(tokens.get(i));
    }
    client.close();
  }

  private static long status(MysqlServer server, String counter) {
    return Long.parseLong(
        server.execute("SHOW GLOBAL STATUS LIKE '" + counter + "'").replaceAll("[^0-9]", ""));
  }

  @Test
  void anApplicationsPoolIsUsedWithoutPacketsAndLeftAsItWas() throws Exception {
    MysqlServer server = Server.shared();
    HikariConfig hikari = new HikariConfig();
    hikari.setJdbcUrl(server.jdbcUrl() + "?socketTimeout=10000&allowPublicKeyRetrieval=true");
    hikari.setUsername(server.user());
    hikari.setPassword(server.password());
    hikari.setMaximumPoolSize(6);
    hikari.setAutoCommit(false);
    hikari.setConnectionInitSql("SET SESSION wait_timeout = 1234");
    Locks.open(Server.uri()).close();
    LockConfig config = LockConfig.builder("mysql")
        .set(CommonOptions.NAMESPACE, Server.freshNamespace())
        .set(MysqlOptions.POOL_SIZE, 2)
        .build();
    try (HikariDataSource pool = new HikariDataSource(hikari)) {
      try (LockClient one = MysqlLocks.using(pool, config);
          LockClient two = MysqlLocks.using(pool, config)) {
        int told = 0;
        for (int i = 0; i < 20; i++) {
          Lease held = one.acquire(LockRequest.of("a"));
          CompletableFuture<Lease> next = two.acquireAsync(LockRequest.of("a"));
          Awaitility.await()
              .pollInterval(Duration.ofMillis(5))
              .until(() -> one.inspect("a").orElseThrow().waiters() == 1);
          held.release();
          long released = System.nanoTime();
          next.get(5, TimeUnit.SECONDS).release();
          told += System.nanoTime() - released < Recheck.LONGEST.toNanos() / 2 ? 1 : 0;
        }
        assertThat(told).as("how often it did not take a re-check").isGreaterThan(10);
      }
      assertThat(pool.isClosed()).isFalse();
      Awaitility.await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
      try (var connection = pool.getConnection();
          var statement = connection.createStatement()) {
        assertThat(connection.getAutoCommit()).isFalse();
        try (var row = statement.executeQuery("SELECT @@SESSION.wait_timeout")) {
          row.next();
          assertThat(row.getLong(1)).isEqualTo(1234);
        }
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> statement.execute("DO 0; DO 0"))
            .isInstanceOf(java.sql.SQLException.class);
      }
    }
  }
}
