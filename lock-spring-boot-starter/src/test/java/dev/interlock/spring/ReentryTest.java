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
import dev.interlock.LostReason;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

/** Calls that are nested in one of the same lock, on its thread. */
@Timeout(60)
class ReentryTest {
  private static ConfigurableApplicationContext context;
  private static LockClient client;
  private static LockTemplate template;
  private static Outer outer;
  private static Inner inner;
  private static Heard heard;
  private static TransactionTemplate transaction;
  private static TransactionTemplate other;

  static class Outer {
    @Locked(name = "x", waitFor = "50s")
    public void around(Runnable work) {
      work.run();
    }

    @Locked(name = "x", waitFor = "50s", lease = "30s")
    public void fixed(Runnable work) {
      work.run();
    }

    @LockedJob(name = "x", atLeast = "30s")
    public boolean once(Runnable work) {
      work.run();
      return true;
    }

    @Locked(names = {"x", "y"})
    public void both(Runnable work) {
      work.run();
    }

    @Locked(name = "x", scope = LockScope.APPLICATION, waitFor = "50s")
    public void application(Runnable work) {
      work.run();
    }
  }

  static class Inner {
    @Locked(name = "x", waitFor = "50s")
    public long token() {
      return CurrentLease.get().fencingToken();
    }

    @Locked(name = "x", waitFor = "50s")
    public void run(Runnable work) {
      work.run();
    }

    @Locked(name = "x", waitFor = "0")
    public void attempt() {}

    @Locked(name = "x", mode = LockMode.READ, onBusy = OnBusy.SKIP)
    public boolean read(Runnable work) {
      work.run();
      return true;
    }

    @Locked(name = "x", lease = "10m")
    public Duration longer() {
      return CurrentLease.get().remaining();
    }

    @Locked(name = "x", lease = "10ms")
    public boolean shorter() {
      LockSupport.parkNanos(Duration.ofMillis(30).toNanos());
      return CurrentLease.get().isValid();
    }

    @Locked(name = "x", waitFor = "50s")
    public CompletableFuture<String> future(CompletableFuture<String> result) {
      return result;
    }

    @Locked(name = "x", waitFor = "0")
    public Mono<String> mono(Mono<String> result) {
      return result;
    }

    @LockedJob(name = "x", atLeast = "30s")
    public boolean once() {
      return true;
    }

    @Locked(name = "x", scope = LockScope.APPLICATION, waitFor = "50s")
    public void application() {}

    @Locked(name = "x", scope = LockScope.APPLICATION, waitFor = "50s")
    public Mono<String> applicationMono(Mono<String> result) {
      return result;
    }

    @Locked(
        names = {"y", "x"},
        waitFor = "50s")
    public long both() {
      return CurrentLease.of("x").fencingToken();
    }

    @Locked(name = "x", client = "elsewhere", waitFor = "50s")
    public String elsewhere() {
      return CurrentLease.get().name();
    }
  }

  static class Heard implements LockListener {
    private final List<String> events = new CopyOnWriteArrayList<>();

    @Override
    public void acquired(String name, long fencingToken, Duration waited) {
      events.add("acquired " + name);
    }

    @Override
    public void released(String name, long fencingToken, Duration held) {
      events.add("released " + name);
    }

    @Override
    public void lost(String name, long fencingToken, LostReason reason) {
      events.add("lost " + name);
    }

    List<String> acquired() {
      return events.stream().filter(event -> event.startsWith("acquired")).toList();
    }

    /** Listeners hear of everything, but later. */
    boolean heardAll() {
      return events.size() == 2 * acquired().size();
    }
  }

  /** Must not be asked about a lease that was lost. */
  static class Failures implements LockFailureStrategy {
    @Override
    public RuntimeException failed(LockedCall call, dev.interlock.LockException failure) {
      return failure instanceof LeaseLostException ? new IllegalStateException(failure) : failure;
    }
  }

