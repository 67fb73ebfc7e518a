package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import reactor.core.publisher.Mono;

/** Methods that read, and methods that take permits. */
@Timeout(60)
@ParameterizedClass
@ValueSource(strings = {"local", "redis-hash"})
class PartsTest {
  private static @Nullable RedisServer server;
  private static ConfigurableApplicationContext context;
  private static LockClient client;
  private static Books books;
  private static Exports exports;
  private static Shared shared;

  @Parameter
  @SuppressWarnings("UnusedVariable") // what starts the server takes it
  private String provider;

  static class Books {
    @Locked(name = "book-#{#id}", mode = LockMode.READ, waitFor = "30s")
    public long read(int id, Runnable work) {
      work.run();
      return CurrentLease.get().fencingToken();
    }

    @Locked(name = "book-#{#id}", mode = LockMode.WRITE, waitFor = "30s")
    public long write(int id) {
      return CurrentLease.get().fencingToken();
    }

    @Locked(
        names = {"book-#{#first}", "book-#{#second}"},
        mode = LockMode.READ,
        waitFor = "0")
    public void compare(int first, int second, Runnable work) {
      work.run();
    }
  }

  static class Exports {
    @Limited(name = "export-#{#kind}", permits = 2, waitFor = "0")
    public <T> T export(String kind, Supplier<T> work) {
      return work.get();
    }

    @Limited(
        name = "export-#{#kind}",
        permitsString = "${exports.at-once}",
        take = 2,
        onBusy = OnBusy.SKIP)
    public boolean large(String kind) {
      return true;
    }

    @Limited(name = "one", permits = 1, onBusy = OnBusy.FALLBACK, fallback = "instead")
    public String one(Supplier<String> work) {
      return work.get();
    }

    String instead(Supplier<String> work) {
      return "instead";
    }

    @Limited(name = "waits", permits = 1, waitFor = "30s", condition = "#needed")
    public long waits(boolean needed) {
      return CurrentLease.find().map(Lease::fencingToken).orElse(-1L);
    }

    @Limited(name = "stage", permits = 2, waitFor = "0", lease = "20s")
    public CompletableFuture<String> stage(CompletableFuture<String> work) {
      return work;
    }

    @Limited(name = "mono", permits = 2, waitFor = "0")
    public Mono<String> mono(Mono<String> work) {
      return work;
    }

    @Limited(name = "lost", permits = 3)
    public void lost(CountDownLatch latch) throws InterruptedException {
      latch.await();
    }
  }

  @Limited(name = "by-class", permits = 1, waitFor = "0")
  static class Shared {
    public void first(Runnable work) {
      work.run();
    }

    public void second() {}
  }

  @BeforeParameterizedClassInvocation
  static void start(String provider) {
    String uri = "local://";
    if (provider.equals("redis-hash")) {
      RedisServer redis = TestRedis.start();
      server = redis;
      uri = redis.uri("redis-hash");
    }
    context = Contexts.start(
        Contexts.Plain.class,
        List.of(Books.class, Exports.class, Shared.class),
        List.of(
            "interlock.uri=" + uri,
            "interlock.namespace=" + Contexts.namespace(),
            "exports.at-once=2"));
    client = context.getBean(LockClient.class);
    books = context.getBean(Books.class);
    exports = context.getBean(Exports.class);
    shared = context.getBean(Shared.class);
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    context.close();
    if (server != null) {
      server.close();
      server = null;
    }
  }

  private static int holders(String name) {
    return client.inspect(name).map(info -> 1 + info.others().size()).orElse(0);
  }

