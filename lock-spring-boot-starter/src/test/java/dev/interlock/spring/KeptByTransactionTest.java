package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.Locks;
import dev.interlock.LostReason;
import dev.interlock.spring.internal.lease.LockGate;
import dev.interlock.spring.internal.lease.LockMeter;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Calls of one lock within one transaction, which keeps it from the first call until its end. */
@Timeout(30)
class KeptByTransactionTest {
  private static ConfigurableApplicationContext context;
  private static LockClient client;
  private static Accounts accounts;
  private static Heard heard;
  private static Transactions manager;
  private static LockTemplate template;
  private static TransactionTemplate transaction;
  private static TransactionTemplate other;

  static class Accounts {
    @Locked(name = "account", waitFor = "20s")
    public long enter() {
      return CurrentLease.get().fencingToken();
    }

    @Locked(name = "account", waitFor = "20s")
    public void around(Runnable work) {
      work.run();
    }

    @Locked(name = "account", onLost = OnLost.SIGNAL)
    public void signalled(Runnable work) {
      work.run();
    }

    @Locked(name = "account", onBusy = OnBusy.SKIP)
    public boolean skipped() {
      return true;
    }

    @Locked(name = "account", mode = LockMode.READ, waitFor = "20s")
    public void read(Runnable work) {
      work.run();
    }

    @Locked(name = "account", lease = "200ms")
    public void brief() {}

    @Locked(name = "account", scope = LockScope.APPLICATION, waitFor = "20s")
    public boolean ofApplication() {
      return true;
    }

    @Locked(name = "daily", autoRelease = false, atLeast = "20s", onBusy = OnBusy.SKIP)
    public boolean once() {
      return true;
    }
  }

  static class Heard implements LockListener {
    private final List<String> events = new CopyOnWriteArrayList<>();

    @Override
    public void released(String name, long fencingToken, Duration held) {
      events.add("released");
    }

    @Override
    public void lost(String name, long fencingToken, LostReason reason) {
      events.add("lost");
    }
  }

