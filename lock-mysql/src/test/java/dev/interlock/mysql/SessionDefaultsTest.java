package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.time.Duration;
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

  private static HikariDataSource pool(String properties) {
    HikariConfig hikari = new HikariConfig();
    hikari.setJdbcUrl(server.jdbcUrl() + "?allowPublicKeyRetrieval=true&" + properties);
    hikari.setUsername(server.user());
    hikari.setPassword(server.password());
    hikari.setMaximumPoolSize(4);
    return new HikariDataSource(hikari);
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
