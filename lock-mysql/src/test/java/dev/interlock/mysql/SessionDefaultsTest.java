package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.CommonOptions;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.TestMysql;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client was told that it has is committed, whatever a server's sessions begin with. */
@Timeout(120)
class SessionDefaultsTest {
  private static final Duration LEASE = Duration.ofSeconds(20);

  private static MysqlServer server;

  private final String namespace = Server.freshNamespace();
  private final String uri = server.uri() + "?schema=create&namespace=" + namespace;

  /** Other tests' sessions must not begin with what is set here. */
  @BeforeAll
  static void start() {
    server = TestMysql.builder().owned().start();
  }

  @AfterAll
  static void end() {
    server.close();
  }

  @AfterEach
  void restore() {
    set("autocommit", "DEFAULT");
    set("completion_type", "DEFAULT");
    set("innodb_default_row_format", "DEFAULT");
  }

  private static void set(String variable, String value) {
    server.execute("SET GLOBAL " + variable + " = " + value);
  }

  @ParameterizedTest
  @CsvSource({"autocommit, 0", "completion_type, 1", "completion_type, 2"})
  void x1_whatIsHeldIsSeenByOthers(String variable, String value) throws Exception {
    try (LockClient other = Locks.open(uri)) {
      set(variable, value);
      try (LockClient client = Locks.open(uri)) {
        assertHoldsAreSeen(client, other);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"autocommit, 0", "completion_type, 1", "completion_type, 2"})
  void x1_soItIsWithConnectionsOfTheApplication(String variable, String value) throws Exception {
    try (LockClient other = Locks.open(uri)) {
      set(variable, value);
      try (HikariDataSource pool = pool("useLocalSessionState=false");
          LockClient client = MysqlLocks.using(pool, config())) {
        assertHoldsAreSeen(client, other);
      }
    }
  }

  /** Those of MySQL, and some that only MariaDB has. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "TRADITIONAL",
        "ANSI",
        "HIGH_NOT_PRECEDENCE,NO_BACKSLASH_ESCAPES,NO_UNSIGNED_SUBTRACTION,PAD_CHAR_TO_FULL_LENGTH",
        "ORACLE",
        "SIMULTANEOUS_ASSIGNMENT",
        "EMPTY_STRING_IS_NULL"
      })
  void x1_soItIsWhateverTheSqlModeOfTheServer(String mode) throws Exception {
    assumeTrue(isKnown(mode));
    server.execute("SET GLOBAL sql_mode = '" + mode + "'");
    String fresh = uri + "&tablePrefix=m" + Math.abs(mode.hashCode()) + "_";
    try (LockClient client = Locks.open(fresh);
        LockClient other = Locks.open(fresh)) {
      assertHoldsAreSeen(client, other);
      for (LockRequest request :
          List.of(LockRequest.of("a"), LockRequest.of("b").permits(2, 3))) {
        Lease held = client.acquire(request.withLease(LEASE));
        List<CompletableFuture<Void>> waiting = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
          LockClient next = i % 3 == 0 ? client : other;
          waiting.add(next.acquireAsync(request).thenAccept(Lease::release));
        }
        Awaitility.await()
            .until(() -> client.inspect(request.name()).orElseThrow().waiters() == 6);
        assertThat(held.extend(LEASE.plusSeconds(1))).isTrue();
        held.release();
        for (CompletableFuture<Void> one : waiting) {
          one.get(10, TimeUnit.SECONDS);
        }
        client.acquire(request);
        assertThat(other.forceRelease(request.name())).isTrue();
        assertThat(client.inspect(request.name())).isEmpty();
      }
    } finally {
      server.execute("SET GLOBAL sql_mode = DEFAULT");
    }
  }

  private static boolean isKnown(String mode) {
    return server.execute("SELECT VERSION()").contains("MariaDB")
        || !Set.of("ORACLE", "SIMULTANEOUS_ASSIGNMENT", "EMPTY_STRING_IS_NULL").contains(mode);
  }

  /** With a setting that Hikari recommends, the driver does not ask what the server has. */
  @Test
  void e8_aPoolOfWhichTheDriverIsWrongAboutAutocommitIsRefused() {
    Locks.open(uri).close();
    set("autocommit", "0");
    try (HikariDataSource pool = pool("useLocalSessionState=true")) {
      assertThatThrownBy(() -> MysqlLocks.using(pool, config()))
          .isInstanceOf(LockConfigurationException.class)
          .hasMessageContaining("sessionVariables=autocommit=1");
    }
    try (HikariDataSource pool = pool("useLocalSessionState=true&sessionVariables=autocommit%3D1");
        LockClient client = MysqlLocks.using(pool, config())) {
      assertThat(client.tryAcquire(LockRequest.of("a"))).isPresent();
    }
  }

  /** Both have room for keys of 767 bytes, and names may be longer. */
  @ParameterizedTest
  @ValueSource(strings = {"compact", "redundant"})
  void e8_tablesAreCreatedWhateverTheFormatOfRowsThatTheServerPrefers(String format) {
    set("innodb_default_row_format", format);
    try (LockClient client = Locks.open(uri + "&tablePrefix=" + format + "_")) {
      assertThat(client.tryAcquire(LockRequest.of("x".repeat(LockRequest.MAX_NAME_BYTES))))
          .isPresent();
    }
  }

  /** As one that a release has made, and that is rolled back since it met a deadlock. */
  @Test
  void x1_aGrantThatIsNotCommittedIsNotTakenForOne() throws Exception {
    server.execute("SET GLOBAL TRANSACTION ISOLATION LEVEL READ UNCOMMITTED");
    try (LockClient holder = Locks.open(uri);
        LockClient next = Locks.open(uri);
        Connection other = DriverManager.getConnection(
            server.jdbcUrl() + "?allowPublicKeyRetrieval=true", server.user(), server.password());
        Statement statement = other.createStatement()) {
      Lease held = holder.acquire(LockRequest.of("a").withLease(LEASE));
      CompletableFuture<Lease> waiting = next.acquireAsync(LockRequest.of("a"));
      Awaitility.await().until(() -> holder.inspect("a").orElseThrow().waiters() == 1);
      other.setAutoCommit(false);
      statement.execute("UPDATE interlock_lock l JOIN interlock_entry e"
          + " ON e.bucket = l.bucket AND e.lock_key = l.lock_key SET l.client = e.client,"
          + " l.hold = e.hold, l.claimant = e.client, l.ticket = e.ticket,"
          + " l.token = l.token + 1, l.last_token = l.last_token + 1"
          + " WHERE l.lock_key = '" + namespace + ":a'");
      // It looks every two seconds.
      Awaitility.await()
          .during(Duration.ofSeconds(3))
          .atMost(Duration.ofSeconds(5))
          .until(() -> !waiting.isDone());
      other.rollback();
      held.release();
      waiting.get(10, TimeUnit.SECONDS).release();
    } finally {
      server.execute("SET GLOBAL TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    }
  }

  /** The driver refuses what changes something, which would look like a connection that is lost. */
  @Test
  void e8_aPoolThatIsReadOnlyIsRefused() {
    Locks.open(uri).close();
    HikariConfig hikari = hikari("useLocalSessionState=false");
    hikari.setReadOnly(true);
    try (HikariDataSource pool = new HikariDataSource(hikari)) {
      assertThatThrownBy(() -> MysqlLocks.using(pool, config()))
          .isInstanceOf(LockConfigurationException.class)
          .hasMessageContaining("read-only");
    }
  }

  private static HikariDataSource pool(String properties) {
    return new HikariDataSource(hikari(properties));
  }

  private static HikariConfig hikari(String properties) {
    HikariConfig hikari = new HikariConfig();
    hikari.setJdbcUrl(server.jdbcUrl() + "?allowPublicKeyRetrieval=true&" + properties);
    hikari.setUsername(server.user());
    hikari.setPassword(server.password());
    hikari.setMaximumPoolSize(4);
    return hikari;
  }

  private LockConfig config() {
    return LockConfig.builder("mysql")
        .set(CommonOptions.NAMESPACE, namespace)
        .set(MysqlOptions.POOL_SIZE, 2)
        .build();
  }

  /** The first time it makes the lock's row; from then on one statement does. */
  private static void assertHoldsAreSeen(LockClient client, LockClient other) throws Exception {
    for (int i = 0; i < 3; i++) {
      try (Lease held = client.acquire(LockRequest.of("a").withLease(LEASE))) {
        assertThat(other.inspect("a").orElseThrow().fencingToken()).isEqualTo(held.fencingToken());
        assertThat(other.tryAcquire(LockRequest.of("a"))).isEmpty();
      }
      assertThat(other.inspect("a")).isEmpty();
    }
  }
}
