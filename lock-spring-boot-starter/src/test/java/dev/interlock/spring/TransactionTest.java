package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.TestMysql;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Lock and transaction on a real MariaDB, over the application's own pool. */
@Timeout(60)
class TransactionTest {
  private static MysqlServer server;
  private static ConfigurableApplicationContext context;
  private static LockClient client;
  private static JdbcTemplate jdbc;
  private static Accounts accounts;
  private static Outer outer;

  static class Accounts {
    private final JdbcTemplate jdbc;
    private final LockClient client;

    Accounts(JdbcTemplate jdbc, LockClient client) {
      this.jdbc = jdbc;
      this.client = client;
    }

    /** Loses updates, unless calls exclude one another until after the commit. */
    @Locked("account")
    @Transactional
    public void increment() {
      int balance = jdbc.queryForObject("SELECT balance FROM account", Integer.class);
      jdbc.update("UPDATE account SET balance = ?", balance + 1);
    }

    @Locked("account")
    @Transactional
    public void fail() {
      jdbc.update("UPDATE account SET balance = 1000");
      throw new IllegalStateException("as planned");
    }

    @Locked(name = "account", onLost = OnLost.SIGNAL)
    @Transactional
    public void lose() {
      jdbc.update("UPDATE account SET balance = 1000");
      client.forceRelease("account");
    }

    @Locked("account")
    public void inTransactionOfCaller() {
      jdbc.update("UPDATE account SET balance = balance + 1");
    }
  }

  static class Outer {
    private final Accounts accounts;
    private final LockClient client;

    Outer(Accounts accounts, LockClient client) {
      this.accounts = accounts;
      this.client = client;
    }

    @Transactional
    public boolean callThenLookWhetherFree() {
      accounts.inTransactionOfCaller();
      return client.inspect("account").isEmpty();
    }

    @Transactional
    public void callThenLose() {
      accounts.inTransactionOfCaller();
      client.forceRelease("account");
    }
  }

  @BeforeAll
  static void start() {
    server = TestMysql.start();
    context = Contexts.start(
        Contexts.WithDataSource.class,
        List.of(Accounts.class, Outer.class),
        List.of(
            "interlock.reuse=data-source",
            "interlock.options.schema=create",
            "interlock.namespace=" + Contexts.namespace(),
            "spring.datasource.url=" + server.jdbcUrl() + "?allowMultiQueries=true",
            "spring.datasource.username=" + server.user(),
            "spring.datasource.password=" + server.password(),
            "spring.datasource.hikari.maximum-pool-size=30"));
    client = context.getBean(LockClient.class);
    jdbc = context.getBean(JdbcTemplate.class);
    accounts = context.getBean(Accounts.class);
    outer = context.getBean(Outer.class);
    jdbc.execute("CREATE TABLE IF NOT EXISTS account (balance INT NOT NULL)");
  }

  @AfterAll
  static void stop() {
    context.close();
    server.close();
  }

  @BeforeEach
  void reset() {
    jdbc.update("DELETE FROM account");
    jdbc.update("INSERT INTO account VALUES (0)");
  }

  private static int balance() {
    return jdbc.queryForObject("SELECT balance FROM account", Integer.class);
  }

  @Test
  void the_commit_comes_before_the_release_so_no_update_is_lost() throws Exception {
    List<CompletableFuture<Void>> calls = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      calls.add(CompletableFuture.runAsync(
          () -> {
            for (int j = 0; j < 10; j++) {
              accounts.increment();
            }
          },
          task -> new Thread(task).start()));
    }
    for (CompletableFuture<Void> call : calls) {
      call.get(50, TimeUnit.SECONDS);
    }
    assertThat(balance()).isEqualTo(30);
  }

  @Test
  void a_rollback_frees_the_lock() {
    assertThatThrownBy(accounts::fail).isInstanceOf(IllegalStateException.class);
    assertThat(balance()).isZero();
    assertThat(client.inspect("account")).isEmpty();
  }

  @Test
  void a_transaction_does_not_commit_under_a_lost_lease() {
    assertThatThrownBy(accounts::lose).isInstanceOf(LeaseLostException.class);
    assertThat(balance()).isZero();
  }

  @Test
  void a_lock_taken_within_a_transaction_is_kept_until_that_is_complete() {
    assertThat(outer.callThenLookWhetherFree()).isFalse();
    assertThat(balance()).isEqualTo(1);
    assertThat(client.inspect("account")).isEmpty();
  }

  @Test
  void a_lock_lost_before_the_callers_commit_rolls_it_back() {
    assertThatThrownBy(outer::callThenLose).isInstanceOf(LeaseLostException.class);
    assertThat(balance()).isZero();
  }

  @Test
  void a_template_keeps_to_the_same_rules() {
    LockTemplate template = context.getBean(LockTemplate.class);
    String name = template.execute("account", Lease::name);
    assertThat(name).isEqualTo("account");
    try (Lease other = client.tryAcquire(LockRequest.of("account")).orElseThrow()) {
      assertThat(template.tryExecute(LockRequest.of("account"), Lease::name)).isEmpty();
    }
    assertThatThrownBy(() -> template.execute("account", lease -> {
          client.forceRelease("account");
          return 1;
        }))
        .isInstanceOf(LeaseLostException.class);
  }
}
