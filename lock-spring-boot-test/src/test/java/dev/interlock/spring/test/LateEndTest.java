package dev.interlock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** Once-only jobs that end after the test method that called them. */
@SpringBootTest(classes = Shop.class)
@Import(LateEndTest.Transactions.class)
@AutoConfigureTestLocks
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(60)
class LateEndTest {
  private static final CountDownLatch BEGUN = new CountDownLatch(1);
  private static final CountDownLatch END = new CountDownLatch(1);

  private static Thread job = new Thread(() -> {});

  @Autowired
  private Shop.Orders orders;

  @Autowired
  private TestLocks locks;

  /** Transactions of nothing. */
  static class Transactions extends AbstractPlatformTransactionManager {
    private static final long serialVersionUID = 1;

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

  /** The transaction of the test keeps the lock until it is rolled back. */
  @Transactional
  @RepeatedTest(3)
  @Order(1)
  void a_job_that_a_transaction_keeps() {
    assertThat(orders.report()).isEqualTo(7);
    assertThat(locks).hasHeld("report");
  }

  @Test
  @Order(2)
  void a_job_that_is_still_at_work() throws InterruptedException {
    job = new Thread(() -> orders.inventory(() -> {
      BEGUN.countDown();
      try {
        assertThat(END.await(50, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }));
    job.start();
    assertThat(BEGUN.await(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  @Order(3)
  void ends_while_another_test_runs() throws InterruptedException {
    assertThat(locks).hasHeld("inventory").hasNotTaken("inventory");
    END.countDown();
    job.join(20_000);
    assertThat(orders.inventory(() -> {})).isNull();
  }

  @RepeatedTest(2)
  @Order(4)
  void and_leaves_nothing_to_the_next() {
    assertThat(locks).hasFree("inventory");
    assertThat(orders.inventory(() -> {})).isEqualTo(7);
  }
}
