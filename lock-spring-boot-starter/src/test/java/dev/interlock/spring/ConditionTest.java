package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Lease;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;

/** Methods of which only some calls need the lock. */
@Timeout(60)
class ConditionTest {
  private final ApplicationContextRunner runner = new ApplicationContextRunner()
      .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
      .withPropertyValues("interlock.uri=local://", "interlock.namespace=" + Contexts.namespace());

  static class Limits {
    public boolean isAbove(int total) {
      return total > 100;
    }
  }

  static class Orders {
    private int runs;

    public int runs() {
      return runs;
    }

    @Locked(name = "order", condition = "#total.intValue() > 100")
    public Optional<String> ship(@Nullable Integer total) {
      runs++;
      return CurrentLease.find().map(Lease::name);
    }

    @Locked(name = "bean", condition = "@limits.isAbove(#total) and ${orders.locked:true}")
    public Optional<String> ask(int total) {
      return CurrentLease.find().map(Lease::name);
    }

    @Locked(name = "reactive", condition = "#total > 100")
    public Mono<Boolean> reactive(int total) {
      return Mono.deferContextual(view -> Mono.just(view.hasKey(CurrentLease.CONTEXT_KEY)));
    }

    @Locked(name = "outer", onBusy = OnBusy.FALLBACK, fallback = "noLease")
    public String instead() {
      return CurrentLease.get().name();
    }

    String noLease() {
      return CurrentLease.find().map(Lease::name).orElse("none") + ", "
          + CurrentLease.of("outer").name();
    }

    @Locked(name = "flag", condition = "#flag")
    public void follow(@Nullable Boolean flag) {
      runs++;
    }

    @LockedJob(name = "job", atLeast = "20s", condition = "#first")
    public void job(boolean first) {
      runs++;
    }
  }

  private final ApplicationContextRunner orders =
      runner.withBean("limits", Limits.class).withBean(Orders.class);

  @Test
  void only_a_call_whose_condition_is_true_is_locked() {
    orders.run(context -> {
      Orders bean = context.getBean(Orders.class);
      assertThat(bean.ship(101)).hasValue("order");
      assertThat(bean.ship(100)).isEmpty();
      assertThat(bean.ask(101)).hasValue("bean");
      assertThat(bean.ask(100)).isEmpty();
      assertThat(bean.reactive(101).block()).isTrue();
      assertThat(bean.reactive(100).block()).isFalse();
    });
  }

  @Test
  void a_call_without_its_lock_does_not_have_the_lease_of_its_caller() {
    orders.run(context -> {
      Orders bean = context.getBean(Orders.class);
      LockTemplate template = context.getBean(LockTemplate.class);
      // Of an owner that nested calls of the thread are not.
      template.execute(LockRequest.of("outer").withOwner("another"), outer -> {
        assertThat(bean.ship(100)).isEmpty();
        assertThat(bean.instead()).isEqualTo("none, outer");
        assertThat(bean.ship(101)).hasValue("order");
        assertThat(CurrentLease.get()).isSameAs(outer);
        assertThat(bean.reactive(100)
                .contextWrite(view -> view.put(CurrentLease.CONTEXT_KEY, outer))
                .block())
            .isFalse();
        return null;
      });
    });
  }

  @Test
  void it_may_hold_a_placeholder() {
    orders
        .withPropertyValues("orders.locked=false")
        .run(context -> assertThat(context.getBean(Orders.class).ask(101)).isEmpty());
  }

  @Test
  void a_job_whose_condition_is_false_runs_each_time() {
    orders.run(context -> {
      Orders bean = context.getBean(Orders.class);
      bean.job(true);
      bean.job(true);
      assertThat(bean.runs()).isOne();
      bean.job(false);
      assertThat(bean.runs()).isEqualTo(2);
    });
  }

  @Test
  void a_call_whose_condition_is_neither_true_nor_false_does_not_run() {
    orders.run(context -> {
      Orders bean = context.getBean(Orders.class);
      assertThatThrownBy(() -> bean.ship(null))
          .isInstanceOf(LockConfigurationException.class)
          .hasMessageContaining(
              "@Locked(condition = \"#total.intValue() > 100\") on Orders.ship(Integer)")
          .hasMessageContaining("failed");
      assertThatThrownBy(() -> bean.follow(null))
          .isInstanceOf(LockConfigurationException.class)
          .hasMessageContaining("is null");
      assertThat(bean.runs()).isZero();
    });
  }

  static class Unparsed {
    @Locked(name = "order", condition = "#total >")
    public void ship(int total) {}
  }

  static class Unknown {
    @Locked(name = "order", condition = "#size > 100")
    public void ship(int total) {}
  }

  static class NoBean {
    @Locked(name = "order", condition = "@flags.on")
    public void ship(int total) {}
  }

  static class Assigns {
    @Locked(name = "order", condition = "#total = 100")
    public void ship(int total) {}
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      Assigns  | changes something: compare with ==
      Unparsed | @Locked(condition = "#total >") on Unparsed.ship(int): cannot be parsed
      Unknown  | there is no variable #size
      NoBean   | there is no bean 'flags'
      """)
  void one_that_cannot_be_evaluated_is_refused_at_start(String bean, String message)
      throws Exception {
    Class<?> type = Class.forName(ConditionTest.class.getName() + "$" + bean);
    runner
        .withBean(type)
        .run(context ->
            assertThat(context).hasFailed().getFailure().hasStackTraceContaining(message));
  }
}
