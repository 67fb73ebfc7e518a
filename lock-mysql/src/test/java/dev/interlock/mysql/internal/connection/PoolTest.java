package dev.interlock.mysql.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.mysql.ReplyEater;
import dev.interlock.mysql.Server;
import dev.interlock.mysql.internal.statements.LockSession;
import dev.interlock.mysql.internal.statements.Mappers;
import dev.interlock.sql.support.Connections;
import dev.interlock.sql.support.Database;
import dev.interlock.sql.support.Opener;
import dev.interlock.testservers.MysqlServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who gets which connection. */
@Timeout(60)
class PoolTest {
  private Connections pools;

  /** Threads wait longer for its connections than a busy machine stands still. */
  private Connections patient;

  @BeforeEach
  void open() {
    String uri = Server.uri();
    Server.client(uri).close(); // makes the tables
    pools = pool(LockConfig.parse(uri + "&poolSize=2&connectTimeout=PT1S"));
    patient = pool(LockConfig.parse(uri + "&poolSize=2&connectTimeout=PT20S"));
  }

  private static Connections pool(LockConfig config) {
    return MysqlDriver.pool(new Opener(MysqlDriver.servers(config)), config, "test");
  }

  @AfterEach
  void close() {
    pools.close();
    patient.close();
  }

  @Test
  void aReleaseUsesTheConnectionOfItsThreadsAttemptIfThatIsIdle() throws SQLException {
    Connection attempt = pools.take(false);
    long id = id(attempt);
    pools.giveBack(attempt, false, true);
    Connection release = pools.take(true);
    assertThat(id(release)).isEqualTo(id);
    pools.giveBack(release, true, true);
  }

  @Test
  void aReleaseNeverWaitsForAttemptsAndLeavesThemTheirConnections() throws SQLException {
    for (int round = 0; round < 5; round++) {
      Connection one = pools.take(false);
      Connection two = pools.take(false);
      Connection release = pools.take(true);
      assertThat(id(release)).isNotIn(id(one), id(two));
      assertThatThrownBy(() -> pools.take(false))
          .isInstanceOf(SQLTransientConnectionException.class)
          .hasMessageContaining("all connections are in use");
      pools.giveBack(release, true, true);
      pools.giveBack(one, false, round % 2 == 0);
      Connection lent = pools.take(true);
      pools.giveBack(lent, true, round % 2 == 0);
      pools.giveBack(two, false, true);
    }
  }

  @Test
  void anInterruptDoesNotKeepAThreadFromAFreeConnection() throws SQLException {
    pools.giveBack(pools.take(false), false, true);
    Thread.currentThread().interrupt();
    Connection connection = pools.take(false);
    assertThat(Thread.interrupted()).isTrue();
    pools.giveBack(connection, false, true);
  }

  @Test
  void anInterruptDoesNotEndWhatWaitsForAConnectionAndIsKept() throws Exception {
    Database<LockSession> database = Mappers.database(
        patient, Mappers.create("interlock_", false, false), Duration.ofSeconds(20));
    Connection one = patient.take(false);
    Connection two = patient.take(false);
    CompletableFuture<Boolean> kept = new CompletableFuture<>();
    Thread waiting = new Thread(() -> {
      try {
        database.run("nothing", false, session -> 0);
        kept.complete(Thread.interrupted());
      } catch (RuntimeException e) {
        kept.completeExceptionally(e);
      }
    });
    waiting.start();
    for (int i = 0; i < 3; i++) {
      Awaitility.await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
      waiting.interrupt();
    }
    patient.giveBack(one, false, true);
    assertThat(kept.get(10, TimeUnit.SECONDS)).isTrue();
    patient.giveBack(two, false, true);
  }

  @Test
  void theSecondHostServesWhileTheFirstCannotBeReached() throws InterruptedException {
    String uri = Server.uri().replace("@", "@127.0.0.1:1,") + "&connectTimeout=PT1S";
    try (LockClient client = Locks.open(uri)) {
      client.acquire(LockRequest.of("elsewhere")).release();
    }
  }

  /** The driver would return to the first after 50 statements, in the middle of a transaction. */
  @Test
  void aClientStaysWithTheServerThatServesIt() throws Exception {
    MysqlServer server = Server.shared();
    try (ReplyEater first = new ReplyEater(server.host(), server.port())) {
      first.refuse(true);
      try (LockClient client = Locks.open(throughFirst(first))) {
        first.refuse(false);
        for (int i = 0; i < 100; i++) {
          client.acquire(LockRequest.of("here")).release();
          assertThat(first.connections()).isZero();
        }
      }
    }
  }

  @Test
  void allConnectionsToTheLastServerAreCutOnceAnotherOneServes() throws Exception {
    MysqlServer server = Server.shared();
    try (ReplyEater first = new ReplyEater(server.host(), server.port())) {
      LockConfig config = LockConfig.parse(throughFirst(first));
      Connections two = pool(config);
      try {
        Connection busy = two.take(false);
        Connection waiting = two.listener();
        assertThat(id(busy)).isNotEqualTo(id(waiting));
        first.refuse(true);

        Connection moved = two.listener();
        // A thread that fills the pool may have moved the client; then that thread cuts, beside
        // this one.
        Awaitility.await().until(() -> isCut(busy) && isCut(waiting));
        Awaitility.await().until(() -> first.connections() == 0);
        first.refuse(false);
        two.giveBack(busy, false, false);
        Connection fresh = two.take(false);
        assertThat(id(fresh)).isNotEqualTo(id(moved));
        assertThat(first.connections()).isZero();
        two.giveBack(fresh, false, true);
        two.endListener(moved);
      } finally {
        two.close();
      }
    }
  }

  private static String throughFirst(ReplyEater first) {
    return Server.uri().replace("@", "@127.0.0.1:" + first.port() + ",");
  }

  private static boolean isCut(Connection connection) {
    try {
      id(connection);
      return false;
    } catch (SQLException e) {
      return true;
    }
  }

  private static long id(Connection connection) throws SQLException {
    try (var statement = connection.createStatement();
        var answer = statement.executeQuery("SELECT CONNECTION_ID()")) {
      answer.next();
      return answer.getLong(1);
    }
  }
}
