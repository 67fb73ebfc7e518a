package dev.interlock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** A test as an application has it; the properties name a server that is not there. */
@SpringBootTest(
    classes = Shop.class,
    properties = {"interlock.uri=redis-hash://nobody.invalid", "interlock.options.pool=7"})
@AutoConfigureTestLocks
@Timeout(60)
class AutoConfigureTestLocksTest {
  @Autowired
  private Shop.Orders orders;

  @Autowired
  private TestLocks locks;

  @Autowired
  private LockClient client;

  @Test
  void the_application_meets_a_lock_that_the_test_holds() {
    Lease held = locks.hold("order-7");
    assertThat(locks).hasHeld("order-7").hasFree("order-8");
    assertThat(orders.ship(7)).isFalse();
    assertThat(orders.ship(8)).isTrue();
    assertThat(locks).hasTaken("order-8").hasNotTaken("order-7");
    held.release();
    assertThat(orders.ship(7)).isTrue();
  }

  @Test
  void the_client_is_seen_from_within() {
    orders.refund();
    LockAssertions.assertThat(client).hasFree("refund").hasWaiters("refund", 0);
    assertThat(locks).hasTaken("refund", 1);
    try (Lease held = client.tryAcquire(LockRequest.of("refund")).orElseThrow()) {
      assertThatThrownBy(() -> locks.hold("refund")).isInstanceOf(LockTimeoutException.class);
      assertThat(held.isValid()).isTrue();
    }
  }

  @Test
  void a_holder_loses_its_lock() {
    assertThatThrownBy(() -> orders.lose(() -> assertThat(locks.lose("lost")).isTrue()))
        .isInstanceOf(LeaseLostException.class);
  }

  /** Nothing of the round before is there. */
  @RepeatedTest(3)
  void each_test_method_begins_with_free_locks() {
    assertThat(locks.taken()).isEmpty();
    assertThat(locks).hasFree("report").hasFree("left");
    assertThat(orders.report()).isEqualTo(7);
    assertThat(orders.report()).isNull();
    assertThat(locks).hasHeld("report").hasTaken("report", 1);
    locks.hold(client, LockRequest.of("left"));
  }

  @Test
  void what_is_not_as_expected_is_told() {
    locks.hold("held");
    assertThatThrownBy(() -> assertThat(locks).hasHeld("free"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("Expected lock 'free' to be held");
    assertThatThrownBy(() -> assertThat(locks).hasFree("held"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("to be free");
    assertThatThrownBy(() -> assertThat(locks).hasTaken("held"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("these were: []");
    assertThatThrownBy(() -> assertThat(locks).hasTaken("held", 1))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("0 times");
    assertThatThrownBy(() -> LockAssertions.assertThat(client).hasFree("held"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("HoldInfo");
    assertThatThrownBy(() -> LockAssertions.assertThat(client).hasHeld("free"))
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> LockAssertions.assertThat(client).hasWaiters("held", 1))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("knows of 0");
  }
}
