package dev.interlock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.Locks;
import dev.interlock.OutcomeUnknownException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A database that is killed, started again, stopped, or full: one of the test's own. */
@Tag("thorough")
@Timeout(90)
public abstract class RestartContract {

  /** For subclasses. */
  protected RestartContract() {}

  /** Where the locks are: another namespace each time, and further options may follow. */
  protected abstract String uri();

  protected abstract void kill();

  protected abstract void start();

  protected abstract void pause();

  protected abstract void resume();

  /** How the names of the driver's classes begin. */
  protected abstract String driver();

  @Test
  void d1d2t2_holdAndQueueSurviveAKilledServerAndTokensGoOnRising() throws Exception {
    String uri = uri();
    try (LockClient holder = Locks.open(uri);
        LockClient waiters = Locks.open(uri)) {
      Lease held = holder.acquire(LockRequest.of("a").withLease(Duration.ofMinutes(2)));
      Queue<Integer> order = new ConcurrentLinkedQueue<>();
      Queue<Long> tokens = new ConcurrentLinkedQueue<>();
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        int number = i;
        all.add(waiters.acquireAsync(LockRequest.of("a")).thenAccept(lease -> {
          order.add(number);
          tokens.add(lease.fencingToken());
          lease.release();
        }));
        int queued = i + 1;
        Awaitility.await()
            .pollInterval(Duration.ofMillis(2))
            .until(() -> holder.inspect("a").orElseThrow().waiters() == queued);
      }
      kill();
      start();

      Awaitility.await()
          .atMost(Duration.ofSeconds(15))
          .ignoreExceptions()
          .until(() -> holder.inspect("a").isPresent());
      assertThat(holder.inspect("a").orElseThrow().fencingToken()).isEqualTo(held.fencingToken());
      assertThat(order).isEmpty();
      assertThat(held.isValid()).isTrue();
      held.release();
      CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
      assertThat(order).containsExactlyElementsOf(IntStream.range(0, 20).boxed().toList());
      assertThat(new ArrayList<>(tokens)).isSorted().allMatch(token -> token > held.fencingToken());
    }
  }

  @Test
  void d1d2_readersAndTheQueueBehindThemSurviveAKilledServer() throws Exception {
    String uri = uri();
    try (LockClient one = Locks.open(uri);
        LockClient two = Locks.open(uri)) {
      LockRequest writer = LockRequest.of("r").withLease(Duration.ofMinutes(2));
      Lease first = one.acquire(writer.shared());
      Lease second = two.acquire(writer.shared());
      CompletableFuture<Lease> writing = one.acquireAsync(writer);
      Awaitility.await().until(() -> two.inspect("r").orElseThrow().waiters() == 1);
      CompletableFuture<Lease> reading = two.acquireAsync(writer.shared());
      Awaitility.await().until(() -> two.inspect("r").orElseThrow().waiters() == 2);
      kill();
      start();

      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .ignoreExceptions()
          .until(() -> one.inspect("r").isPresent());
      assertThat(one.inspect("r").orElseThrow().others()).hasSize(1);
      first.release();
      assertThat(writing).isNotDone();
      second.release();
      Lease written = writing.get(30, TimeUnit.SECONDS);
      assertThat(reading).isNotDone();
      written.release();
      Lease read = reading.get(30, TimeUnit.SECONDS);
      assertThat(read.fencingToken()).isGreaterThan(written.fencingToken());
      read.release();
    }
  }

  @Test
  void e3_nobodyWaitsForConnectionsToAServerThatIsGoneAndAllGoesOnOnceItIsBack() throws Exception {
    String uri = uri();
    // Far more than may pass, so that waiting for a connection would show.
    try (LockClient client = Locks.open(uri + "&connectTimeout=PT20S")) {
      Lease held = client.acquire(LockRequest.of("a").withLease(Duration.ofMinutes(2)));
      kill();
      // The connections that are open find out first, and then what they sent may have arrived.
      Awaitility.await()
          .pollInterval(Duration.ofMillis(20))
          .during(Duration.ofSeconds(6))
          .atMost(Duration.ofSeconds(10))
          .untilAsserted(() -> {
            assertThatThrownBy(() -> client.tryAcquire(LockRequest.of("b")))
                .isInstanceOfAny(BackendUnavailableException.class, OutcomeUnknownException.class);
            assertThatThrownBy(() -> client.inspect("a")).isInstanceOf(LockException.class);
            LockRequest patient = LockRequest.of("b").withWait(Duration.ofMillis(100));
            assertThatThrownBy(() -> client.acquire(patient))
                .isInstanceOfAny(BackendUnavailableException.class, OutcomeUnknownException.class);
          });
      assertThatThrownBy(() -> client.tryAcquire(LockRequest.of("b")))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("no connection");
      start();
      // After as long an outage a pool by itself pauses for 5 s.
      Awaitility.await()
          .atMost(Duration.ofSeconds(4))
          .ignoreExceptions()
          .until(() -> client.inspect("a").isPresent());
      client.acquire(LockRequest.of("b")).release();
      held.release();
    }
  }

  @Test
  void e3_tooManyConnectionsAreReportedAsSuch() {
    String uri = uri();
    List<LockClient> clients = new ArrayList<>();
    try {
      assertThatThrownBy(() -> {
            for (int i = 0; i < 60; i++) {
              clients.add(Locks.open(uri));
              clients.get(i).tryAcquire(LockRequest.of("n" + i));
            }
          })
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("too many");
    } finally {
      clients.forEach(LockClient::close);
    }
  }

  @Test
  void w4_aStalledServerEndsAWaitInTimeAndTheClientRecovers() throws Exception {
    try (LockClient client = Locks.open(uri() + "&timeout=PT1S")) {
      client.acquire(LockRequest.of("a")).release();
      pause();
      long start = System.nanoTime();
      try {
        assertThatThrownBy(
                () -> client.acquire(LockRequest.of("a").withWait(Duration.ofMillis(500))))
            .isInstanceOf(LockException.class)
            .isNotInstanceOf(LockTimeoutException.class);
      } finally {
        resume();
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
      client.acquire(LockRequest.of("a").withWait(Duration.ofSeconds(20))).release();
    }
  }

  @Undisturbed(millis = 300)
  void w4_anAttemptBehindOneWithoutAnAnswerDoesNotWaitForOneOfItsOwn() throws Exception {
    try (LockClient client = Locks.open(uri() + "&timeout=PT3S")) {
      LockRequest request = LockRequest.of("b").withWait(Duration.ofMillis(300));
      client.acquire(request).release(); // from here on the pool does not look at its connection
      pause();
      FutureTask<Lease> first = new FutureTask<>(() -> client.acquire(request));
      FutureTask<Lease> second = new FutureTask<>(() -> client.acquire(request));
      long start = System.nanoTime();
      try {
        Thread asking = new Thread(first);
        asking.start();
        Awaitility.await()
            .pollInterval(Duration.ofMillis(5))
            .until(() -> Stream.of(asking.getStackTrace())
                .anyMatch(frame -> frame.getClassName().startsWith(driver())));
        new Thread(second).start();
        assertThatThrownBy(() -> second.get(20, TimeUnit.SECONDS))
            .hasCauseInstanceOf(BackendUnavailableException.class)
            .hasMessageContaining("not asked for, since an earlier attempt failed");
      } finally {
        resume();
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
      assertThatThrownBy(first::get).hasCauseInstanceOf(LockException.class);
      client.acquire(request.withWait(Duration.ofSeconds(20))).release();
    }
  }
}