  @BeforeAll
  static void start() {
    context = Contexts.local(
        List.of(Outer.class, Inner.class, Heard.class, Failures.class, Transactions.class),
        "interlock.clients.elsewhere.uri=local://?namespace=" + Contexts.namespace());
    client = context.getBean(LockClient.class);
    template = context.getBean(LockTemplate.class);
    outer = context.getBean(Outer.class);
    inner = context.getBean(Inner.class);
    heard = context.getBean(Heard.class);
    transaction = new TransactionTemplate(context.getBean(Transactions.class));
    other = new TransactionTemplate(context.getBean(Transactions.class));
    other.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @BeforeEach
  void reset() {
    heard.events.clear();
  }

  @AfterEach
  void freed() {
    assertThat(isFree("x")).isTrue();
    assertThat(isFree("y")).isTrue();
    await().until(heard::heardAll);
  }

  private static boolean isFree(String name) {
    return client.inspect(name).isEmpty();
  }

  private static <T> T elsewhere(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, Contexts.THREADS).join();
  }

  private static boolean entersOnAnotherThread() {
    return elsewhere(() -> {
      try {
        inner.attempt();
        return true;
      } catch (LockTimeoutException e) {
        return false;
      }
    });
  }

  @Test
  void it_enters_again_by_any_bean_or_template_and_the_lock_is_acquired_once() {
    outer.around(() -> {
      long token = CurrentLease.get().fencingToken();
      assertThat(inner.token()).isEqualTo(token);
      assertThat(template.<Long, RuntimeException>execute("x", Lease::fencingToken))
          .isEqualTo(token);
      assertThat(template.tryExecute(LockRequest.of("x"), Lease::fencingToken)).contains(token);
      inner.run(() -> outer.around(() -> assertThat(inner.token()).isEqualTo(token)));
      assertThat(CurrentLease.get().fencingToken()).isEqualTo(token);
      assertThat(entersOnAnotherThread()).isFalse();
    });
    assertThat(isFree("x")).isTrue();
    template.execute("x", lease -> {
      assertThat(inner.token()).isEqualTo(lease.fencingToken());
      return null;
    });
    await()
        .untilAsserted(() -> assertThat(heard.events)
            .containsExactly("acquired x", "released x", "acquired x", "released x"));
  }

  @Test
  void a_task_on_another_thread_does_not_enter() {
    outer.around(() -> inner.run(() -> assertThat(entersOnAnotherThread()).isFalse()));
    assertThat(entersOnAnotherThread()).isTrue();
  }

  @Test
  void another_client_has_another_lock_of_that_name() {
    LockClient second = context.getBean("elsewhereLockClient", LockClient.class);
    outer.around(() -> {
      assertThat(second.inspect("x")).isEmpty();
      assertThat(inner.elsewhere()).isEqualTo("x");
      try (Lease held = second.tryAcquire(LockRequest.of("x")).orElseThrow()) {
        assertThat(inner.token()).isPositive();
      }
    });
    await().until(() -> heard.heardAll() && heard.acquired().size() == 3);
  }

  @Test
  void it_does_not_run_on_a_lease_that_was_lost_nor_takes_the_lock_anew() {
    AtomicBoolean ran = new AtomicBoolean();
    assertThatThrownBy(() -> outer.around(() -> {
          client.forceRelease("x");
          assertThatThrownBy(() -> inner.run(() -> ran.set(true)))
              .isInstanceOf(LeaseLostException.class);
          assertThatThrownBy(() -> template.execute("x", lease -> ran.getAndSet(true)))
              .isInstanceOf(LeaseLostException.class);
          assertThatThrownBy(() -> inner.future(CompletableFuture.completedFuture("done")))
              .isInstanceOf(LeaseLostException.class);
          assertThatThrownBy(() -> inner.mono(Mono.just("done")).block())
              .isInstanceOf(LeaseLostException.class);
          assertThatThrownBy(inner::both).isInstanceOf(LockTimeoutException.class);
          try (Lease successor = client.tryAcquire(LockRequest.of("x")).orElseThrow()) {
            assertThatThrownBy(inner::token).isInstanceOf(LeaseLostException.class);
            assertThat(successor.isValid()).isTrue();
          }
        }))
        .isInstanceOf(LeaseLostException.class)
        .hasNoCause(); // else something was not as expected within it
    assertThat(ran).isFalse();
  }

