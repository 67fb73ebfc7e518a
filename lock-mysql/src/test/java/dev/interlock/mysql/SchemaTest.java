package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.testservers.MysqlServer;
import java.time.Duration;
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

  private String uri(String query) {
    return "mysql://" + server.user() + (server.password().isEmpty() ? "" : ":" + server.password())
        + "@" + server.host() + ":" + server.port() + "/" + database + query;
  }
}
