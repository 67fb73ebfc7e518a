package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.BackendUnavailableException;
import dev.interlock.CommonOptions;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.spring.internal.observability.HeldLocks;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** An application with several clients, each on a server of its own. */
@Timeout(120)
class NamedClientsTest {
  private static RedisServer first;
  private static RedisServer second;

  private final String namespace = Contexts.namespace();
  private final ApplicationContextRunner runner = new ApplicationContextRunner()
      .withConfiguration(AutoConfigurations.of(
          InterlockAutoConfiguration.class, InterlockObservabilityAutoConfiguration.class))
      .withPropertyValues(
          "interlock.uri=" + first.uri("redis-hash"),
          "interlock.namespace=" + namespace,
          "interlock.clients.orders.uri=" + second.uri("redis-setnx"),
          "interlock.clients.orders.namespace=" + namespace,
          "interlock.clients.orders.options.timeout=PT1S",
          "management.endpoints.jmx.exposure.include=*",
          "spring.jmx.enabled=true",
          "of-orders=orders");

  @BeforeAll
  static void start() {
    first = TestRedis.start();
    second = TestRedis.start();
  }

  @AfterAll
  static void stop() {
    first.close();
    second.close();
  }

  private LockClient at(RedisServer server) {
    String provider = server == first ? "redis-hash" : "redis-setnx";
    return Locks.open(server.uri(provider) + "?namespace=" + namespace);
  }

  /** Where a lock is held, as the servers say. */
  private String place(String name) {
    try (LockClient one = at(first);
        LockClient two = at(second)) {
      return (one.inspect(name).isPresent() ? "first " : "")
          + (two.inspect(name).isPresent() ? "second" : "");
    }
  }

  static class Work {
    Runnable during = () -> {};

    void setDuring(Runnable work) {
      during = work;
    }

    @Locked("x")
    public void unnamed() {
      during.run();
    }

    @Locked(name = "x", client = "orders")
    public void named() {
      during.run();
    }

    @Locked(
        names = {"x", "y"},
        client = "${of-orders}")
    public void several() {
      during.run();
    }

    @Locked(name = "x", client = "orders")
    public Mono<Void> mono() {
      return Mono.fromRunnable(() -> during.run());
    }

    @LockedJob(name = "job", atLeast = "1m", client = "orders")
    public void job() {
      during.run();
    }
  }

  @Test
  void a_method_locks_with_the_client_that_it_names() {
    runner.withBean(Work.class).run(context -> {
      Work work = context.getBean(Work.class);
      String[] seen = new String[1];
      work.setDuring(() -> seen[0] = place("x"));
      work.unnamed();
      assertThat(seen[0]).isEqualTo("first ");
      work.named();
      assertThat(seen[0]).isEqualTo("second");
      work.mono().block(Duration.ofSeconds(20));
      assertThat(seen[0]).isEqualTo("second");
      work.setDuring(() -> seen[0] = place("x") + place("y"));
      work.several();
      assertThat(seen[0]).isEqualTo("secondsecond");
      work.job();
      assertThat(place("job")).isEqualTo("second");
      assertThat(place("x")).isEmpty();
    });
  }

  @Test
  void clients_and_templates_are_injected_by_their_qualifiers_and_without_one_as_before() {
    runner.withUserConfiguration(Injected.class).run(context -> {
      assertThat(context.getBean(Injected.class).places).isEqualTo("secondsecondfirst ");
    });
  }

  @Configuration(proxyBeanMethods = false)
  static class Injected {
    private final String places;