  private static <T> CompletableFuture<T> begin(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call, Contexts.THREADS);
  }

  private static <T> T resultOf(CompletableFuture<T> call) throws Exception {
    return call.get(30, TimeUnit.SECONDS);
  }

  private static void pass(CyclicBarrier barrier) {
    try {
      barrier.await(30, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("nobody else came in", e);
    }
  }

  @Test
  void methods_that_read_run_together_and_one_that_writes_waits_for_them() throws Exception {
    CyclicBarrier inside = new CyclicBarrier(3);
    CyclicBarrier leaving = new CyclicBarrier(3);
    Runnable meeting = () -> {
      pass(inside);
      pass(leaving);
    };
    CompletableFuture<Long> first = begin(() -> books.read(1, meeting));
    CompletableFuture<Long> second = begin(() -> books.read(1, meeting));
    pass(inside);
    assertThat(holders("book-1")).isEqualTo(2);
    CompletableFuture<Long> writing = begin(() -> books.write(1));
    await().until(() -> client.inspect("book-1").map(HoldInfo::waiters).orElse(0) == 1);
    assertThat(writing).isNotDone();
    pass(leaving);
    assertThat(resultOf(writing)).isGreaterThan(resultOf(first)).isGreaterThan(resultOf(second));
  }

  @Test
  void one_that_reads_waits_for_who_writes() throws Exception {
    Lease writer = client.tryAcquire(LockRequest.of("book-2")).orElseThrow();
    CompletableFuture<Long> reading = begin(() -> books.read(2, () -> {}));
    await().until(() -> client.inspect("book-2").map(HoldInfo::waiters).orElse(0) == 1);
    assertThat(reading).isNotDone();
    writer.release();
    assertThat(resultOf(reading)).isGreaterThan(writer.fencingToken());
  }

  @Test
  void several_locks_are_read_together() {
    books.compare(3, 4, () -> {
      assertThat(client.tryAcquire(LockRequest.of("book-3").shared()).map(PartsTest::released))
          .contains(true);
      assertThat(client.tryAcquire(LockRequest.of("book-4"))).isEmpty();
    });
    assertThat(holders("book-4")).isZero();
  }

  @Test
  void the_endpoint_tells_all_who_hold_a_lock_together() {
    books.read(5, () -> {
      try (Lease other = client.tryAcquire(LockRequest.of("book-5").shared()).orElseThrow()) {
        LocksEndpoint.LockState state =
            LocksEndpoint.LockState.of(client.inspect("book-5").orElseThrow());
        assertThat(state.others())
            .extracting(LocksEndpoint.LockState::fencingToken)
            .containsExactly(other.fencingToken());
      }
    });
  }

  private static boolean released(Lease lease) {
    lease.release();
    return true;
  }

  @Test
  void as_many_calls_run_as_there_are_permits() throws Exception {
    CyclicBarrier inside = new CyclicBarrier(3);
    CyclicBarrier leaving = new CyclicBarrier(3);
    Supplier<String> meeting = () -> {
      pass(inside);
      pass(leaving);
      return "done";
    };
    CompletableFuture<String> first = begin(() -> exports.export("a", meeting));
    CompletableFuture<String> second = begin(() -> exports.export("a", meeting));
    pass(inside);
    assertThatThrownBy(() -> exports.export("a", () -> "one too many"))
        .isInstanceOf(LockTimeoutException.class);
    assertThat(exports.<String>export("b", () -> "another semaphore"))
        .isEqualTo("another semaphore");
    pass(leaving);
    assertThat(resultOf(first)).isEqualTo(resultOf(second));
    assertThat(holders("export-a")).isZero();
  }

  @Test
  void a_call_takes_all_of_its_permits_or_none() {
    assertThat(exports.large("c")).isTrue();
    try (Lease other =
        client.tryAcquire(LockRequest.of("export-c").permits(1, 2)).orElseThrow()) {
      assertThat(exports.large("c")).isFalse();
      assertThat(exports.<String>export("c", () -> "one is left")).isEqualTo("one is left");
    }
    assertThat(exports.large("c")).isTrue();
  }

  @Test
  void a_call_within_a_call_takes_one_more_or_none() {
    Supplier<String> third = () -> exports.export("d", () -> "third");
    assertThatThrownBy(() -> exports.export("d", () -> exports.export("d", third)))
        .isInstanceOf(LockTimeoutException.class)
        .hasMessageContaining("of this thread");
    assertThat(exports.<String>export("d", () -> exports.export("d", () -> "second")))
        .isEqualTo("second");
    assertThat(holders("export-d")).isZero();
  }

  @Test
  void without_a_permit_the_fallback_is_called() {
    try (Lease other = client.tryAcquire(LockRequest.of("one").permits(1, 1)).orElseThrow()) {
      assertThat(exports.one(() -> "done")).isEqualTo("instead");
    }
    assertThat(exports.one(() -> "done")).isEqualTo("done");
  }

  @Test
  void a_call_waits_for_its_permit_if_its_condition_says_that_it_needs_one() throws Exception {
    Lease other = client.tryAcquire(LockRequest.of("waits").permits(1, 1)).orElseThrow();
    assertThat(exports.waits(false)).isEqualTo(-1);
    CompletableFuture<Long> waiting = begin(() -> exports.waits(true));
    await().until(() -> client.inspect("waits").map(HoldInfo::waiters).orElse(0) == 1);
    other.release();
    assertThat(resultOf(waiting)).isGreaterThan(other.fencingToken());
  }

  @Test
  void a_stage_keeps_its_permit_until_it_is_complete() throws Exception {
    CompletableFuture<String> work = new CompletableFuture<>();
    CompletableFuture<String> first = exports.stage(work);
    CompletableFuture<String> second = exports.stage(work);
    await().until(() -> holders("stage") == 2);
    assertThat(client.tryAcquire(LockRequest.of("stage").permits(1, 2))).isEmpty();
    work.complete("done");
    assertThat(resultOf(first)).isEqualTo(resultOf(second));
    assertThat(holders("stage")).isZero();
  }

  @Test
  void a_mono_takes_a_permit_at_each_subscription() throws Exception {
    CompletableFuture<String> work = new CompletableFuture<>();
    Mono<String> mono = exports.mono(Mono.fromFuture(() -> work, true));
    CompletableFuture<String> first = mono.toFuture();
    CompletableFuture<String> second = mono.toFuture();
    await().until(() -> holders("mono") == 2);
    assertThatThrownBy(mono::block).isInstanceOf(LockTimeoutException.class);
    work.complete("done");
    assertThat(resultOf(first)).isEqualTo(resultOf(second));
    await().until(() -> holders("mono") == 0);
  }

  @Test
  void the_loss_of_a_permit_interrupts_the_work() {
    CompletableFuture<Void> call = begin(() -> {
      assertThatThrownBy(() -> exports.lost(new CountDownLatch(1)))
          .isInstanceOf(LeaseLostException.class);
      return null;
    });
    await().until(() -> holders("lost") == 1);
    client.forceRelease("lost");
    assertThat(call).succeedsWithin(30, TimeUnit.SECONDS);
  }

  @Test
  void the_methods_of_a_class_share_its_permits() {
    assertThatThrownBy(() -> shared.first(shared::second)).isInstanceOf(LockTimeoutException.class);
    shared.second();
  }
}
