package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.TestMysql;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
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

  /** A job of several instances; as {@code increment}, it loses updates if two run at once. */
  static class Job {
    private final JdbcTemplate jdbc;
    private final AtomicInteger runs = new AtomicInteger();

    Job(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    public int runs() {
      return runs.get();
    }

    @Locked(name = "job", waitFor = "20s")
    @Transactional
    public void run() {
      int balance = jdbc.queryForObject("SELECT balance FROM account", Integer.class);
      jdbc.update("UPDATE account SET balance = ?", balance + 1);
      runs.incrementAndGet();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableScheduling
  static class Scheduling {
    private final Job job;

    Scheduling(Job job) {
      this.job = job;
    }

    @Scheduled(fixedDelay = 1)
    public void run() {
      job.run();
    }
  }

  /** Watches the transactions of calls, and whether their lock is held meanwhile. */
  static class Watch implements TransactionExecutionListener {
    private final ObjectProvider<LockClient> client;
    private final AtomicInteger begun = new AtomicInteger();
    private final List<Boolean> held = new CopyOnWriteArrayList<>();

    Watch(ObjectProvider<LockClient> client) {
      this.client = client;
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
      begun.incrementAndGet();
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
      held.add(client.getObject().inspect("account").isPresent());
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
      held.add(client.getObject().inspect("account").isPresent());
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
    context = instance(Contexts.namespace(), Accounts.class, Outer.class, Watch.class);
    client = context.getBean(LockClient.class);
    jdbc = context.getBean(JdbcTemplate.class);
    accounts = context.getBean(Accounts.class);
    outer = context.getBean(Outer.class);
    jdbc.execute("CREATE TABLE IF NOT EXISTS account (balance INT NOT NULL)");
  }

  private static ConfigurableApplicationContext instance(String namespace, Class<?>... beans) {
    return Contexts.start(
        Contexts.WithDataSource.class,
        List.of(beans),
        List.of(
            "interlock.options.schema=create",
            "interlock.namespace=" + namespace,
            "spring.datasource.url=" + server.jdbcUrl() + "?allowMultiQueries=true",
            "spring.datasource.username=" + server.user(),
            "spring.datasource.password=" + server.password(),
            "spring.datasource.hikari.maximum-pool-size=30",
            "spring.task.scheduling.shutdown.await-termination=true",
            "spring.task.scheduling.shutdown.await-termination-period=20s"));
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
  void the_lock_comes_before_the_transaction_and_goes_after_the_commit() throws Exception {
    Watch watch = context.getBean(Watch.class);
    CompletableFuture<Void> call;
    try (Lease other = client.tryAcquire(LockRequest.of("account")).orElseThrow()) {
      int begun = watch.begun.get();
      call = CompletableFuture.runAsync(accounts::increment, Contexts.THREADS);
      await().until(() -> client.inspect("account").orElseThrow().waiters() == 1);
      assertThat(watch.begun).as("a call that waits has no transaction yet").hasValue(begun);
      watch.held.clear();
    }
    call.get(20, TimeUnit.SECONDS);
    assertThat(watch.held).as("held before and after the commit").containsExactly(true, true);
  }

  @Test
  void the_next_holder_sees_on_its_own_connection_what_was_committed() throws Exception {
    for (int i = 1; i <= 20; i++) {
      CompletableFuture<Void> call;
      CompletableFuture<Integer> next;
      try (Lease other = client.tryAcquire(LockRequest.of("account")).orElseThrow()) {
        call = CompletableFuture.runAsync(accounts::increment, Contexts.THREADS);
        await().until(() -> client.inspect("account").orElseThrow().waiters() == 1);
        next = CompletableFuture.supplyAsync(() -> {
          client.lock("account").lock();
          try {
            return balance();
          } finally {
            client.lock("account").unlock();
          }
        });
        await().until(() -> client.inspect("account").orElseThrow().waiters() == 2);
      }
      assertThat(next.get(20, TimeUnit.SECONDS)).isEqualTo(i);
      call.get(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void a_scheduled_job_with_a_transaction_runs_on_one_instance_at_a_time() {
    String namespace = Contexts.namespace();
    Job first;
    Job second;
    try (var one = instance(namespace, Job.class, Scheduling.class);
        var other = instance(namespace, Job.class, Scheduling.class)) {
      first = one.getBean(Job.class);
      second = other.getBean(Job.class);
      int more = first.runs() + 10;
      await().until(() -> first.runs() >= more && second.runs() >= 10);
    }
    assertThat(balance()).isEqualTo(first.runs() + second.runs());
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
