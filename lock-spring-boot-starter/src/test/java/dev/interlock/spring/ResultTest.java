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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
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

    @Locked(name = "result", waitFor = "0")
    public Mono<String> given(Mono<String> work) {
      return work;
    }

    @Locked(name = "result", waitFor = "0", onLost = OnLost.SIGNAL)
    public Mono<String> signalled(Mono<String> work) {
      return work;
    }

    @Locked(name = "busy", onBusy = OnBusy.FALLBACK, fallback = "instead")
    public Mono<String> fallingBack(Mono<String> work) {
      return work;
    }

    Mono<String> instead(Mono<String> work) {
      return work;
    }

    @Locked(name = "result", waitFor = "0")
    public CompletionStage<String> stage(CompletionStage<String> work) {
      return work;
    }

    @Locked(
        names = {"result", "other"},
        waitFor = "0")
    public Object several(CompletionStage<String> result) {
      return result;
    }
  }

  /** A stage of somebody else's, to which nothing can be added. */
  static class Refusing extends CompletableFuture<String> {
    @Override
    public CompletableFuture<String> whenCompleteAsync(
        BiConsumer<? super String, ? super Throwable> action, Executor executor) {
      throw new IllegalStateException("as planned");
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

  /** Of completedStage, failedStage and minimalCompletionStage; they are futures all the same. */
  @Test
  void a_stage_that_does_not_tell_its_state_holds_it_until_its_end() {
    assertThat(results.stage(CompletableFuture.completedStage("done")))
        .succeedsWithin(Duration.ofSeconds(5))
        .isEqualTo("done");
    await().until(ResultTest::isFree);
    assertThat(results.stage(CompletableFuture.failedStage(new IllegalStateException("planned"))))
        .failsWithin(Duration.ofSeconds(5))
        .withThrowableThat()
        .withCauseInstanceOf(IllegalStateException.class);
    await().until(ResultTest::isFree);
    CompletableFuture<String> work = new CompletableFuture<>();
    CompletionStage<String> result = results.stage(work.minimalCompletionStage());
    assertThat(isFree()).isFalse();
    work.complete("done");
    assertThat(result).succeedsWithin(Duration.ofSeconds(5)).isEqualTo("done");
    await().until(ResultTest::isFree);
  }

  @Test
  void the_end_of_such_a_stage_is_seen_if_it_was_not_declared() {
    assertThat(results.several(CompletableFuture.completedStage("done")))
        .isInstanceOf(CompletionStage.class);
    CompletionStage<String> open = new CompletableFuture<String>().minimalCompletionStage();
    assertThatThrownBy(() -> results.several(open))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("for whose end a lock cannot be held");
    assertThat(isFree()).isTrue();
  }

  @Test
  void a_stage_that_takes_no_dependent_keeps_no_lock() {
    assertThatThrownBy(() -> results.stage(new Refusing()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("as planned");
    assertThat(isFree()).isTrue();
  }

  /** As with a transaction around it, which is rolled back if it is cancelled. */
  @Test
  void a_publisher_of_one_value_goes_on_to_its_end() {
    List<UnaryOperator<Mono<String>>> calls =
        List.of(results::given, results::signalled, results::fallingBack);
    try (Lease busy = client.tryAcquire(LockRequest.of("busy")).orElseThrow()) {
      assertThat(busy.isValid()).isTrue();
      for (UnaryOperator<Mono<String>> call : calls) {
        List<String> ends = new CopyOnWriteArrayList<>();
        Mono<String> work = Flux.usingWhen(
                Mono.just("transaction"),
                transaction -> Flux.just("done")
                    .concatWith(Mono.fromRunnable(() -> ends.add("second step")))
                    .doFinally(end -> ends.add(end.toString())),
                transaction -> Mono.fromRunnable(() -> ends.add("commit")),
                (transaction, failure) -> Mono.fromRunnable(() -> ends.add("rollback")),
                transaction -> Mono.fromRunnable(() -> ends.add("rollback")))
            .as(Mono::fromDirect);
        assertThat(call.apply(work).block(Duration.ofSeconds(5))).isEqualTo("done");
        // The last of them while the result is told.
        await().until(() -> ends.size() == 3);
        assertThat(ends).containsExactly("second step", "commit", "onComplete");
        await().until(ResultTest::isFree);
      }
    }
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
