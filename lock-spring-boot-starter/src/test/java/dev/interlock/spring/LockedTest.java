package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.stereotype.Component;

@Timeout(30)
class LockedTest {
  private static final Set<String> WAITING = ConcurrentHashMap.newKeySet();

  private static ConfigurableApplicationContext context;
  private static LockClient client;
  private static Jobs jobs;
  private static Defaults defaults;
  private static Calls calls;

  static class Calls {
    final AtomicInteger count = new AtomicInteger();
    volatile CountDownLatch hold = new CountDownLatch(0);
    volatile boolean interrupted;

    void made() {
      count.incrementAndGet();
    }
  }

  record Order(String id) {}

  @Component("keys")
  static class Keys {
    public String of(Order order) {
      return order.id().toLowerCase(java.util.Locale.ROOT);
    }
  }

  static class Jobs {
    private final Calls calls;
    private final String region = "eu";

    Jobs(Calls calls) {
      this.calls = calls;
    }

    public String getRegion() {
      return region;
    }

    @Locked(name = "fail", waitFor = "50ms")
    public void fail() {
      calls.made();
    }

    @Locked(name = "skip", onBusy = OnBusy.SKIP)
    public int skipNumber() {
      calls.made();
      return 7;
    }

    @Locked(name = "skip", onBusy = OnBusy.SKIP)
    public Optional<String> skipOptional() {
      calls.made();
      return Optional.of("done");
    }

    @Locked(name = "skip", onBusy = OnBusy.SKIP)
    public List<String> skipList() {
      calls.made();
      return List.of("done");
    }

    @Locked(name = "skip", onBusy = OnBusy.SKIP)
    public CompletableFuture<String> skipFuture() {
      calls.made();
      return CompletableFuture.completedFuture("done");
    }

    @Locked(name = "fall-back", onBusy = OnBusy.FALLBACK, fallback = "instead")
    public String fallBack(String what) {
      calls.made();
      return "locked " + what;
    }

    String instead(String what) {
      return "instead of " + what;
    }

    @Locked(name = "waits", waitFor = "PT10S")
    public long waits() {
      return CurrentLease.get().fencingToken();
    }

    @Locked(name = "fair", waitFor = "10s", fair = true)
    public long fair() {
      return CurrentLease.get().fencingToken();
    }

    @Locked("order-#{#id}-#{@keys.of(#order)}-#{region}-${suffix:x}")
    public String named(int id, Order order) {
      return CurrentLease.get().name();
    }

    @Locked("order-#{#order.id}")
    public String nullable(Order order) {
      calls.made();
      return CurrentLease.get().name();
    }

    @Locked(name = "nested", waitFor = "10s")
    public void nestedOwn(Runnable work) {
      work.run();
    }

    @Locked(name = "instance", scope = LockScope.APPLICATION, waitFor = "0")
    public void instance(Runnable work) {
      calls.made();
      work.run();
    }

    @Locked(name = "throws", lease = "20s")
    public void throwing() {
      throw new IllegalArgumentException("as planned");
    }

    @Locked(name = "loses", lease = "10s")
    public String loses() {
      try {
        calls.hold.await(10, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        calls.interrupted = true;
        Thread.currentThread().interrupt();
      }
      return "finished";
    }

    @Locked(name = "signalled", lease = "10s", onLost = OnLost.SIGNAL)
    public String signalled() throws InterruptedException {
      calls.hold.await(10, TimeUnit.SECONDS);
      calls.interrupted = Thread.currentThread().isInterrupted();
      return "finished";
    }

    @Locked(name = "once", autoRelease = false, atLeast = "600ms", onBusy = OnBusy.SKIP)
    public boolean once(Runnable work) {
      calls.made();
      work.run();
      return true;
    }

    @Locked(name = "future")
    public CompletableFuture<String> future(CompletableFuture<String> result) {
      return result;
    }

    @Locked(name = "interruptible", waitFor = "10s")
    public void interruptible() throws InterruptedException {
      calls.made();
    }
  }

  @Locked(name = "by-class", waitFor = "0")
  static class Defaults {
    public String first() {
      return CurrentLease.get().name();
    }

    @Locked(name = "by-method")
    public String second() {
      return CurrentLease.get().name();
    }

    String notPublic() {
      return CurrentLease.find().map(Lease::name).orElse("none");
    }
  }

  /** Knows which locks were waited for. */
  static class Waiting implements LockListener {
    @Override
    public void waiting(String name) {
      WAITING.add(name);
    }
  }

  @BeforeAll
  static void start() {
    context = Contexts.local(
        List.of(Calls.class, Keys.class, Jobs.class, Defaults.class, Waiting.class), "suffix=z");
    client = context.getBean(LockClient.class);
    jobs = context.getBean(Jobs.class);
    defaults = context.getBean(Defaults.class);
    calls = context.getBean(Calls.class);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @BeforeEach
  void reset() {
    WAITING.clear();
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
    await().until(() -> WAITING.contains("waits"));
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
  void each_call_is_its_own_owner_and_a_nested_one_does_not_wait_for_itself() {
    long start = System.nanoTime();
    assertThatThrownBy(() -> jobs.nestedOwn(() -> jobs.nestedOwn(() -> {})))
        .isInstanceOf(LockTimeoutException.class);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    assertThat(isFree("nested")).isTrue();
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
    assertThat(jobs.once(() -> {})).isTrue();
    assertThat(jobs.once(() -> {})).isFalse();
    await().pollInterval(Duration.ofMillis(10)).until(() -> isFree("once"));
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(Duration.ofMillis(590), Duration.ofSeconds(3));

    long longer = System.nanoTime() + Duration.ofMillis(700).toNanos();
    assertThat(jobs.once(() -> await().until(() -> System.nanoTime() - longer > 0)))
        .isTrue();
    assertThat(calls.count).hasValue(2);
    assertThat(isFree("once")).as("released at once, since its time was over").isTrue();
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
    assertThat(work).isCancelled();
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