  @BeforeAll
  static void start() {
    context = Contexts.local(List.of(Accounts.class, Heard.class, Transactions.class));
    client = context.getBean(LockClient.class);
    accounts = context.getBean(Accounts.class);
    heard = context.getBean(Heard.class);
    manager = context.getBean(Transactions.class);
    template = context.getBean(LockTemplate.class);
    transaction = new TransactionTemplate(manager);
    other = new TransactionTemplate(manager);
    other.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @BeforeEach
  void reset() {
    heard.events.clear();
    manager.ends.clear();
  }

  private static boolean isFree() {
    return client.inspect("account").isEmpty();
  }

  @Test
  void a_second_call_enters_the_lock_that_the_transaction_keeps() {
    transaction.executeWithoutResult(status -> {
      long token = accounts.enter();
      assertThat(accounts.enter()).as("the same hold").isEqualTo(token);
      assertThat(accounts.skipped()).isTrue();
      assertThat(client.tryAcquire(LockRequest.of("account"))).as("for others").isEmpty();
      assertThat(heard.events).isEmpty();
      assertThat(CurrentLease.find()).as("between the calls").isEmpty();
    });
    assertThat(heard.events).containsExactly("released");
    assertThat(manager.ends).containsExactly("commit");
    assertThat(isFree()).isTrue();
  }

  @Test
  void a_template_and_an_annotation_enter_it_one_after_the_other_and_within_each_other() {
    transaction.executeWithoutResult(status -> {
      long token = template.execute("account", Lease::fencingToken);
      assertThat(accounts.enter()).isEqualTo(token);
      assertThat(template.<Long, RuntimeException>execute("account", Lease::fencingToken))
          .isEqualTo(token);
      assertThat(template.tryExecute(LockRequest.of("account"), Lease::fencingToken))
          .contains(token);
      accounts.around(() -> assertThat(
              template.<Long, RuntimeException>execute("account", lease -> accounts.enter()))
          .isEqualTo(token));
    });
    assertThat(isFree()).isTrue();
  }

  @Test
  void after_a_rollback_it_is_free() {
    transaction.executeWithoutResult(status -> {
      accounts.enter();
      accounts.enter();
      status.setRollbackOnly();
      assertThat(isFree()).isFalse();
    });
    assertThat(manager.ends).containsExactly("rollback");
    assertThat(isFree()).isTrue();
    accounts.enter();
  }

  @Test
  void another_transaction_of_the_thread_finds_it_busy_at_once_and_the_first_one_goes_on() {
    transaction.executeWithoutResult(status -> {
      long token = accounts.enter();
      long start = System.nanoTime();
      // It would wait for a transaction that waits for it, and must not see what is uncommitted.
      assertThatThrownBy(() -> other.executeWithoutResult(inner -> accounts.enter()))
          .isInstanceOf(LockTimeoutException.class)
          .hasMessageContaining("another transaction of this thread");
      assertThatThrownBy(() -> other.execute(
              inner -> template.<Long, RuntimeException>execute("account", Lease::fencingToken)))
          .isInstanceOf(LockTimeoutException.class);
      assertThat(other.<Boolean>execute(inner -> accounts.skipped())).isFalse();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
      assertThat(accounts.enter()).isEqualTo(token);
    });
    assertThat(isFree()).isTrue();
    other.executeWithoutResult(inner -> accounts.enter());
  }

  @Test
  void another_transaction_of_the_thread_keeps_its_own_locks() {
    transaction.executeWithoutResult(status -> {
      other.executeWithoutResult(inner -> {
        accounts.enter();
        accounts.enter();
      });
      assertThat(isFree()).isTrue();
      accounts.enter();
      assertThat(isFree()).isFalse();
    });
    assertThat(isFree()).isTrue();
  }

  @Test
  void one_that_was_lost_is_not_taken_anew_and_the_transaction_rolls_back() {
    assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
          accounts.enter();
          client.forceRelease("account");
          assertThatThrownBy(accounts::enter).isInstanceOf(LeaseLostException.class);
          assertThatThrownBy(() -> template.execute("account", Lease::name))
              .isInstanceOf(LeaseLostException.class);
          assertThat(isFree()).isTrue();
        }))
        .isInstanceOf(LeaseLostException.class);
    assertThat(manager.ends).containsExactly("rollback");
    await().untilAsserted(() -> assertThat(heard.events).containsExactly("lost"));
    accounts.enter();
  }

  @Test
  void a_manager_that_boot_did_not_make_does_not_commit_under_a_lost_lease() {
    assertThatThrownBy(() -> accounts.signalled(
            () -> transaction.executeWithoutResult(status -> client.forceRelease("account"))))
        .isInstanceOf(LeaseLostException.class);
    assertThat(manager.ends).containsExactly("rollback");
  }

  @Test
  void a_longer_lease_of_the_second_call_is_honoured() {
    transaction.executeWithoutResult(status -> {
      accounts.brief();
      accounts.enter();
      assertThat(client.inspect("account").orElseThrow().remaining())
          .isGreaterThan(Duration.ofSeconds(5));
    });
    assertThat(manager.ends).containsExactly("commit");
  }

  @Test
  void one_that_reads_finds_the_lock_busy_at_once_for_writing() {
    transaction.executeWithoutResult(status -> {
      accounts.read(() -> {
        assertThat(accounts.skipped()).as("while it reads").isFalse();
        assertThatThrownBy(accounts::enter).isInstanceOf(LockTimeoutException.class);
      });
      assertThat(accounts.skipped()).as("as long as the transaction lasts").isFalse();
      assertThatThrownBy(() -> template.execute("account", Lease::name))
          .isInstanceOf(LockTimeoutException.class);
    });
    assertThat(manager.ends).containsExactly("commit");
    assertThat(isFree()).isTrue();
  }

  @Test
  void one_that_writes_may_read_and_write_again() {
    transaction.executeWithoutResult(status -> {
      long token = accounts.enter();
      accounts.read(() -> assertThat(accounts.enter()).isEqualTo(token));
      assertThat(accounts.enter()).isEqualTo(token);
    });
    assertThat(isFree()).isTrue();
  }

  @Test
  void the_applications_lock_is_not_the_transactions() {
    transaction.executeWithoutResult(status -> {
      assertThat(accounts.ofApplication()).isTrue();
      assertThat(accounts.ofApplication()).isTrue();
      assertThatThrownBy(accounts::enter).isInstanceOf(LockTimeoutException.class);
    });
    assertThat(isFree()).isTrue();
  }

  @Test
  void a_once_only_job_is_not_entered_twice() {
    transaction.executeWithoutResult(status -> {
      assertThat(accounts.once()).isTrue();
      assertThat(accounts.once()).isFalse();
      assertThatThrownBy(() -> template.execute("daily", Lease::name))
          .isInstanceOf(LockTimeoutException.class);
    });
    client.forceRelease("daily");
  }

  /** A client whose releases throw what they should not. */
  private static LockClient failing() {
    return wrapped(
        LockClient.class,
        client,
        (method, result) -> result instanceof Lease lease
            ? wrapped(Lease.class, lease, (called, answer) -> {
              if (called.equals("release")) {
                throw new IllegalStateException("as planned");
              }
              return answer;
            })
            : result);
  }

  private static <T> T wrapped(
      Class<T> type, T target, BiFunction<String, @Nullable Object, @Nullable Object> after) {
    return type.cast(Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) ->
            after.apply(method.getName(), method.invoke(target, arguments))));
  }

  @Test
  void a_release_that_throws_keeps_no_other_lock_of_the_transaction() {
    LockTemplate first = new LockTemplate(failing());
    transaction.executeWithoutResult(status -> {
      first.execute("first", Lease::name);
      accounts.enter();
      assertThat(isFree()).isFalse();
    });
    assertThat(isFree()).isTrue();
  }

  @Test
  void a_lock_that_is_lost_as_soon_as_it_is_taken_leaves_no_work_behind() {
    LockClient losing = wrapped(LockClient.class, client, (method, result) -> {
      if (method.equals("acquire")) {
        client.forceRelease("account");
      }
      return result;
    });
    AtomicInteger working = new AtomicInteger();
    LockGate gate = new LockGate(losing, LockMeter.NONE, ending -> {
      working.incrementAndGet();
      return () -> {
        working.decrementAndGet();
        ending.end();
      };
    });
    LockTemplate losingTemplate = new LockTemplate(gate);
    assertThatThrownBy(() -> transaction.executeWithoutResult(
            status -> losingTemplate.execute("account", Lease::name)))
        .isInstanceOf(LeaseLostException.class);
    assertThat(manager.ends).containsExactly("rollback");
    assertThat(working).hasValue(0);
  }

  @Test
  void a_lock_of_another_client_is_another_lock() {
    try (LockClient elsewhere = Locks.open("local://?namespace=" + Contexts.namespace())) {
      LockTemplate second = new LockTemplate(elsewhere);
      transaction.executeWithoutResult(status -> {
        accounts.enter();
        second.execute("account", Lease::name);
        accounts.around(() -> second.execute("account", Lease::name));
        other.executeWithoutResult(inner -> second.execute("two", Lease::name));
      });
      accounts.around(() -> second.execute("account", Lease::name));
    }
  }
}
