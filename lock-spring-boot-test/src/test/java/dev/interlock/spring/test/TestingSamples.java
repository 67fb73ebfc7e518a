package dev.interlock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** The samples of docs/testing.md. They only compile. */
@SuppressWarnings("ClassCanBeStatic")
final class TestingSamples {

  interface Orders {
    boolean ship(int id);

    void report();
  }

  @LockTest(Orders.class)
  class OrderLocksTest {
    @Autowired
    Orders orders;

    @Autowired
    TestLocks locks;

    @Test
    void an_order_is_shipped_under_its_lock() {
      assertThat(orders.ship(7)).isTrue();
      assertThat(locks).hasTaken("order-7", 1);
    }
  }

  @SpringBootTest
  @AutoConfigureTestLocks
  class OrdersTest {
    @Autowired
    Orders orders;

    @Autowired
    TestLocks locks;

    @Test
    void an_order_that_another_instance_ships_is_left_alone() {
      Lease other = locks.hold("order-7");
      assertThat(orders.ship(7)).isFalse();
      other.release();
      assertThat(orders.ship(7)).isTrue();
      assertThat(locks).hasTaken("order-7").hasFree("order-7");
    }

    @Test
    void the_report_runs_once() {
      orders.report();
      orders.report();
      assertThat(locks).hasTaken("report", 1).hasHeld("report");
    }
  }
}
