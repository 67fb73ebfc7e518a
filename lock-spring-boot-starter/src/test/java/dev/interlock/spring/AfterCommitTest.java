package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockClient;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

/** Listeners that run when a transaction is complete, and need the lock that it has kept. */
@Timeout(30)
class AfterCommitTest {
  private static ConfigurableApplicationContext context;
  private static LockClient client;
  private static Orders orders;
  private static Transactions manager;
  private static TransactionTemplate transaction;

  record Placed(long id) {}

  @Configuration(proxyBeanMethods = false)
  @EnableTransactionManagement
  static class Listening {}

  static class Orders {
    private final ApplicationEventPublisher events;

    Orders(ApplicationEventPublisher events) {
      this.events = events;
    }

    @Locked(name = "order-#{#id}", waitFor = "20s")
    public long lock(long id) {
      return CurrentLease.get().fencingToken();
    }

    @Locked(name = "order-#{#id}", waitFor = "20s")
    public long around(long id, Runnable work) {
      work.run();
      return CurrentLease.get().fencingToken();
    }

    void placed(long id) {
      events.publishEvent(new Placed(id));
    }
  }

  static class Shipping {
    // Not of the bean: fields of its proxy are empty.
    private static final List<String> SEEN = new CopyOnWriteArrayList<>();
    private static volatile long token;

    @TransactionalEventListener
    @Locked(name = "order-#{#event.id()}", waitFor = "20s")
    public void committed(Placed event) {
      SEEN.add("committed");
      token = CurrentLease.get().fencingToken();
    }

    @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
    @Locked(name = "order-#{#event.id()}", waitFor = "20s")
    public void rolledBack(Placed event) {
      SEEN.add("rolled back");
    }
  }

  @BeforeAll
  static void start() {
    context =
        Contexts.local(List.of(Listening.class, Orders.class, Shipping.class, Transactions.class));
    client = context.getBean(LockClient.class);
    orders = context.getBean(Orders.class);
    manager = context.getBean(Transactions.class);
    transaction = new TransactionTemplate(manager);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @BeforeEach
  void reset() {
    Shipping.SEEN.clear();
    manager.ends.clear();
  }

  private static void assertFree() {
    assertThat(client.inspect("order-1")).isEmpty();
  }

  /** The listener is called within the outer method, on its thread. */
  @Test
  void under_a_lock_around_the_transaction_it_enters_again() {
    long[] inner = new long[1];
    long outer = orders.around(
        1,
        () -> transaction.executeWithoutResult(status -> {
          orders.placed(1);
          inner[0] = orders.lock(1);
        }));
    assertThat(Shipping.SEEN).containsExactly("committed");
    assertThat(Shipping.token).as("one hold").isEqualTo(outer).isEqualTo(inner[0]);
    assertFree();
  }

  @Test
  void after_a_transaction_that_kept_the_lock_it_takes_the_lock_whenever_the_event_was_published() {
    long[] kept = new long[1];
    transaction.executeWithoutResult(status -> {
      orders.placed(1);
      kept[0] = orders.lock(1);
    });
    assertThat(Shipping.SEEN).containsExactly("committed");
    assertThat(Shipping.token).as("another hold").isGreaterThan(kept[0]);
    transaction.executeWithoutResult(status -> {
      kept[0] = orders.lock(1);
      orders.placed(1);
    });
    assertThat(Shipping.SEEN).containsExactly("committed", "committed");
    assertThat(Shipping.token).as("another hold").isGreaterThan(kept[0]);
    assertFree();
  }

  @Test
  void after_a_rollback_too() {
    transaction.executeWithoutResult(status -> {
      orders.placed(1);
      orders.lock(1);
      status.setRollbackOnly();
    });
    assertThat(Shipping.SEEN).containsExactly("rolled back");
    assertThat(manager.ends).containsExactly("rollback");
    assertFree();
  }
}