    Injected(
        @Qualifier("orders") LockClient named,
        @Qualifier("orders") LockTemplate template,
        LockClient unnamed) {
      try (Lease one = named.acquire(LockRequest.of("a"));
          Lease two = unnamed.acquire(LockRequest.of("b"))) {
        String other = unnamed.inspect("a").isEmpty() ? "second" : "wrong";
        places = other
            + template.execute("c", lease -> unnamed.inspect("c").isEmpty() ? "second" : "wrong")
            + (named.inspect("b").isEmpty() ? "first " : "wrong");
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  static class Unknown {
    @Locked(name = "x", client = "order")
    public void work() {}
  }

  @Test
  void a_client_that_does_not_exist_is_refused_at_start_with_those_that_do() {
    assertThat(Contexts.failure(runner.withBean(Unknown.class)).getDescription())
        .contains("@Locked on Unknown.work()")
        .contains("there is no client 'order'; there are [default, orders]");
  }

  @Test
  void faults_are_told_by_the_property_of_the_client() {
    assertThat(Contexts.failure(
                runner.withPropertyValues("interlock.clients.orders.options.nonsense=1"))
            .getDescription())
        .contains("interlock.clients.orders.options.nonsense");
    assertThat(Contexts.failure(runner.withPropertyValues("interlock.clients.empty.lease=20s"))
            .getDescription())
        .contains("interlock.clients.empty.uri is not set");
    assertThat(Contexts.failure(runner.withPropertyValues("interlock.clients.default.uri=local://"))
            .getDescription())
        .contains("interlock.clients.default is the client without a name");
  }

  @Test
  void a_bean_of_the_application_with_the_name_of_a_clients_bean_is_refused() {
    for (Class<?> own : List.of(LockClient.class, LockTemplate.class)) {
      String name = "orders" + own.getSimpleName();
      assertThat(Contexts.failure(runner
                  .withAllowBeanDefinitionOverriding(true)
                  .withBean(name, Object.class, Object::new))
              .getDescription())
          .contains("the application has a bean '" + name + "'")
          .contains("rename the bean, or take interlock.clients.orders away");
    }
  }

  @Test
  void health_covers_each_client() {
    runner.run(context -> {
      CompositeHealthContributor health =
          context.getBean("locksHealthIndicator", CompositeHealthContributor.class);
      HealthIndicator unnamed = (HealthIndicator) health.getContributor("default");
      HealthIndicator orders = (HealthIndicator) health.getContributor("orders");
      assertThat(orders.health().getStatus()).isEqualTo(Status.UP);
      second.pause();
      try {
        assertThat(orders.health().getStatus()).isEqualTo(Status.DOWN);
        assertThat(unnamed.health().getStatus()).isEqualTo(Status.UP);
      } finally {
        second.resume();
      }
      await().until(() -> orders.health().getStatus().equals(Status.UP));
    });
  }

  @Test
  void meters_and_endpoint_tell_the_clients_apart() {
    runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new).run(context -> {
      MeterRegistry meters = context.getBean(MeterRegistry.class);
      LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
      LockClient orders = context.getBean("ordersLockClient", LockClient.class);
      LockClient unnamed = context.getBean("lockClient", LockClient.class);
      Lease there = orders.acquire(LockRequest.of("shown"));
      try (Lease here = unnamed.acquire(LockRequest.of("shown"))) {
        assertThat(endpoint.list().held())
            .extracting(HeldLocks.HeldLock::client)
            .containsExactly("default", "orders");
        assertThat(endpoint.lock("shown", "orders").fencingToken()).isEqualTo(there.fencingToken());
        assertThat(endpoint.forceRelease("shown", null, "orders").released()).isTrue();
        assertThat(endpoint.lock("shown", "orders")).isNull();
        assertThat(endpoint.lock("shown", null).fencingToken()).isEqualTo(here.fencingToken());
        await()
            .untilAsserted(() -> assertThat(endpoint.list().held())
                .extracting(HeldLocks.HeldLock::client)
                .containsExactly("default"));
      }
      assertThat(meters.get("interlock.lost").tag("client", "orders").counter().count())
          .isEqualTo(1);
      assertThat(meters.find("interlock.lost").tag("client", "default").counter())
          .isNull();
      assertThat(meters.get("interlock.hold").tag("client", "default").timer().count())
          .isEqualTo(1);
      assertThatThrownBy(() -> endpoint.lock("shown", "order"))
          .isInstanceOf(InvalidEndpointRequestException.class)
          .hasMessageContaining("there are [default, orders]");
    });
  }

  @Test
  void locked_work_ends_before_its_client_is_closed() throws Exception {
    CountDownLatch working = new CountDownLatch(1);
    CountDownLatch closing = new CountDownLatch(1);
    LockClient[] client = new LockClient[1];
    CompletableFuture<?>[] call = new CompletableFuture<?>[1];
    runner.withBean(Work.class).run(context -> {
      client[0] = context.getBean("ordersLockClient", LockClient.class);
      Work work = context.getBean(Work.class);
      work.setDuring(() -> {
        working.countDown();
        try {
          closing.await(60, TimeUnit.SECONDS);
          Thread.sleep(500); // in which the context would close the client
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
        CurrentLease.get().ensureValid();
      });
      call[0] = CompletableFuture.runAsync(work::named, Contexts.THREADS);
      working.await();
      closing.countDown();
    });
    call[0].get(60, TimeUnit.SECONDS);
    assertThatThrownBy(() -> client[0].acquire(LockRequest.of("x")))
        .isInstanceOf(BackendUnavailableException.class);
  }

  @Configuration(proxyBeanMethods = false)
  static class Own {
    @Bean(defaultCandidate = false)
    LockClient mine(LockClientConfigurer configurer) {
      return Locks.open(configurer.configure("mine", LockConfig.parse("local://")));
    }

    @Bean
    LockConfigCustomizer customizer() {
      return new LockConfigCustomizer() {
        @Override
        public void customize(LockConfig.Builder config) {}

        @Override
        public void customize(String client, LockConfig.Builder config) {
          if (client.equals("orders")) {
            config.set(CommonOptions.LEASE, Duration.ofMinutes(7));
          }
        }
      };
    }
  }

  static class OnOwn {
    @Locked(name = "x", client = "mine")
    public long work() {
      return CurrentLease.get().fencingToken();
    }
  }

  @Test
  void a_client_bean_of_the_application_is_named_by_its_bean_and_customizers_see_the_names() {
    runner.withUserConfiguration(Own.class).withBean(OnOwn.class).run(context -> {
      long token = context.getBean(OnOwn.class).work();
      try (Lease next = context.getBean("mine", LockClient.class).acquire(LockRequest.of("x"))) {
        assertThat(next.fencingToken()).isGreaterThan(token);
      }
      LockClient orders = context.getBean("ordersLockClient", LockClient.class);
      LockClient unnamed = context.getBean(LockClient.class);
      try (Lease there = orders.acquire(LockRequest.of("l"));
          Lease here = unnamed.acquire(LockRequest.of("l"))) {
        assertThat(there.remaining()).isGreaterThan(Duration.ofMinutes(6));
        assertThat(here.remaining()).isLessThan(Duration.ofMinutes(1));
      }
    });
  }
}
