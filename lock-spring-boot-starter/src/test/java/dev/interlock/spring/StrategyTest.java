package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.Locks;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;

/** Beans that name the locks, and that say what a caller gets who does not get one. */
@Timeout(60)
class StrategyTest {
  private final String namespace = Contexts.namespace();
  private final ApplicationContextRunner runner = new ApplicationContextRunner()
      .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
      .withPropertyValues("interlock.uri=local://", "interlock.namespace=" + namespace);

  static class Orders {
    @Locked(name = "order-#{#id}", waitFor = "0")
    public List<String> ship(@Nullable Object id) {
      return List.of(CurrentLease.get().name());
    }

    @Locked(
        names = {"#{#from}", "#{#to}"},
        waitFor = "0")
    public String transfer(String from, String to) {
      return CurrentLease.get().name();
    }

    @Locked(name = "mono", waitFor = "0")
    public Mono<String> mono() {
      return Mono.deferContextual(
          view -> Mono.just(view.<Lease>get(CurrentLease.CONTEXT_KEY).name()));
    }

    @Locked(name = "fallback", onBusy = OnBusy.FALLBACK, fallback = "instead")
    public String fallBack() {
      return "done";
    }

    String instead() {
      return "instead";
    }

    @Locked(name = "failing", waitFor = "0")
    public void failing() {
      throw new LockException("of the work");
    }
  }

  static class Unnamed {
    @Locked
    public String ship(int id) {
      return CurrentLease.get().name();
    }
  }

  static class Naming implements LockNaming {
    private final List<LockedCall> calls = new CopyOnWriteArrayList<>();

    List<LockedCall> calls() {
      return calls;
    }

    @Override
    public String name(LockedCall call, String name) {
      calls.add(call);
      return "shop/" + name;
    }

    @Override
    public String unnamed(Method method) {
      return "${prefix:the}-" + method.getName() + "-#{#id}";
    }
  }

  static class Busy extends RuntimeException {
    private static final long serialVersionUID = 1;

    Busy(String what, Throwable cause) {
      super(what, cause);
    }
  }

  private static RuntimeException busy(LockedCall call, LockException failure) {
    return failure instanceof LockTimeoutException
        ? new Busy(call.method().getName() + call.arguments(), failure)
        : failure;
  }

  @Test
  void a_bean_names_the_locks_of_all_methods() {
    runner.withBean(Naming.class).withBean(Orders.class).run(context -> {
      Orders orders = context.getBean(Orders.class);
      assertThat(orders.ship(7)).containsExactly("shop/order-7");
      assertThat(orders.transfer("a", "b")).isEqualTo("shop/a");
      assertThat(orders.mono().block()).isEqualTo("shop/mono");
      List<LockedCall> calls = context.getBean(Naming.class).calls();
      assertThat(calls).hasSize(4);
      assertThat(calls.get(0).method().getName()).isEqualTo("ship");
      assertThat(calls.get(0).type()).isEqualTo(Orders.class);
      assertThat(calls.get(0).arguments()).containsExactly(7);
    });
  }

  @Test
  void names_that_it_makes_equal_are_one_lock() {
    runner
        .withBean(LockNaming.class, () -> (call, name) -> "all")
        .withBean(Orders.class)
        .run(context ->
            assertThat(context.getBean(Orders.class).transfer("a", "b")).isEqualTo("all"));
  }

  @Test
  void a_method_without_a_name_is_refused_unless_the_bean_gives_it_one() {
    runner
        .withBean(Naming.class)
        .withBean(Unnamed.class)
        .run(context ->
            assertThat(context.getBean(Unnamed.class).ship(7)).isEqualTo("shop/the-ship-7"));
    for (ApplicationContextRunner without :
        List.of(runner, runner.withBean(LockNaming.class, () -> (call, name) -> name))) {
      without
          .withBean(Unnamed.class)
          .run(context -> assertThat(context)
              .hasFailed()
              .getFailure()
              .rootCause()
              .isInstanceOf(LockConfigurationException.class)
              .hasMessageContaining("it needs a name"));
    }
  }

  @Test
  void a_bean_says_what_a_caller_gets_who_does_not_get_the_lock() {
    try (LockClient other = Locks.open("local://?namespace=" + namespace)) {
      for (String name : List.of("order-7", "b", "mono", "fallback")) {
        var unused = other.tryAcquire(LockRequest.of(name)).orElseThrow();
      }
      runner
          .withBean(LockFailureStrategy.class, () -> StrategyTest::busy)
          .withBean(Orders.class)
          .run(context -> {
            Orders orders = context.getBean(Orders.class);
            assertThatThrownBy(() -> orders.ship(7))
                .isInstanceOf(Busy.class)
                .hasMessage("ship[7]")
                .hasCauseInstanceOf(LockTimeoutException.class);
            assertThatThrownBy(() -> orders.transfer("a", "b"))
                .isInstanceOf(Busy.class)
                .hasMessage("transfer[a, b]");
            assertThatThrownBy(() -> orders.mono().block())
                .isInstanceOf(Busy.class)
                .hasMessage("mono[]");
            assertThat(orders.fallBack()).isEqualTo("instead");
            assertThatThrownBy(orders::failing)
                .isExactlyInstanceOf(LockException.class)
                .hasMessage("of the work");
          });
    }
  }

  @Test
  void it_is_asked_also_when_the_server_is_at_fault() {
    runner
        .withBean(LockFailureStrategy.class, () -> (call, failure) -> new Busy("down", failure))
        .withBean(Orders.class)
        .run(context -> {
          Orders orders = context.getBean(Orders.class);
          context.getBean(LockClient.class).close();
          assertThatThrownBy(() -> orders.ship(7))
              .isInstanceOf(Busy.class)
              .hasCauseInstanceOf(BackendUnavailableException.class);
          assertThatThrownBy(() -> orders.transfer("a", "b")).isInstanceOf(Busy.class);
          assertThatThrownBy(() -> orders.mono().block()).isInstanceOf(Busy.class);
        });
  }
}
