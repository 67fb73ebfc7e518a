package dev.interlock.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SchemaTest {
  private final PostgresServer server = Server.shared();
  private final String database = Server.freshNamespace();

  @BeforeEach
  void createDatabase() {
    server.execute("CREATE DATABASE " + database);
  }

  @AfterEach
  void dropDatabase() {
    server.execute("DROP DATABASE " + database + " WITH (FORCE)");
  }

  @Test
  void e8_missingTablesFailAtOpenWithTheDdlInTheMessage() {
    assertThatThrownBy(() -> Locks.open(uri("")))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("table interlock_lock is missing")
        .hasMessageContaining("CREATE TABLE interlock_lock")
        .hasMessageNotContaining(server.password() + "@");
  }

  @Test
  void tablesAreCreatedOnRequestAndCheckedLater() throws InterruptedException {
    try (LockClient client = Locks.open(uri("?schema=create&tablePrefix=my_"))) {
      client.acquire(LockRequest.of("a")).release();
    }
    Locks.open(uri("?schema=check&tablePrefix=my_")).close();
    Locks.open(uri("?schema=create&tablePrefix=my_")).close();
    Locks.open(uri("?schema=none&tablePrefix=my_")).close();
  }

  @Test
  void manyCreateAtOnce() throws Exception {
    List<FutureTask<LockClient>> opened = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      FutureTask<LockClient> one = new FutureTask<>(() -> Locks.open(uri("?schema=create")));
      opened.add(one);
      new Thread(one).start();
    }
    for (FutureTask<LockClient> one : opened) {
      one.get(30, TimeUnit.SECONDS).close();
    }
  }

  @Test
  void tablesOfSomebodyElseAreNotTouched() throws Exception {
    execute("CREATE TABLE interlock_lock (id INT PRIMARY KEY)");
    assertThatThrownBy(() -> Locks.open(uri("?schema=create")))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("is not marked 'interlock 1'");
    execute("INSERT INTO interlock_lock VALUES (1)");
  }

  @Test
  void anAccountWithTheDocumentedPrivilegesIsEnough() throws Exception {
    Locks.open(uri("?schema=create")).close();
    String user = "u" + database.substring(0, 12);
    execute("CREATE ROLE " + user + " LOGIN PASSWORD 'least'");
    try {
      String least = uri("").replaceFirst("//[^@]*@", "//" + user + ":least@");
      try (LockClient refused = Locks.open(least)) {
        assertThatThrownBy(() -> refused.tryAcquire(LockRequest.of("a")))
            .isInstanceOf(LockConfigurationException.class)
            .hasMessageContaining("needs SELECT, INSERT, UPDATE and DELETE");
      }
      execute("GRANT SELECT, INSERT, UPDATE, DELETE"
          + " ON interlock_lock, interlock_entry, interlock_counter TO " + user);
      try (LockClient one = Locks.open(least);
          LockClient two = Locks.open(least)) {
        Lease held = one.acquire(LockRequest.of("a"));
        var waiting = two.acquireAsync(LockRequest.of("a"));
        org.awaitility.Awaitility.await()
            .until(() -> one.inspect("a").orElseThrow().waiters() == 1);
        held.release();
        waiting.get(10, TimeUnit.SECONDS).release();
      }
    } finally {
      execute("DROP OWNED BY " + user);
      execute("DROP ROLE " + user);
    }
  }

  @Test
  void e8_aWrongPasswordIsRefusedAtOpenWithoutShowingIt() {
    String uri = "postgres://nobody:s3cr3t@" + server.host() + ":" + server.port() + "/" + database;
    assertThatThrownBy(() -> Locks.open(uri))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("access denied")
        .hasMessageNotContaining("s3cr3t");
  }

  @Test
  void e8_allWrongOptionsAreNamedAtOnce() {
    assertThatThrownBy(
            () -> Locks.open("postgres://u:s3cr3t@h/d?schema=maybe&poolSize=0&tabelPrefix=x"))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("schema")
        .hasMessageContaining("poolSize")
        .hasMessageContaining("did you mean 'tablePrefix'")
        .hasMessageNotContaining("s3cr3t");
  }

  @Test
  void e8_anotherIsolationIsRefused() throws Exception {
    Locks.open(uri("?schema=create")).close();
    execute("ALTER DATABASE " + database + " SET default_transaction_isolation = serializable");
    assertThatThrownBy(() -> Locks.open(uri("")))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("need READ COMMITTED");
  }

  @Test
  void aPoolOfTheApplicationIsUsedAndLeftOpenAsItWas() throws Exception {
    Locks.open(uri("?schema=create")).close();
    try (com.zaxxer.hikari.HikariDataSource pool = new com.zaxxer.hikari.HikariDataSource()) {
      pool.setJdbcUrl(jdbcUrl());
      pool.setUsername(server.user());
      pool.setPassword(server.password());
      pool.setAutoCommit(false);
      try (LockClient one = PostgresLocks.using(pool);
          LockClient two = PostgresLocks.using(pool)) {
        Lease held = one.acquire(LockRequest.of("a"));
        var waiting = two.acquireAsync(LockRequest.of("a").withWait(Duration.ofSeconds(20)));
        org.awaitility.Awaitility.await()
            .until(() -> one.inspect("a").orElseThrow().waiters() == 1);
        held.release();
        waiting.get(10, TimeUnit.SECONDS).release();
      }
      try (Connection connection = pool.getConnection()) {
        assertThat(connection.getAutoCommit()).isFalse();
        assertThat(connection.isValid(1)).isTrue();
      }
    }
  }

  private void execute(String sql) throws Exception {
    try (Connection connection =
            DriverManager.getConnection(jdbcUrl(), server.user(), server.password());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private String jdbcUrl() {
    return "jdbc:postgresql://" + server.host() + ":" + server.port() + "/" + database;
  }

  private String uri(String query) {
    return "postgres://" + server.user() + ":" + server.password() + "@" + server.host() + ":"
        + server.port() + "/" + database + query;
  }
}
