package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Calls that are nested in one of the same lock, on its thread. */
class ReentryTest extends NestedCalls {
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
                spinUntilInterrupted();
                // Both interrupt, in no order: mostly the other one comes now.
                spin(Duration.ofMillis(100), () -> false);
              }))
              .isInstanceOf(LeaseLostException.class);
          spinUntilInterrupted();
          flag.set(Thread.currentThread().isInterrupted());
        }))
        .isInstanceOf(LeaseLostException.class)
        .hasNoCause();
    assertThat(flag).isTrue();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  private static void spinUntilInterrupted() {
    Thread thread = Thread.currentThread();
    spin(Duration.ofSeconds(20), thread::isInterrupted);
  }

  /** An interrupted thread does not sleep, and one that sleeps uses up its interrupt. */
  private static void spin(Duration most, BooleanSupplier over) {
    long end = System.nanoTime() + most.toNanos();
    while (!over.getAsBoolean() && System.nanoTime() - end < 0) {
      Thread.onSpinWait();
    }
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
