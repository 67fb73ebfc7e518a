package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.spring.internal.observability.LockHealthIndicator;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** On a real Redis, over the Lettuce client of Spring Data. */
@Timeout(60)
class RedisTest {
  private static RedisServer server;
  private static ConfigurableApplicationContext context;
  private static LockClient client;
  private static Reactive reactive;
  private static AsyncJobs async;
  private static MeterRegistry meters;

  static class Reactive {
    private final AtomicInteger calls = new AtomicInteger();

    public int calls() {
      return calls.get();
    }

    @Locked(name = "mono", waitFor = "0")
    public Mono<String> mono(Mono<String> work) {
      calls.incrementAndGet();
      return work;
    }

    @Locked(name = "mono", waitFor = "0")
    public Mono<Long> token() {
      return Mono.deferContextual(
          view -> Mono.just(view.<Lease>get(CurrentLease.CONTEXT_KEY).fencingToken()));
    }

    @Locked(name = "flux", onBusy = OnBusy.SKIP)
    public Flux<Integer> flux() {
      return Flux.range(1, 3);
    }

    @Locked(name = "flux", onBusy = OnBusy.FALLBACK, fallback = "instead")
    public Flux<Integer> fallBack() {
      return Flux.range(1, 3);
    }

    Flux<Integer> instead() {
      return Flux.just(-1);
    }

    @Locked(name = "flux", waitFor = "5s")
    public Flux<Integer> waiting() {
      return Flux.range(1, 3);
    }
  }

  static class AsyncJobs {
    @Async
    @Locked("async")
    public CompletableFuture<String> work() {
      return CompletableFuture.completedFuture(
          CurrentLease.get().name() + " on " + Thread.currentThread().getName());
    }

