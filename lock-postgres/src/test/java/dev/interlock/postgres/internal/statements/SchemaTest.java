package dev.interlock.postgres.internal.statements;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.postgres.PostgresLocks;
import dev.interlock.postgres.PostgresOptions;
import dev.interlock.postgres.Server;
import dev.interlock.testservers.PostgresServer;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
        .hasMessageContaining("is not marked 'interlock 6'");
    execute("INSERT INTO interlock_lock VALUES (1)");
  }

  /** As an earlier version made them. */
  private void create(int version) throws Exception {
    if (version == 1) {
      try (InputStream in = SchemaTest.class.getResourceAsStream("interlock-1.sql")) {
        execute(new String(in.readAllBytes(), UTF_8).replace("${prefix}", "interlock_"));
      }
      return;
    }
    Locks.open(uri("?schema=create")).close();
    execute("DROP FUNCTION interlock_waits");
    if (version < 5) {
      execute("DROP FUNCTION interlock_summon");
    }
    if (version == 4) {
      execute("CREATE FUNCTION interlock_summon(asked bytea, at_us bigint) RETURNS void"
          + " LANGUAGE plpgsql AS $$ BEGIN END $$");
    } else if (version < 4) {
      execute("DROP PROCEDURE interlock_release_all");
      execute("DROP FUNCTION interlock_append, interlock_take, interlock_give_back");
    }
    if (version == 3) {
      execute(
          "CREATE PROCEDURE interlock_release(asked bytea, me bigint, ids bigint[], OUT held boolean,"
              + " OUT grant_client bigint, OUT grant_hold bigint, OUT grant_token bigint,"
              + " OUT grant_tokens int, OUT grant_us bigint, OUT heirs bigint[], OUT also bigint[],"
              + " OUT told boolean) LANGUAGE plpgsql AS $$ BEGIN held := false; END $$");
    }
    execute("COMMENT ON TABLE interlock_counter IS 'interlock " + version + "'");
  }

  @Test
  void e8_tablesOfTheFirstVersionFailAtOpenWithWhatBringsThemUpToDate() throws Exception {
    create(1);
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

  /** What clients of before call, on a connection that has it prepared. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void tablesOfBeforeAreBroughtUpToDateUnderThoseWhoHoldAndWait(int version) throws Exception {
    create(version);
    try (Connection before =
            DriverManager.getConnection(jdbcUrl(), server.user(), server.password());
        PreparedStatement attempt = before.prepareStatement("SELECT state FROM"
            + " interlock_operate(?, 7, NULL, ?, 'o', false, 'h', 60000000, 1, ?)");
        PreparedStatement release = before.prepareStatement(
            "SELECT held, grant_hold FROM"
                + " interlock_operate(?, 7, ARRAY[?]::bigint[], NULL, NULL, NULL, NULL, NULL, NULL, NULL)")) {
      for (int i = 0; i < 20; i++) {
        assertThat(ask(attempt, "b", i, 0L)).isEqualTo("1");
        assertThat(ask(release, "b", i)).isEqualTo("t null");
      }
      assertThat(ask(attempt, "a", 1, 0L)).isEqualTo("1");
      assertThat(ask(attempt, "a", 2, 30_000_000L)).isEqualTo("2");
      try (LockClient client = Locks.open(uri("?schema=create"))) {
        assertThat(client.tryAcquire(LockRequest.of("a").shared())).isEmpty();
        assertThat(client.inspect("a").orElseThrow().waiters()).isEqualTo(1);
        assertThat(ask(release, "a", 1)).isEqualTo("t 2");
        assertThat(ask(release, "a", 2)).isEqualTo("t null");
        Lease reader = client.acquire(LockRequest.of("a").shared());
        assertThat(ask(attempt, "a", 3, 0L)).isEqualTo("0");
        reader.release();
        assertThat(ask(attempt, "a", 4, 0L)).isEqualTo("1");
      }
      try (Statement catalog = before.createStatement();
          ResultSet row =
              catalog.executeQuery("SELECT STRING_AGG(PG_GET_FUNCTION_ARGUMENTS(oid), ';')"
                  + " FROM pg_proc WHERE proname = 'interlock_summon'")) {
        row.next();
        assertThat(row.getString(1)).isEqualTo("asked bytea, at_us bigint, kept_out bigint");
      }
    }
    Locks.open(uri("?schema=check")).close();
  }

  @ParameterizedTest
  @CsvSource({"3, release, 9", "4, release_all, 19"})
  void aReleaseAsClientsOfBeforeCallItTellsTheNext(int version, String procedure, int others)
      throws Exception {
    create(version);
    try (Connection before =
            DriverManager.getConnection(jdbcUrl(), server.user(), server.password());
        PreparedStatement attempt = before.prepareStatement("SELECT state FROM"
            + " interlock_operate(?, 7, NULL, ?, 'o', false, 'h', 60000000, 1, ?)");
        PreparedStatement release = before.prepareStatement("CALL interlock_" + procedure
            + "(?, 7, ARRAY[?]::bigint[]" + ", NULL".repeat(others) + ")")) {
      for (int i = 0; i < 6; i++) { // from then on the server has it prepared
        assertThat(ask(release, "b", i)).startsWith("f ");
      }
      long called = oid(before, procedure);
      try (LockClient client = Locks.open(uri("?schema=create"))) {
        // Servers before 14.10, 15.5 and 16.1 do not look for another one.
        assertThat(oid(before, procedure)).isEqualTo(called);
        assertThat(ask(attempt, "a", 1, 0L)).isEqualTo("1");
        var waiting = client.acquireAsync(LockRequest.of("a"));
        org.awaitility.Awaitility.await()
            .until(() -> client.inspect("a").orElseThrow().waiters() == 1);
        assertThat(ask(release, "a", 1)).startsWith("t ");
        waiting.get(10, TimeUnit.SECONDS).release();
      }
    }
  }

  private static long oid(Connection connection, String procedure) throws Exception {
    try (Statement catalog = connection.createStatement();
        ResultSet row = catalog.executeQuery(
            "SELECT oid FROM pg_proc WHERE proname = 'interlock_" + procedure + "'")) {
      row.next();
      return row.getLong(1);
    }
  }

  private static String ask(PreparedStatement statement, String lock, long... arguments)
      throws Exception {
    statement.setBytes(1, ("interlock:" + lock).getBytes(UTF_8));
    for (int i = 0; i < arguments.length; i++) {
      statement.setLong(i + 2, arguments[i]);
    }
    try (ResultSet row = statement.executeQuery()) {
      row.next();
      String answer = row.getString(1);
      return row.getMetaData().getColumnCount() == 1 ? answer : answer + " " + row.getString(2);
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
  void e8_aPoolThatIsReadOnlyIsRefused() throws Exception {
    Locks.open(uri("?schema=create")).close();
    for (String mode : List.of("transaction", "always")) {
      try (com.zaxxer.hikari.HikariDataSource pool = new com.zaxxer.hikari.HikariDataSource()) {
        pool.setJdbcUrl(jdbcUrl() + "?readOnlyMode=" + mode);
        pool.setUsername(server.user());
        pool.setPassword(server.password());
        pool.setReadOnly(true);
        assertThatThrownBy(() -> PostgresLocks.using(pool))
            .as(mode)
            .isInstanceOf(LockConfigurationException.class)
            .hasMessageContaining("read-only");
      }
    }
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

  /** A pool that gives connections out as they came back. */
  @Test
  void aConnectionIsReturnedAsItWasAlsoIfTheClientDoesNotOpen() throws Exception {
    try (Connection only =
        DriverManager.getConnection(jdbcUrl(), server.user(), server.password())) {
      only.setAutoCommit(false);
      DataSource pool = (DataSource) Proxy.newProxyInstance(
          DataSource.class.getClassLoader(),
          new Class<?>[] {DataSource.class},
          (a, b, c) -> Proxy.newProxyInstance(
              Connection.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (self, method, values) -> switch (method.getName()) {
                case "close" -> null;
                case "hashCode" -> System.identityHashCode(self);
                case "equals" -> self == values[0];
                default -> method.invoke(only, values);
              }));
      assertThatThrownBy(() -> PostgresLocks.using(pool))
          .isInstanceOf(LockConfigurationException.class);
      assertThat(only.getAutoCommit()).isFalse();
      PostgresLocks.using(
              pool,
              LockConfig.builder("postgres")
                  .set(PostgresOptions.SCHEMA, PostgresOptions.SchemaMode.CREATE)
                  .build())
          .close();
      assertThat(only.getAutoCommit()).isFalse();
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
