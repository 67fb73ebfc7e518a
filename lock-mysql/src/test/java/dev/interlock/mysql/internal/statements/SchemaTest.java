package dev.interlock.mysql.internal.statements;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.mysql.Server;
import dev.interlock.testservers.MysqlServer;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SchemaTest {
  private final MysqlServer server = Server.shared();
  private final String database = Server.freshNamespace();

  @BeforeEach
  void createDatabase() {
    server.execute("CREATE DATABASE " + database);
  }

  @AfterEach
  void dropDatabase() {
    server.execute("DROP DATABASE " + database);
  }

  @Test
  void e8_missingTablesFailAtOpenWithTheDdlInTheMessage() {
    assertThatThrownBy(() -> Locks.open(uri("")))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("table interlock_lock is missing")
        .hasMessageContaining("CREATE TABLE IF NOT EXISTS interlock_lock")
        .hasMessageNotContaining(server.password() + "@");
  }

  @Test
  void tablesAreCreatedOnRequestAndCheckedLater() {
    try (LockClient client = Locks.open(uri("?schema=create&tablePrefix=my_"))) {
      client.acquire(LockRequest.of("a")).release();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    Locks.open(uri("?schema=check&tablePrefix=my_")).close();
    assertThat(server.execute("SELECT COUNT(*) FROM " + database + ".my_counter"))
        .isEqualTo("64");
  }

  @Test
  void tablesOfSomebodyElseAreNotTouched() {
    server.execute("CREATE TABLE " + database + ".interlock_lock (id INT PRIMARY KEY, name TEXT)");
    assertThatThrownBy(() -> Locks.open(uri("?schema=create")))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("table interlock_lock has no column lock_key");
    assertThat(server.execute("SELECT COUNT(*) FROM " + database + ".interlock_lock"))
        .isEqualTo("0");
  }

  /** As the first version made them, with the rows of the counter. */
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
        .hasMessageNotContaining("CREATE TABLE");
    String ddl = refusal.getMessage();
    execute(ddl.substring(ddl.indexOf("\n\n")));
    try (LockClient client = Locks.open(uri(""))) {
      client.acquire(LockRequest.of("a").shared()).release();
    }
    assertThat(server.execute("SELECT table_comment FROM information_schema.tables"
            + " WHERE table_schema = '" + database + "' AND table_name = 'interlock_counter'"))
        .isEqualTo("interlock 2");
  }

  /** Whoever holds and waits is a client of before, whose rows these are. */
  @Test
  void tablesOfTheFirstVersionAreBroughtUpToDateUnderThoseWhoHoldAndWait() throws Exception {
    createFirstVersion();
    LockKey at = LockKey.of("interlock", "a");
    String place = at.bucket() + ", x'" + HexFormat.of().formatHex(at.key()) + "'";
    String now = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
    execute("INSERT INTO interlock_lock (bucket, lock_key, client, hold, owner, host, since_us,"
        + " until_us, token, last_token, next_ticket, entries) VALUES (" + place
        + ", 7, 8, 'holder', 'h', " + now + ", " + now + " + 60000000, " + now + ", " + now
        + ", 2, 1)");
    execute("INSERT INTO interlock_entry VALUES (" + place + ", 1, 1, 7, 9, 'waiter', 0, 'h', "
        + now + ", " + now + " + 60000000, 30000000, 1, 0, 0)");
    List<FutureTask<LockClient>> opened = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      FutureTask<LockClient> one = new FutureTask<>(() -> Locks.open(uri("?schema=create")));
      opened.add(one);
      new Thread(one).start();
    }
    for (FutureTask<LockClient> one : opened) {
      try (LockClient client = one.get(30, TimeUnit.SECONDS)) {
        HoldInfo held = client.inspect("a").orElseThrow();
        assertThat(held.owner()).isEqualTo("holder");
        assertThat(held.waiters()).isEqualTo(1);
        assertThat(client.tryAcquire(LockRequest.of("a").shared())).isEmpty();
      }
    }
    try (LockClient client = Locks.open(uri("?schema=check"))) {
      long token = client.inspect("a").orElseThrow().fencingToken();
      assertThat(client.forceRelease("a", token)).isTrue(); // to the waiter
      HoldInfo next = client.inspect("a").orElseThrow();
      assertThat(next.owner()).isEqualTo("waiter");
      assertThat(next.fencingToken()).isGreaterThan(token);
      assertThat(client.forceRelease("a", next.fencingToken())).isTrue();
      client.acquire(LockRequest.of("a").shared()).release();
    }
  }

  /** The statements of a client of before, on a lock that readers have. */
  @Test
  void aClientOfTheFirstVersionKeepsOutOfALockThatIsShared() throws Exception {
    try (LockClient client = Locks.open(uri("?schema=create"))) {
      Lease reader = client.acquire(LockRequest.of("a").shared());
      Lease other = client.acquire(LockRequest.of("a").shared());
      String now = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
      // What it asks for a fast acquire, and what a transaction goes by: a lock that is not free,
      // or
      // further holds, the first of which has the lock next.
      assertThat(server.execute("SELECT COUNT(*) FROM " + database + ".interlock_lock"
              + " WHERE until_us > " + now + " AND entries = 2"))
          .isEqualTo("1");
      assertThat(server.execute("SELECT COUNT(*) FROM " + database + ".interlock_entry"
              + " WHERE kind = 0 AND until_us > " + now))
          .isEqualTo("2");
      reader.release();
      other.release();
    }
  }

  @Test
  void anAccountWithTheDocumentedPrivilegesIsEnough() throws InterruptedException {
    Locks.open(uri("?schema=create")).close();
    String user = "u" + database.substring(0, 12);
    server.execute("CREATE USER " + user + " IDENTIFIED BY 'least'");
    try {
      for (String table : new String[] {"lock", "entry", "counter"}) {
        server.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON " + database + ".interlock_" + table
            + " TO " + user);
      }
      String uri =
          "mysql://" + user + ":least@" + server.host() + ":" + server.port() + "/" + database;
      try (LockClient one = Locks.open(uri);
          LockClient two = Locks.open(uri)) {
        Lease held = one.acquire(LockRequest.of("a"));
        var waiting = two.acquireAsync(LockRequest.of("a"));
        long start = System.nanoTime();
        org.awaitility.Awaitility.await()
            .until(() -> one.inspect("a").orElseThrow().waiters() == 1);
        held.release();
        waiting.join().release();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
      }
    } finally {
      server.execute("DROP USER " + user);
    }
  }

  @Test
  void e8_aWrongPasswordIsRefusedAtOpenWithoutShowingIt() {
    String uri = "mysql://nobody:s3cr3t@" + server.host() + ":" + server.port() + "/" + database;
    assertThatThrownBy(() -> Locks.open(uri))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("access denied")
        .hasMessageNotContaining("s3cr3t");
  }

  @Test
  void e8_allWrongOptionsAreNamedAtOnce() {
    assertThatThrownBy(
            () -> Locks.open("mysql://u:s3cr3t@h/d?schema=maybe&poolSize=0&tabelPrefix=x"))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("schema")
        .hasMessageContaining("poolSize")
        .hasMessageContaining("did you mean 'tablePrefix'")
        .hasMessageNotContaining("s3cr3t");
  }

  private void execute(String sql) throws Exception {
    try (Connection connection = DriverManager.getConnection(
            "jdbc:mysql://" + server.host() + ":" + server.port() + "/" + database
                + "?allowMultiQueries=true",
            server.user(),
            server.password());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
      while (statement.getMoreResults() || statement.getUpdateCount() >= 0) {
        // to the end of all statements, or a fault of one of them is not seen
      }
    }
  }

  private String uri(String query) {
    return "mysql://" + server.user() + (server.password().isEmpty() ? "" : ":" + server.password())
        + "@" + server.host() + ":" + server.port() + "/" + database + query;
  }
}