    @Async
    @Locked(name = "async-waits", waitFor = "10s")
    public CompletableFuture<Long> waits() {
      return CompletableFuture.completedFuture(CurrentLease.get().fencingToken());
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAsync
  static class Observed {
    static final List<String> OBSERVATIONS = new CopyOnWriteArrayList<>();
    static final List<String> WAITING = new CopyOnWriteArrayList<>();

    @Bean
    LockListener waiting() {
      return new LockListener() {
        @Override
        public void waiting(String name) {
          WAITING.add(name);
        }
      };
    }

    @Bean
    MeterRegistry meterRegistry() {
      return new SimpleMeterRegistry();
    }

    @Bean
    ObservationRegistry observationRegistry() {
      ObservationRegistry registry = ObservationRegistry.create();
      registry
          .observationConfig()
          .observationHandler(
              new ObservationHandler<io.micrometer.observation.Observation.Context>() {
                @Override
                public void onStop(io.micrometer.observation.Observation.Context ended) {
                  OBSERVATIONS.add(ended.getName() + ended.getLowCardinalityKeyValues());
                }

                @Override
                public boolean supportsContext(
                    io.micrometer.observation.Observation.Context observed) {
                  return true;
                }
              });
      return registry;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @org.springframework.boot.autoconfigure.EnableAutoConfiguration(
      excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
  static class WithRedis {}

  @BeforeAll
  static void start() {
    server = TestRedis.start();
    context = Contexts.start(
        WithRedis.class,
        List.of(Reactive.class, AsyncJobs.class, Observed.class),
        List.of(
            "interlock.provider=redis-hash",
            "interlock.namespace=" + Contexts.namespace(),
            "spring.data.redis.url=" + server.uri(),
            "management.endpoints.jmx.exposure.include=*",
            "spring.jmx.enabled=true"));
    client = context.getBean(LockClient.class);
    reactive = context.getBean(Reactive.class);
    async = context.getBean(AsyncJobs.class);
    meters = context.getBean(MeterRegistry.class);
  }

  @AfterAll
  static void stop() {
    context.close();
    server.close();
  }

  private static boolean isFree(String name) {
    return client.inspect(name).isEmpty();
  }

  @Test
  void a_mono_takes_its_lock_at_each_subscription_and_gives_it_up_at_its_end() {
    int before = reactive.calls();
    Mono<String> call = reactive.mono(Mono.fromSupplier(() -> isFree("mono") ? "free" : "held"));
    assertThat(reactive.calls()).isEqualTo(before);
    assertThat(call.block(Duration.ofSeconds(5))).isEqualTo("held");
    assertThat(isFree("mono")).isTrue();
    assertThat(call.block(Duration.ofSeconds(5))).isEqualTo("held");
    assertThat(reactive.calls()).isEqualTo(before + 2);
    assertThat(reactive.token().block()).isPositive();
    assertThatThrownBy(() ->
            reactive.mono(Mono.error(new IllegalStateException("as planned"))).block())
        .isInstanceOf(IllegalStateException.class);
    assertThat(isFree("mono")).isTrue();
  }

  @Test
  void a_cancelled_mono_frees_its_lock() {
    Disposable subscription = reactive.mono(Mono.never()).subscribe();
    await().until(() -> !isFree("mono"));
    subscription.dispose();
    await().until(() -> isFree("mono"));
  }

  @Test
  void a_lost_lease_ends_a_mono_with_an_error() {
    CompletableFuture<String> call = reactive.mono(Mono.never()).toFuture();
    await().until(() -> !isFree("mono"));
    client.forceRelease("mono");
    assertThatThrownBy(() -> call.get(5, TimeUnit.SECONDS))
        .hasCauseInstanceOf(LeaseLostException.class);
  }

  @Test
  void a_busy_lock_fails_skips_falls_back_or_is_waited_for() throws Exception {
    CompletableFuture<List<Integer>> waiting;
    try (Lease other = client.tryAcquire(LockRequest.of("flux")).orElseThrow();
        Lease mono = client.tryAcquire(LockRequest.of("mono")).orElseThrow()) {
      assertThat(reactive.flux().collectList().block()).isEmpty();
      assertThat(reactive.fallBack().collectList().block()).containsExactly(-1);
      assertThatThrownBy(() -> reactive.token().block()).isInstanceOf(LockTimeoutException.class);
      waiting = reactive.waiting().collectList().toFuture();
      await().until(() -> Observed.WAITING.contains("flux"));
      assertThat(waiting).isNotDone();
    }
    assertThat(waiting.get(5, TimeUnit.SECONDS)).containsExactly(1, 2, 3);
    await().until(() -> isFree("flux"));
  }

  @Test
  void an_asynchronous_method_is_locked_on_its_own_thread() throws Exception {
    assertThat(async.work().get(5, TimeUnit.SECONDS)).startsWith("async on ").contains("task-");
    assertThat(isFree("async")).isTrue();
    CompletableFuture<Long> waiting;
    long token;
    try (Lease other = client.tryAcquire(LockRequest.of("async-waits")).orElseThrow()) {
      token = other.fencingToken();
      waiting = async.waits();
    }
    assertThat(waiting.get(5, TimeUnit.SECONDS)).isGreaterThan(token);
  }

  @Test
  void meters_tell_of_attempts_waits_holds_and_losses() {
    double attempts = meters.get("interlock.attempts").counter().count();
    double busy = meters.get("interlock.busy").counter().count();
    long holds = meters.get("interlock.hold").timer().count();
    reactive.flux().blockLast();
    Lease other = client.tryAcquire(LockRequest.of("flux")).orElseThrow();
    reactive.flux().blockLast();
    client.forceRelease("flux");
    assertThatThrownBy(other::close).isInstanceOf(LeaseLostException.class);
    assertThat(meters.get("interlock.attempts").counter().count()).isGreaterThan(attempts + 2);
    assertThat(meters.get("interlock.busy").counter().count()).isGreaterThan(busy);
    assertThat(meters.get("interlock.hold").timer().count()).isGreaterThan(holds);
    assertThat(meters.get("interlock.lost").counters()).isNotEmpty();
    assertThat(meters.get("interlock.wait").timer().count()).isPositive();
    assertThat(meters.get("interlock.renew.failures").counter().count()).isZero();
    assertThat(meters.get("interlock.queue").gauge().value()).isZero();
    assertThat(Observed.OBSERVATIONS)
        .anyMatch(text -> text.contains("interlock.acquire") && text.contains("acquired"))
        .anyMatch(text -> text.contains("interlock.acquire") && text.contains("busy"));
  }

  @Test
  void health_and_endpoint_tell_what_the_backend_says() {
    LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
    LockHealthIndicator health = context.getBean(LockHealthIndicator.class);
    assertThat(health.health().getStatus()).isEqualTo(Status.UP);
    try (Lease lease = client.tryAcquire(LockRequest.of("shown")).orElseThrow()) {
      assertThat(endpoint.list().held())
          .anyMatch(
              held -> held.name().equals("shown") && held.fencingToken() == lease.fencingToken());
      assertThat(endpoint.lock("shown", null).fencingToken()).isEqualTo(lease.fencingToken());
    }
    assertThat(endpoint.lock("shown", null)).isNull();
    assertThat(endpoint.list().held()).noneMatch(held -> held.name().equals("shown"));
    server.pause();
    try {
      Health down = health.health();
      assertThat(down.getStatus()).isEqualTo(Status.DOWN);
    } finally {
      server.resume();
    }
    await().until(() -> health.health().getStatus().equals(Status.UP));
  }

  @Test
  void spring_integration_finds_a_registry() throws Exception {
    LockRegistry<?> registry = context.getBean(LockRegistry.class);
    Lock lock = registry.obtain("integrated");
    lock.lock();
    try {
      assertThat(client.tryAcquire(LockRequest.of("integrated"))).isEmpty();
      boolean other = Executors.newSingleThreadExecutor()
          .submit(() -> registry.obtain("integrated").tryLock(50, TimeUnit.MILLISECONDS))
          .get();
      assertThat(other).isFalse();
    } finally {
      lock.unlock();
    }
    assertThat(isFree("integrated")).isTrue();
    assertThat(registry.executeLocked("integrated", () -> "done")).isEqualTo("done");
  }
}
