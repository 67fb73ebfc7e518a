package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Beans that have no class of the application, only an interface of it: such as repositories. */
@Timeout(30)
class InterfaceTest {
  private final ApplicationContextRunner runner = new ApplicationContextRunner()
      .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
      .withPropertyValues("interlock.uri=local://");

  interface Orders {
    @Locked("order-#{#id}")
    String ship(long id);

    String look(long id);
  }

  @Locked("orders")
  interface AllOrders {
    String ship(long id);
  }

  private static String name() {
    return CurrentLease.find().map(lease -> lease.name()).orElse("none");
  }

  /** As MyBatis and the HTTP interfaces of Spring make theirs. */
  static class Generated<T> implements FactoryBean<T> {
    private final Class<T> type;

    Generated(Class<T> type) {
      this.type = type;
    }

    @Override
    public T getObject() {
      return type.cast(Proxy.newProxyInstance(
          type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> name()));
    }

    @Override
    public Class<T> getObjectType() {
      return type;
    }
  }

  static class Base {}

  /** As Spring Data makes its repositories: over an object that does not have their methods. */
  static class Repository<T> extends Generated<T> {
    private final Class<T> type;

    Repository(Class<T> type) {
      super(type);
      this.type = type;
    }

    @Override
    public T getObject() {
      ProxyFactory factory = new ProxyFactory();
      factory.setTarget(new Base());
      factory.setInterfaces(type);
      factory.addAdvice((MethodInterceptor) invocation -> name());
      return type.cast(factory.getProxy(type.getClassLoader()));
    }
  }

  static class OrdersOf extends Generated<Orders> {
    OrdersOf() {
      super(Orders.class);
    }
  }

  static class AllOrdersOf extends Generated<AllOrders> {
    AllOrdersOf() {
      super(AllOrders.class);
    }
  }

  static class OrdersRepository extends Repository<Orders> {
    OrdersRepository() {
      super(Orders.class);
    }
  }

  static class AllOrdersRepository extends Repository<AllOrders> {
    AllOrdersRepository() {
      super(AllOrders.class);
    }
  }

  @Test
  void a_method_of_a_generated_bean_is_locked() {
    runner.withBean(OrdersOf.class).run(context -> {
      assertThat(context.getBean(Orders.class).ship(7)).isEqualTo("order-7");
      assertThat(context.getBean(Orders.class).look(7)).isEqualTo("none");
    });
  }

  @Test
  void a_method_of_a_repository_is_locked() {
    runner.withBean(OrdersRepository.class).run(context -> {
      assertThat(context.getBean(Orders.class).ship(7)).isEqualTo("order-7");
      assertThat(context.getBean(Orders.class).look(7)).isEqualTo("none");
    });
  }

  @Test
  void the_methods_of_an_interface_of_a_generated_bean_are_locked() {
    runner
        .withBean(AllOrdersOf.class)
        .run(context -> assertThat(context.getBean(AllOrders.class).ship(7)).isEqualTo("orders"));
  }

  @Test
  void the_methods_of_an_interface_of_a_repository_are_locked() {
    runner
        .withBean(AllOrdersRepository.class)
        .run(context -> assertThat(context.getBean(AllOrders.class).ship(7)).isEqualTo("orders"));
  }

  interface Handler {
    @Locked(name = "order-#{#id}", onBusy = OnBusy.FALLBACK, fallback = "instead")
    String ship(long id);

    default String instead(long id) {
      return "instead of " + id;
    }
  }

  static class HandlerOf extends Generated<Handler> {
    HandlerOf() {
      super(Handler.class);
    }
  }

  @Test
  void a_lambda_is_locked() {
    runner
        .withBean(Handler.class, () -> id -> name())
        .run(context -> assertThat(context.getBean(Handler.class).ship(7)).isEqualTo("order-7"));
  }

  @Test
  void a_fallback_is_looked_for_in_the_interface() {
    fallsBack(runner.withBean(Handler.class, () -> id -> name()), "instead of 7");
    fallsBack(runner.withBean(HandlerOf.class), "none"); // by what answers all of its methods
  }

  private static void fallsBack(ApplicationContextRunner runner, String expected) {
    runner.run(context -> {
      Lease other = context
          .getBean(LockClient.class)
          .tryAcquire(LockRequest.of("order-7"))
          .orElseThrow();
      assertThat(context.getBean(Handler.class).ship(7)).isEqualTo(expected);
      other.release();
      assertThat(context.getBean(Handler.class).ship(7)).isEqualTo("order-7");
    });
  }

  /** The class of such a bean has another name in each JVM. */
  @Test
  void a_strategy_hears_of_the_interface() {
    List<Class<?>> types = new CopyOnWriteArrayList<>();
    LockNaming naming = (call, name) -> {
      types.add(call.type());
      return name;
    };
    for (ApplicationContextRunner each : List.of(
        runner.withBean(HandlerOf.class), runner.withBean(Handler.class, () -> id -> name()))) {
      each.withBean(LockNaming.class, () -> naming)
          .run(context -> context.getBean(Handler.class).ship(7));
    }
    assertThat(types).containsExactly(Handler.class, Handler.class);
  }
}