  @Test
  void a_loss_within_it_ends_both_calls_and_interrupts_the_outer_one_too() {
    AtomicBoolean flag = new AtomicBoolean();
    assertThatThrownBy(() -> outer.around(() -> {
          assertThatThrownBy(() -> inner.run(() -> {
                client.forceRelease("x");
                await().until(() -> Thread.currentThread().isInterrupted());
                // Both interrupt, in no order.
                LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
              }))
              .isInstanceOf(LeaseLostException.class);
          flag.set(Thread.currentThread().isInterrupted());
        }))
        .isInstanceOf(LeaseLostException.class)
        .hasNoCause();
    assertThat(flag).isTrue();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void one_that_fails_leaves_the_lock_to_its_caller() {
    outer.around(() -> {
      assertThatThrownBy(() -> inner.run(() -> {
            throw new IllegalArgumentException("as planned");
          }))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(CurrentLease.get().isValid()).isTrue();
      assertThat(inner.token()).isEqualTo(CurrentLease.get().fencingToken());
    });
  }

  @Test
  void the_lease_is_that_of_the_outer_call() {
    outer.fixed(() -> {
      assertThat(inner.longer()).isLessThanOrEqualTo(Duration.ofSeconds(30));
      assertThat(client.inspect("x").orElseThrow().remaining())
          .isLessThanOrEqualTo(Duration.ofSeconds(30));
    });
    outer.around(() -> assertThat(inner.shorter()).isTrue());
  }

  @Test
  void its_future_keeps_the_lock_beyond_its_caller() throws Exception {
    CompletableFuture<String> work = new CompletableFuture<>();
    CompletableFuture<CompletableFuture<String>> begun = new CompletableFuture<>();
    outer.around(() -> begun.complete(inner.future(work)));
    assertThat(entersOnAnotherThread()).isFalse();
    assertThatThrownBy(inner::attempt).isInstanceOf(LockTimeoutException.class);
    work.complete("done");
    assertThat(begun.join().get(20, TimeUnit.SECONDS)).isEqualTo("done");
    assertThat(isFree("x")).isTrue();
  }

  @Test
  void its_future_hears_of_a_loss_after_its_caller_has_ended() {
    CompletableFuture<CompletableFuture<String>> begun = new CompletableFuture<>();
    outer.around(() -> begun.complete(inner.future(new CompletableFuture<>())));
    client.forceRelease("x");
    assertThatThrownBy(() -> begun.join().get(20, TimeUnit.SECONDS))
        .hasCauseInstanceOf(LeaseLostException.class);
  }

  @Test
  void its_subscription_keeps_the_lock_beyond_its_caller() throws Exception {
    CompletableFuture<String> work = new CompletableFuture<>();
    CompletableFuture<CompletableFuture<String>> begun = new CompletableFuture<>();
    outer.around(() -> begun.complete(inner.mono(Mono.fromFuture(work)).toFuture()));
    assertThat(entersOnAnotherThread()).isFalse();
    work.complete("done");
    assertThat(begun.join().get(20, TimeUnit.SECONDS)).isEqualTo("done");
    assertThat(isFree("x")).isTrue();
  }

  @Test
  void a_subscription_on_another_thread_or_later_does_not_enter() {
    CompletableFuture<Mono<String>> cold = new CompletableFuture<>();
    outer.around(() -> {
      Mono<String> made = inner.mono(Mono.just("done"));
      assertThat(made.block()).isEqualTo("done");
      assertThatThrownBy(() -> elsewhere(made::block))
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(LockTimeoutException.class);
      cold.complete(made);
    });
    try (Lease held = client.tryAcquire(LockRequest.of("x")).orElseThrow()) {
      assertThatThrownBy(() -> cold.join().block()).isInstanceOf(LockTimeoutException.class);
    }
  }

  @Test
  void one_that_reads_enters_within_one_that_writes_and_not_the_other_way_round() {
    outer.around(() -> {
      long token = CurrentLease.get().fencingToken();
      assertThat(inner.read(() -> assertThat(inner.token()).isEqualTo(token))).isTrue();
      transaction.executeWithoutResult(
          status -> assertThat(inner.read(() -> {})).isTrue());
      assertThat(CurrentLease.get().isValid()).isTrue();
      assertThat(entersOnAnotherThread()).isFalse();
    });
    assertThat(inner.read(
            () -> assertThatThrownBy(inner::token).isInstanceOf(LockTimeoutException.class)))
        .isTrue();
  }

  @Test
  void a_job_that_runs_once_does_not_enter_again() {
    outer.around(() -> assertThat(inner.once()).isFalse());
    outer.once(() -> assertThat(inner.once()).isFalse());
    client.forceRelease("x");
  }

  @Test
  void within_a_job_that_runs_once_it_leaves_the_lock_its_time() throws Exception {
    CompletableFuture<String> work = new CompletableFuture<>();
    CompletableFuture<CompletableFuture<String>> begun = new CompletableFuture<>();
    assertThat(outer.once(() -> {
          assertThat(inner.token()).isPositive();
          assertThat(inner.longer()).isLessThanOrEqualTo(Duration.ofSeconds(30));
          begun.complete(inner.future(work));
        }))
        .isTrue();
    assertThat(heard.events).doesNotContain("released x");
    work.complete("done");
    assertThat(begun.join().get(20, TimeUnit.SECONDS)).isEqualTo("done");
    assertThat(client.inspect("x").orElseThrow().remaining())
        .isBetween(Duration.ofMillis(1), Duration.ofSeconds(30));
    assertThat(inner.once()).isFalse();
    client.forceRelease("x");
  }

  @Test
  void a_transaction_within_the_lock_enters_it_again_and_another_one_beside_it_does_not() {
    outer.around(() -> {
      transaction.executeWithoutResult(status -> {
        inner.token();
        inner.run(() -> assertThat(inner.token()).isPositive());
        assertThatThrownBy(() -> other.executeWithoutResult(beside -> inner.token()))
            .isInstanceOf(LockTimeoutException.class)
            .hasMessageContaining("another transaction of this thread");
        assertThat(inner.token()).isPositive();
      });
      other.executeWithoutResult(status -> inner.token());
      assertThat(CurrentLease.get().isValid()).isTrue();
    });
    await()
        .untilAsserted(() -> assertThat(heard.events).containsExactly("acquired x", "released x"));
  }

  @Test
  void several_names_enter_again_if_the_thread_has_them_all() {
    outer.both(() -> {
      assertThat(inner.both()).isEqualTo(CurrentLease.of("x").fencingToken());
      assertThat(inner.token()).isEqualTo(CurrentLease.of("x").fencingToken());
    });
    await().until(() -> heard.heardAll() && heard.acquired().size() == 2);
    outer.around(() -> {
      assertThatThrownBy(inner::both).isInstanceOf(LockTimeoutException.class);
      assertThat(isFree("y")).isTrue();
    });
  }

  @Test
  void a_call_that_makes_many_nested_ones_remembers_none_of_them() {
    AtomicInteger stages = new AtomicInteger();
    try (Lease held = client.tryAcquire(LockRequest.of("x")).orElseThrow()) {
      Lease counting = (Lease) Proxy.newProxyInstance(
          Lease.class.getClassLoader(),
          new Class<?>[] {Lease.class},
          (proxy, method, arguments) -> {
            if (method.getName().equals("lost")) {
              stages.incrementAndGet();
            }
            return method.invoke(held, arguments);
          });
      SharedEnding shared = new SharedEnding(counting, Ending.release(held));
      for (int i = 0; i < 100; i++) {
        shared.nest().end();
      }
      // Each would stay with the lease until that ends.
      assertThat(stages).hasValue(1);
      SharedEnding.Nested nested = shared.nest();
      client.forceRelease("x");
      assertThat(nested
              .lost()
              .toCompletableFuture()
              .orTimeout(20, TimeUnit.SECONDS)
              .join())
          .isEqualTo(LostReason.FORCED);
      assertThatThrownBy(held::close).isInstanceOf(LeaseLostException.class);
    }
  }

  @Test
  void a_call_of_the_application_does_not_take_anew_what_its_caller_has_lost() {
    AtomicBoolean ran = new AtomicBoolean();
    assertThatThrownBy(() -> outer.application(() -> {
          client.forceRelease("x");
          assertThatThrownBy(inner::application).isInstanceOf(LeaseLostException.class);
          assertThatThrownBy(() ->
                  inner.applicationMono(Mono.fromRunnable(() -> ran.set(true))).block())
              .isInstanceOf(LeaseLostException.class);
          assertThat(isFree("x")).isTrue();
        }))
        .isInstanceOf(LeaseLostException.class)
        .hasNoCause();
    assertThat(ran).isFalse();
  }

  @Test
  void the_application_and_a_thread_of_it_are_two_owners() {
    outer.around(
        () -> assertThatThrownBy(inner::application).isInstanceOf(LockTimeoutException.class));
    outer.application(
        () -> assertThatThrownBy(inner::token).isInstanceOf(LockTimeoutException.class));
  }
}
