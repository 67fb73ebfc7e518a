package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Publisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Until when a lock is held, by what the method returns. */
@Timeout(30)
class ResultTest {
  private static ConfigurableApplicationContext context;
  private static LockClient client;
  private static Results results;

  @Configuration(proxyBeanMethods = false)
  @EnableAsync
  static class Asynchronous {}

  static class Results {
    @Locked(name = "result", waitFor = "0")
    public Object object(Supplier<Object> result) {
      return result.get();
    }

    @Async
    @Locked(name = "result", waitFor = "0")
    public Future<String> async() {
      return CompletableFuture.completedFuture(CurrentLease.get().name());
    }

    @Locked(name = "result", waitFor = "0")
    public Flow.Publisher<Boolean> flow(Supplier<Boolean> free) {
      return JdkFlowAdapter.publisherToFlowPublisher(Flux.defer(() -> Flux.just(free.get())));
    }

    @Locked(name = "result", waitFor = "0")
    public Publisher<Boolean> publisher(Supplier<Boolean> free) {
      return Mono.fromSupplier(free);
    }

    @Locked(name = "result", waitFor = "0")
    public Mono<String> mono() {
      return Mono.just("done");
    }
  }

  @BeforeAll
  static void start() {
    context = Contexts.local(List.of(Asynchronous.class, Results.class));
    client = context.getBean(LockClient.class);
    results = context.getBean(Results.class);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  private static boolean isFree() {
    return client.inspect("result").isEmpty();
  }

  @Test
  void a_declared_object_may_be_a_value_or_a_stage() throws Exception {
    assertThat(results.object(() -> "value")).isEqualTo("value");
    assertThat(isFree()).isTrue();
    CompletableFuture<String> work = new CompletableFuture<>();
    Object stage = results.object(() -> work);
    assertThat(isFree()).isFalse();
    work.complete("done");
    assertThat(((CompletableFuture<?>) stage).get(5, TimeUnit.SECONDS)).isEqualTo("done");
    assertThat(isFree()).isTrue();
  }

  @Test
  void what_begins_its_work_later_is_refused_if_it_was_not_declared() {
    for (Object later : List.<Object>of(
        Mono.fromSupplier(() -> 1), Flux.just(1).parallel(), List.of(1).stream(), (Callable<
                Integer>)
            () -> 1)) {
      assertThatThrownBy(() -> results.object(() -> later))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("Results.object(Supplier)")
          .hasMessageContaining("for whose end a lock cannot be held");
      assertThat(isFree()).isTrue();
    }
    FutureTask<Integer> task = new FutureTask<>(() -> 1);
    assertThatThrownBy(() -> results.object(() -> task)).isInstanceOf(IllegalStateException.class);
    assertThat(task).isCancelled();
  }

  @Test
  void a_future_of_an_asynchronous_method_is_complete_with_it() throws Exception {
    assertThat(results.async().get(5, TimeUnit.SECONDS)).isEqualTo("result");
    await().until(ResultTest::isFree);
  }

  @Test
  void other_reactive_types_hold_it_while_they_are_subscribed() {
    var flow = JdkFlowAdapter.flowPublisherToFlux(results.flow(ResultTest::isFree));
    assertThat(flow.blockLast(Duration.ofSeconds(5))).isFalse();
    assertThat(Mono.from(results.publisher(ResultTest::isFree)).block()).isFalse();
    await().until(ResultTest::isFree);
  }

  @Test
  void a_subscription_logs_no_error() {
    for (int i = 0; i < 3; i++) {
      assertThat(results.mono().block(Duration.ofSeconds(5))).isEqualTo("done");
    }
    try (Lease other = client.tryAcquire(LockRequest.of("result")).orElseThrow()) {
      assertThatThrownBy(() -> results.mono().block()).isInstanceOf(LockTimeoutException.class);
    }
    assertThat(ErrorLog.take()).isEmpty();
  }
}
