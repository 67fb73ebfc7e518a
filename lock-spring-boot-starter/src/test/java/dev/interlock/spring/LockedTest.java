package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.spring.LockedBeans.Calls;
import dev.interlock.spring.LockedBeans.Defaults;
import dev.interlock.spring.LockedBeans.Jobs;
import dev.interlock.spring.LockedBeans.Keys;
import dev.interlock.spring.LockedBeans.Order;
import dev.interlock.spring.LockedBeans.Waiting;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

@Timeout(30)
class LockedTest {
  private static ConfigurableApplicationContext context;
  private static LockClient client;
  private static Jobs jobs;
  private static Defaults defaults;
  private static Calls calls;
  private static Waiting waiting;

  @BeforeAll
  static void start() {
    context = Contexts.local(
        List.of(Calls.class, Keys.class, Jobs.class, Defaults.class, Waiting.class), "suffix=z");
    client = context.getBean(LockClient.class);
    jobs = context.getBean(Jobs.class);
    defaults = context.getBean(Defaults.class);
    calls = context.getBean(Calls.class);
    waiting = context.getBean(Waiting.class);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @BeforeEach
  void reset() {
    waiting.names.clear();
    calls.count.set(0);
    calls.hold = new CountDownLatch(0);
    calls.interrupted = false;
  }

  private static Lease hold(String name) {
    return client.tryAcquire(LockRequest.of(name)).orElseThrow();
  }

  private static boolean isFree(String name) {
    return client.inspect(name).isEmpty();
  }

  private static void awaitWaiters(String name, int count) {
    await().until(() -> client.inspect(name).orElseThrow().waiters() == count);
  }

  @Test
  void a_busy_lock_fails_the_call_and_the_method_does_not_run() {
    try (Lease other = hold("fail")) {
      assertThatThrownBy(jobs::fail)
          .isInstanceOf(LockTimeoutException.class)
          .hasMessageContaining("'fail'");
      assertThat(calls.count).hasValue(0);
    }
    jobs.fail();
    assertThat(calls.count).hasValue(1);
    assertThat(isFree("fail")).isTrue();
  }

  @Test
  void a_skipped_call_gives_what_is_empty() {
    try (Lease other = hold("skip")) {
      assertThat(jobs.skipNumber()).isZero();
      assertThat(jobs.skipOptional()).isEmpty();
      assertThat(jobs.skipList()).isEmpty();
      assertThat(jobs.skipFuture()).isCompletedWithValue(null);
      assertThat(calls.count).hasValue(0);
    }
    assertThat(jobs.skipNumber()).isEqualTo(7);
    assertThat(jobs.skipOptional()).contains("done");
  }

  @Test
  void a_fallback_gets_the_same_arguments() {
    try (Lease other = hold("fall-back")) {
      assertThat(jobs.fallBack("a")).isEqualTo("instead of a");
    }
    assertThat(jobs.fallBack("a")).isEqualTo("locked a");
  }

  @Test
  void a_call_waits_for_its_lock() throws Exception {
    Lease other = hold("waits");
    CompletableFuture<Long> call = CompletableFuture.supplyAsync(jobs::waits, Contexts.THREADS);
    await().until(() -> waiting.names.contains("waits"));
    assertThat(call).isNotDone();
    long token = other.fencingToken();
    other.release();
    assertThat(call.get(5, TimeUnit.SECONDS)).isGreaterThan(token);
  }

  @Test
  void fair_calls_stand_in_the_servers_queue_and_get_the_lock_in_their_order() throws Exception {
    Lease other = hold("fair");
    CompletableFuture<Long> first = CompletableFuture.supplyAsync(jobs::fair, Contexts.THREADS);
    awaitWaiters("fair", 1);
    CompletableFuture<Long> second = CompletableFuture.supplyAsync(jobs::fair, Contexts.THREADS);
    awaitWaiters("fair", 2);
    other.release();
    assertThat(first.get(5, TimeUnit.SECONDS)).isLessThan(second.get(5, TimeUnit.SECONDS));
  }

  @Test
  void names_are_made_of_arguments_beans_properties_and_placeholders() {
    assertThat(jobs.named(7, new Order("AB"))).isEqualTo("order-7-ab-eu-z");
    assertThat(jobs.dated(LocalDate.of(2025, 2, 3), Duration.ofDays(1)))
        .isEqualTo("report-2025-02-03-PT24H");
  }

  @Test
  void a_name_that_is_null_or_fails_is_refused_at_the_call() {
    assertThatThrownBy(() -> jobs.nullable(new Order(null)))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("#{#order.id} is null")
        .hasMessageContaining("Jobs.nullable(Order)");
    assertThatThrownBy(() -> jobs.nullable(null))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("#{#order.id} failed");
    assertThat(calls.count).hasValue(0);
  }

  @Test
  void the_application_re_enters_from_any_thread_and_excludes_others() {
    jobs.instance(() -> {
      jobs.instance(() -> {});
      CompletableFuture.runAsync(() -> jobs.instance(() -> {})).join();
      assertThat(client.tryAcquire(LockRequest.of("instance"))).isEmpty();
    });
    assertThat(calls.count).hasValue(3);
    assertThat(isFree("instance")).isTrue();
  }

  @Test
  void an_exception_reaches_the_caller_and_the_lock_is_free() {
    assertThatThrownBy(jobs::throwing).isInstanceOf(IllegalArgumentException.class);
    assertThat(isFree("throws")).isTrue();
  }

  @Test
  void a_lost_lease_interrupts_the_work_and_the_caller_hears_of_it() throws Exception {
    calls.hold = new CountDownLatch(1);
    AtomicInteger flag = new AtomicInteger(-1);
    CompletableFuture<String> call = CompletableFuture.supplyAsync(
        () -> {
          try {
            return jobs.loses();
          } finally {
            flag.set(Thread.currentThread().isInterrupted() ? 1 : 0);
          }
        },
        Contexts.THREADS);
    await().until(() -> !isFree("loses"));
    client.forceRelease("loses");
    assertThatThrownBy(() -> call.get(5, TimeUnit.SECONDS))
        .hasCauseInstanceOf(LeaseLostException.class);
    assertThat(calls.interrupted).isTrue();
    assertThat(flag).as("the flag does not outlive the work").hasValue(0);
  }

  @Test
  void a_signalled_loss_lets_the_work_end_and_the_caller_hears_of_it() throws Exception {
    calls.hold = new CountDownLatch(1);
    CompletableFuture<String> call = CompletableFuture.supplyAsync(
        () -> {
          try {
            return jobs.signalled();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        },
        Contexts.THREADS);
    await().until(() -> !isFree("signalled"));
    client.forceRelease("signalled");
    assertThat(call).isNotDone();
    calls.hold.countDown();
    assertThatThrownBy(() -> call.get(5, TimeUnit.SECONDS))
        .hasCauseInstanceOf(LeaseLostException.class);
    assertThat(calls.interrupted).isFalse();
  }

  @Test
  void a_kept_lock_stays_for_its_time_and_a_longer_run_keeps_it_too() throws Exception {
    long start = System.nanoTime();
    boolean kept = staysOnce();
    for (int run = 1; run < 3 && !kept; run++) { // unless the machine stood still for that time
      await().until(() -> isFree("once"));
      calls.count.set(0);
      start = System.nanoTime();
      kept = staysOnce();
    }
    assertThat(kept).isTrue();
    await().pollInterval(Duration.ofMillis(10)).until(() -> isFree("once"));
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(Duration.ofMillis(590), Duration.ofSeconds(3));

    long longer = System.nanoTime() + Duration.ofMillis(700).toNanos();
    assertThat(jobs.once(() -> await().until(() -> System.nanoTime() - longer > 0)))
        .isTrue();
    assertThat(calls.count).hasValue(2);
    assertThat(isFree("once")).as("released at once, since its time was over").isTrue();
  }

  private static boolean staysOnce() {
    long start = System.nanoTime();
    assertThat(jobs.once(() -> {})).isTrue();
    boolean kept = !jobs.once(() -> {});
    assertThat(kept || System.nanoTime() - start > Duration.ofMillis(500).toNanos())
        .isTrue();
    return kept;
  }

  @Test
  void a_job_that_runs_on_does_not_stretch_its_time() {
    boolean stays = false;
    for (int run = 0; run < 3 && !stays; run++) { // unless the machine stands still at its end
      stays = endsEarlyAndStays();
      client.forceRelease("three-seconds");
    }
    assertThat(stays).isTrue();
  }

  private boolean endsEarlyAndStays() {
    List<Duration> beyond = new ArrayList<>();
    try {
      assertThat(jobs.threeSeconds(() -> beyond.addAll(beyondItsTime()))).isTrue();
    } catch (LeaseLostException e) {
      return false;
    }
    assertThat(beyond).allMatch(each -> each.compareTo(Duration.ofMillis(200)) < 0);
    return !beyond.isEmpty() && !jobs.threeSeconds(() -> {});
  }

  /** By how much others would wait longer, if it died now. */
  private List<Duration> beyondItsTime() {
    long until = System.nanoTime() + Duration.ofSeconds(3).toNanos();
    List<Duration> beyond = new ArrayList<>();
    for (long now = System.nanoTime();
        until - now > Duration.ofMillis(450).toNanos();
        now = System.nanoTime()) {
      long asked = now;
      client
          .inspect("three-seconds")
          .ifPresent(info -> beyond.add(Duration.ofNanos(asked - until).plus(info.remaining())));
      LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
    }
    return beyond;
  }

  @Test
  void a_lock_is_held_until_its_future_is_complete() throws Exception {
    CompletableFuture<String> work = new CompletableFuture<>();
    CompletableFuture<String> call = jobs.future(work);
    assertThat(call).isNotDone();
    assertThat(isFree("future")).isFalse();
    work.complete("result");
    assertThat(call.get(5, TimeUnit.SECONDS)).isEqualTo("result");
    assertThat(isFree("future")).isTrue();

    CompletableFuture<String> failing = new CompletableFuture<>();
    CompletableFuture<String> failed = jobs.future(failing);
    failing.completeExceptionally(new IllegalStateException("as planned"));
    assertThatThrownBy(() -> failed.get(5, TimeUnit.SECONDS))
        .hasCauseInstanceOf(IllegalStateException.class);
    assertThat(isFree("future")).isTrue();

    CompletableFuture<String> cancelled = new CompletableFuture<>();
    jobs.future(cancelled).cancel(true);
    assertThat(cancelled).isCancelled();
    await().until(() -> isFree("future"));
  }

  @Test
  void a_lease_lost_before_its_future_is_complete_fails_the_future() {
    CompletableFuture<String> work = new CompletableFuture<>();
    CompletableFuture<String> call = jobs.future(work);
    client.forceRelease("future");
    assertThatThrownBy(() -> call.get(5, TimeUnit.SECONDS))
        .hasCauseInstanceOf(LeaseLostException.class);
    // Only after the caller has heard of the loss.
    await().until(work::isCancelled);
  }

  @Test
  void an_interrupted_wait_ends_and_leaves_nothing() throws Exception {
    try (Lease other = hold("interruptible")) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(jobs::interruptible).isInstanceOf(InterruptedException.class);
    }
    assertThat(Thread.interrupted()).isFalse();
    try (Lease other = hold("waits")) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(jobs::waits).isInstanceOf(LockException.class);
      assertThat(Thread.interrupted()).as("the flag is set again").isTrue();
    }
    assertThat(isFree("waits")).isTrue();
  }

  @Test
  void a_class_gives_its_public_methods_a_default() {
    assertThat(defaults.first()).isEqualTo("by-class");
    assertThat(defaults.second()).isEqualTo("by-method");
    assertThat(defaults.notPublic()).isEqualTo("none");
  }
}
