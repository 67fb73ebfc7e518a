package dev.interlock.spring.test.slice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.spring.test.LockTest;
import dev.interlock.spring.test.TestLocks;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.FilterType;
import org.springframework.core.env.Environment;

/** Which parts of an application take part in a test of its locks. */
@Timeout(60)
class LockSliceTest {

  @Nested
  @LockTest(
      value = Components.Orders.class,
      properties = {"interlock.uri=redis-hash://nobody.invalid", "of-test=7"})
  class OneComponent {
    @Autowired
    private Components.Orders orders;

    @Autowired
    private TestLocks locks;

    @Autowired
    private LockClient client;

    @Autowired
    private ApplicationContext context;

    @Autowired
    private Environment environment;

    @Test
    void it_is_locked_by_a_local_client_with_the_names_of_the_application() {
      assertThat(orders.ship(7)).isEqualTo("store/order-7");
      Lease other = locks.hold("store/order-7");
      assertThat(orders.ship(7)).isNull();
      other.release();
      assertThat(locks).hasTaken("store/order-7", 1).hasFree("store/order-7");
      assertThat(client.inspect("store/order-7")).isEmpty();
    }

    @Test
    void nothing_else_takes_part() {
      assertThat(context.getBeansOfType(Components.Refunds.class)).isEmpty();
      assertThat(context.getBeansOfType(Components.Warehouse.class)).isEmpty();
      assertThat(context.getBeansWithAnnotation(AutoConfiguration.class).values())
          .extracting(bean -> bean.getClass().getSimpleName())
          .containsExactlyInAnyOrder("AopAutoConfiguration", "InterlockAutoConfiguration");
      assertThat(environment.getProperty("of-test")).isEqualTo("7");
    }
  }

  @Nested
  @LockTest(
      useDefaultFilters = false,
      includeFilters =
          @ComponentScan.Filter(
              type = FilterType.ASSIGNABLE_TYPE,
              classes = Components.Refunds.class))
  class ByFilter {
    @Autowired
    private Components.Refunds refunds;

    @Autowired
    private TestLocks locks;

    @Autowired
    private ApplicationContext context;

    @Test
    void filters_say_what_takes_part() {
      refunds.refund();
      assertThat(locks).hasTaken("refund", 1);
      assertThat(context.getBeansOfType(Components.Orders.class)).isEmpty();
    }
  }

  @Nested
  @LockTest(
      components = {Components.Orders.class, Components.Refunds.class},
      excludeFilters =
          @ComponentScan.Filter(
              type = FilterType.ASSIGNABLE_TYPE,
              classes = Components.Naming.class))
  class WithoutSome {
    @Autowired
    private Components.Orders orders;

    @Test
    void what_is_excluded_takes_no_part() {
      assertThat(orders.ship(7)).isEqualTo("order-7");
    }
  }
}
