package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

/** Methods with several locks. */
@Timeout(60)
class SeveralLocksTest {
  private static ConfigurableApplicationContext context;
  private static LockClient client;
  private static Accounts accounts;

  static class Accounts {
    private int balance;

    public int balance() {
      return balance;
    }

    /** Loses updates if two run at once. */
    @Locked(
        names = {"account-#{#from}", "account-#{#to}"},
        waitFor = "50s")
    public List<String> transfer(int from, int to) {
      int before = balance;
      Thread.onSpinWait();
      balance = before + 1;
      return Stream.of(from, to)
          .map(account -> CurrentLease.of("account-" + account))
          .map(Lease::name)
          .toList();
    }

    @Locked(
        names = {"one", "other"},
        waitFor = "0")
    public String attempt() {
      return CurrentLease.get().name();
    }

    @Locked(
        names = {"one", "other"},
        onBusy = OnBusy.SKIP)
    public List<String> skip() {
      return List.of("done");
    }

    @Locked(names = {"one", "other"})
    public void endless(CountDownLatch begun) throws InterruptedException {
      begun.countDown();
      new CountDownLatch(1).await();
    }

    @Locked(names = {"one", "other"})
    public void fail() {
      throw new IllegalStateException("as planned");
    }
  }

  @BeforeAll
  static void start() {
    context = Contexts.local(List.of(Accounts.class));
    client = context.getBean(LockClient.class);
    accounts = context.getBean(Accounts.class);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  private static boolean isFree(String... names) {
    return Stream.of(names).allMatch(name -> client.inspect(name).isEmpty());
  }

  @Test
  void both_are_held_and_then_free() {
    assertThat(accounts.transfer(1, 2)).containsExactly("account-1", "account-2");
    assertThat(accounts.transfer(3, 3)).containsExactly("account-3", "account-3");
    assertThat(accounts.attempt()).as("the lease of the first").isEqualTo("one");
    assertThatThrownBy(accounts::fail).hasMessage("as planned");
    assertThat(isFree("account-1", "account-2", "account-3", "one", "other")).isTrue();
  }

  @Test
  void calls_that_name_them_in_another_order_exclude_each_other_and_do_not_deadlock() {
    int before = accounts.balance();
    CompletableFuture<?>[] calls = new CompletableFuture<?>[4];
    for (int i = 0; i < calls.length; i++) {
      int from = 5 + i % 2;
      calls[i] = CompletableFuture.runAsync(
          () -> {
            for (int round = 0; round < 10; round++) {
              accounts.transfer(from, 11 - from);
            }
          },
          Contexts.THREADS);
    }
    CompletableFuture.allOf(calls).join();
    assertThat(accounts.balance()).isEqualTo(before + 40);
  }

  @Test
  void one_that_is_busy_leaves_the_others_free() throws Exception {
    try (Lease held = client.acquire(LockRequest.of("other"))) {
      assertThatThrownBy(accounts::attempt)
          .isInstanceOf(LockTimeoutException.class)
          .hasMessage("lock 'one' or 'other' is held by another; waited PT0S");
      assertThat(accounts.skip()).isEmpty();
      assertThat(isFree("one")).isTrue();
      assertThat(held.isValid()).isTrue();
    }
    assertThat(accounts.skip()).containsExactly("done");
  }

  @Test
  void the_loss_of_one_interrupts_the_work_and_frees_the_others() throws Exception {
    for (String lost : List.of("one", "other")) {
      CountDownLatch begun = new CountDownLatch(1);
      CompletableFuture<Void> call = new CompletableFuture<>();
      Contexts.THREADS.execute(() -> {
        try {
          accounts.endless(begun);
          call.complete(null);
        } catch (Throwable e) {
          call.completeExceptionally(e);
        }
      });
      assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
      client.forceRelease(lost);
      assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS))
          .hasCauseInstanceOf(LeaseLostException.class)
          .hasStackTraceContaining("'" + lost + "'");
      assertThat(isFree("one", "other")).isTrue();
    }
  }

  /** Of nothing. */
  @SuppressWarnings("serial")
  private static final class Transactions extends AbstractPlatformTransactionManager {
    @Override
    protected Object doGetTransaction() {
      return this;
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {}

    @Override
    protected void doCommit(DefaultTransactionStatus status) {}

    @Override
    protected void doRollback(DefaultTransactionStatus status) {}
  }

  @Test
  void a_transaction_keeps_all_until_it_is_complete_and_enters_them_again() {
    PlatformTransactionManager transactions = new Transactions();
    new TransactionTemplate(transactions).executeWithoutResult(status -> {
      accounts.attempt();
      assertThat(accounts.skip()).containsExactly("done");
      assertThat(client.inspect("one")).isPresent();
      assertThat(client.inspect("other")).isPresent();
    });
    assertThat(isFree("one", "other")).isTrue();
  }

  static class Both {
    @Locked(
        name = "one",
        names = {"one", "other"})
    public void work() {}
  }

  static class Empty {
    @Locked(names = {"one", ""})
    public void work() {}
  }

  static class Kept {
    @Locked(
        names = {"one", "other"},
        autoRelease = false,
        atLeast = "1s")
    public void work() {}
  }

  static class Reactive {
    @Locked(names = {"one", "other"})
    public Mono<String> work() {
      return Mono.empty();
    }
  }

  static class Stage {
    @Locked(names = {"one", "other"})
    public CompletableFuture<String> work() {
      return new CompletableFuture<>();
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      Both     | it has name and names: keep one of them
      Empty    | one of its names is empty
      Kept     | autoRelease=false goes with one name only
      Reactive | several names need a method whose work has ended when it returns
      Stage    | several names need a method whose work has ended when it returns
      """)
  void what_cannot_be_meant_is_refused_at_start(String bean, String message) throws Exception {
    Class<?> type = Class.forName(SeveralLocksTest.class.getName() + "$" + bean);
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
        .withPropertyValues("interlock.uri=local://")
        .withBean(type)
        .run(started ->
            assertThat(started).hasFailed().getFailure().hasStackTraceContaining(message));
  }
}
