package dev.interlock.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.testservers.PostgresServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
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
        .hasMessageContaining("is not marked 'interlock 2'");
    execute("INSERT INTO interlock_lock VALUES (1)");
  }

  /** As the first version made them. */
  private void createFirstVersion() throws Exception {
    try (InputStream in = SchemaTest.class.getResourceAsStream("interlock-1.sql")) {
      execute(new String(in.readAllBytes(), UTF_8).replace("${prefix}", "interlock_"));
    }
  }

  @Test
  void e8_tablesOfTheFirstVersionFailAtOpenWithWhatBringsThemUpToDate() throws Exception {
    createFirstVersion();
    Throwable refusal = catchThrowable(() -> Locks.open(uri("")));
    assertThat(refusal)
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("are of an earlier version, 'interlock 1'")
        .hasMessageContaining("ALTER TABLE interlock_entry")
        .hasMessageNotContaining("CREATE TABLE interlock_entry");
    String ddl = refusal.getMessage();
    execute(ddl.substring(ddl.indexOf("\n\n")));
    try (LockClient client = Locks.open(uri(""))) {
      client.acquire(LockRequest.of("a").shared()).release();
    }
  }

  @Test
  void tablesOfTheFirstVersionAreBroughtUpToDateUnderThoseWhoHoldAndWait() throws Exception {
    createFirstVersion();
    try (LockClient before = Locks.open(uri("?schema=none"))) {
      Lease held = before.acquire(LockRequest.of("a"));
      for (int i = 0; i < 20; i++) { // so that its connections have prepared statements
        before.acquire(LockRequest.of("b")).release();
      }
      var waiting = before.acquireAsync(LockRequest.of("a").withWait(Duration.ofSeconds(30)));
      org.awaitility.Awaitility.await().until(() -> entries() == 1);
      try (LockClient client = Locks.open(uri("?schema=create"))) {
        assertThat(client.tryAcquire(LockRequest.of("a").shared())).isEmpty();
        assertThat(client.inspect("a").orElseThrow().waiters()).isEqualTo(1);
        held.release();
        Lease next = waiting.get(20, TimeUnit.SECONDS);
        next.release();
        Lease reader = client.acquire(LockRequest.of("a").shared().withWait(Duration.ofSeconds(9)));
        assertThat(reader.fencingToken()).isGreaterThan(next.fencingToken());
        assertThat(before.tryAcquire(LockRequest.of("a"))).isEmpty();
        reader.release();
        before.acquire(LockRequest.of("a").withWait(Duration.ofSeconds(9))).release();
      }
    }
    Locks.open(uri("?schema=check")).close();
  }

  private int entries() throws Exception {
    try (Connection connection =
            DriverManager.getConnection(jdbcUrl(), server.user(), server.password());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM interlock_entry")) {
      row.next();
      return row.getInt(1);
    }
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
      execute(grantOfThePage().replace(" TO app;", " TO " + user));
      try (LockClient one = Locks.open(least);
          LockClient two = Locks.open(least)) {
        Lease held = one.acquire(LockRequest.of("a"));
        var waiting = two.acquireAsync(LockRequest.of("a"));
        org.awaitility.Awaitility.await()
            .until(() -> one.inspect("a").orElseThrow().waiters() == 1);
        held.release();
        waiting.get(10, TimeUnit.SECONDS).release();
        Lease reader = one.acquire(LockRequest.of("a").shared());
        var writing = two.acquireAsync(LockRequest.of("a"));
        org.awaitility.Awaitility.await()
            .until(() -> one.inspect("a").orElseThrow().waiters() == 1);
        reader.release();
        writing.get(10, TimeUnit.SECONDS).release();
        two.acquire(LockRequest.of("a").permits(2, 3)).release();
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

  private static String grantOfThePage() throws IOException {
    return Files.readAllLines(Path.of("../docs/postgres.md")).stream()
        .filter(line -> line.startsWith("GRANT "))
        .findFirst()
        .orElseThrow();
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
