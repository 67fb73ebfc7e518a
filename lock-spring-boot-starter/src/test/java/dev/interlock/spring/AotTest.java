package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.ReflectionHintsPredicates;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.javapoet.ClassName;

/** An application that Spring has processed ahead of time, as for a native image. */
@Timeout(120)
class AotTest {

  record Customer(String region) {}

  record Order(String id, Customer customer) {}

  static class Keys {
    public String of(Order order) {
      return order.id();
    }

    public boolean isNeeded(Order order) {
      return !order.id().isEmpty();
    }
  }

  static class Orders {
    private final String shop = "shop";

    public String getShop() {
      return shop;
    }

    @Locked(
        name = "#{shop}-#{@keys.of(#order)}-#{#order.customer.region}-${suffix:x}",
        condition = "@flags.isNeeded(#order)",
        waitFor = "${wait:1s}")
    public String ship(Order order) {
      return CurrentLease.find().map(lease -> lease.name()).orElse("none");
    }

    @Locked(name = "fallback", onBusy = OnBusy.FALLBACK, fallback = "instead")
    public String fallBack() {
      return "done";
    }

    String instead() {
      return "instead";
    }

    @LockedJob(name = "report", atLeast = "20s")
    public @Nullable String report() {
      return "done";
    }
  }

  @Configuration(proxyBeanMethods = false)
  @Import({InterlockAutoConfiguration.class, PropertyPlaceholderAutoConfiguration.class})
  static class Application {
    @Bean
    Orders orders() {
      return new Orders();
    }

    @Bean
    Keys keys() {
      return new Keys();
    }

    @Bean
    Keys flags() {
      return new Keys();
    }

    @Bean
    LockNaming naming() {
      return (call, name) -> "the-" + name;
    }
  }

  static class Wrong {
    @Locked(name = "order-#{#id}")
    public void ship(int number) {}
  }

  private static AnnotationConfigApplicationContext context() {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    configure(context);
    return context;
  }

  private static void configure(GenericApplicationContext context) {
    TestPropertyValues.of(
            "interlock.uri=local://",
            "interlock.namespace=" + Contexts.namespace(),
            "interlock.clients.ledger.uri=local://",
            "interlock.clients.ledger.namespace=" + Contexts.namespace())
        .applyTo(context.getEnvironment());
  }

  private static TestGenerationContext generate(
      Class<?> application, BiConsumer<TestGenerationContext, ClassName> use) {
    TestGenerationContext generation = new TestGenerationContext();
    try (AnnotationConfigApplicationContext context = context()) {
      context.register(application);
      ClassName initializer =
          new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
      generation.writeGeneratedContent();
      use.accept(generation, initializer);
    }
    return generation;
  }

  /** Starts an application from what was generated for it. */
  @SuppressWarnings("unchecked")
  private static void start(Class<?> application, Consumer<GenericApplicationContext> use) {
    generate(
        application,
        (generation, initializer) -> TestCompiler.forSystem().with(generation).compile(compiled -> {
          GenericApplicationContext context = new GenericApplicationContext();
          configure(context);
          compiled
              .getInstance(ApplicationContextInitializer.class, initializer.toString())
              .initialize(context);
          try (context) {
            context.refresh();
            use.accept(context);
          }
        }));
  }

  @Test
  @CompileWithForkedClassLoader
  void it_starts_from_what_was_generated_and_locks() {
    start(Application.class, AotTest::work);
  }

  static class Ledger {
    private final LockClient client;
    private final LockTemplate template;

    Ledger(@Qualifier("ledger") LockClient client, @Qualifier("ledger") LockTemplate template) {
      this.client = client;
      this.template = template;
    }

    @Locked(name = "book", client = "ledger")
    public boolean isLockedByTheNamedClient() {
      return client.inspect("book").isPresent();
    }

    public boolean isApartFrom(LockClient other) {
      return template.execute(
          "x", lease -> client.inspect("x").isPresent() && other.inspect("x").isEmpty());
    }
  }

  @Configuration(proxyBeanMethods = false)
  @Import({InterlockAutoConfiguration.class, PropertyPlaceholderAutoConfiguration.class})
  static class Named {
    @Bean
    Ledger book(
        @Qualifier("ledger") LockClient client, @Qualifier("ledger") LockTemplate template) {
      return new Ledger(client, template);
    }
  }

  @Test
  @CompileWithForkedClassLoader
  void clients_with_a_name_are_injected_by_their_qualifier() {
    start(Named.class, context -> {
      Ledger ledger = context.getBean(Ledger.class);
      LockClient unnamed = context.getBean(LockClient.class);
      assertThat(ledger.isLockedByTheNamedClient()).isTrue();
      assertThat(ledger.isApartFrom(unnamed)).isTrue();
    });
  }

  private static void work(GenericApplicationContext context) {
    Orders orders = context.getBean(Orders.class);
    Order order = new Order("7", new Customer("eu"));
    assertThat(orders.ship(order)).isEqualTo("the-shop-7-eu-x");
    assertThat(orders.ship(new Order("", order.customer()))).isEqualTo("none");
    assertThat(orders.report()).isEqualTo("done");
    assertThat(orders.report()).isNull();
    LockClient client = context.getBean(LockClient.class);
    assertThat(client.tryAcquire(LockRequest.of("the-fallback"))).isPresent();
    assertThat(orders.fallBack()).isEqualTo("instead");
  }

  @Test
  void an_image_is_told_what_methods_and_expressions_reflect_on() throws Exception {
    RuntimeHints hints =
        generate(Application.class, (generation, initializer) -> {}).getRuntimeHints();
    ReflectionHintsPredicates reflection = RuntimeHintsPredicates.reflection();
    for (Method invoked : List.of(
        Orders.class.getMethod("ship", Order.class),
        Orders.class.getDeclaredMethod("instead"),
        Orders.class.getMethod("getShop"),
        Keys.class.getMethod("of", Order.class),
        Keys.class.getMethod("isNeeded", Order.class),
        Order.class.getMethod("customer"),
        Customer.class.getMethod("region"))) {
      assertThat(reflection.onMethodInvocation(invoked)).as(invoked.toString()).accepts(hints);
    }
    assertThat(RuntimeHintsPredicates.proxies().forInterfaces(Locked.class)).accepts(hints);
  }

  @Configuration(proxyBeanMethods = false)
  @Import({InterlockAutoConfiguration.class, Wrong.class})
  static class Faulty {}

  @Test
  void a_wrong_annotation_ends_the_build() {
    assertThatThrownBy(() -> generate(Faulty.class, (generation, initializer) -> {}))
        .hasStackTraceContaining("there is no variable #id");
  }
}
