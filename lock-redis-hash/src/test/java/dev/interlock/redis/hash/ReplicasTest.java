package dev.interlock.redis.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.testservers.RedisSentinels;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Grants that count only once a replica has them, with a replica that is stopped at times. */
@Timeout(60)
class ReplicasTest {
  private static RedisServer master;
  private static RedisServer replica;

  @BeforeAll
  static void start() {
    master = TestRedis.builder().owned().config("repl-diskless-sync-delay", "0").start();
    replica = TestRedis.builder().owned().start();
    replica.command("REPLICAOF", master.host(), Integer.toString(master.port()));
    RedisSentinels.awaitReplicas(master, 1);
  }

  @AfterAll
  static void stop() {
    replica.close();
    master.close();
  }

  @AfterEach
  void resume() {
    replica.resume();
  }

  private static LockClient open() {
    return Locks.open(master.uri("redis-hash"));
  }

  private static LockClient openReplicated() {
    return Locks.open(master.uri("redis-hash") + "?replicas=1&replicaTimeout=PT0.3S");
  }

  @Test
  void aGrantThatTheReplicaDoesNotConfirmIsGivenBack() {
    try (LockClient client = openReplicated();
        LockClient observer = open()) {
      client.tryAcquire(LockRequest.of("n")).orElseThrow().release();
      replica.pause();

      assertThatThrownBy(() -> client.tryAcquire(LockRequest.of("n")))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("1 replicas must have")
          .hasMessageContaining("given back");

      assertThat(observer.inspect("n")).isEmpty();
      replica.resume();
      acquireSoon(client, "n").release();
    }
  }

  @Test
  void aWaitGoesOnUntilTheReplicaIsBack() throws Exception {
    try (LockClient client = openReplicated()) {
      replica.pause();
      CompletableFuture<Lease> waiting = client.acquireAsync(LockRequest.of("w"));
      CompletableFuture<Lease> fair = client.acquireAsync(LockRequest.of("f").fair(true));
      TimeUnit.MILLISECONDS.sleep(1_000); // several times the time that a grant waits

      assertThat(waiting).isNotDone();
      assertThat(fair).isNotDone();
      replica.resume();

      waiting.get(10, TimeUnit.SECONDS).release();
      fair.get(10, TimeUnit.SECONDS).release();
    }
  }

  @Test
  void aHandOffFromAnotherClientNeedsTheReplicaAsWell() throws Exception {
    try (LockClient holder = open();
        LockClient waiter = openReplicated()) {
      Lease held = holder.acquire(LockRequest.of("h"));
      CompletableFuture<Lease> next = waiter.acquireAsync(LockRequest.of("h").fair(true));
      awaitWaiter(holder, "h");
      replica.pause();
      held.release();

      // Until it is given back, others find it held.
      acquireSoon(holder, "h").release();
      assertThat(next).isNotDone();

      replica.resume();
      next.get(10, TimeUnit.SECONDS).release();
    }
  }

  @Test
  void aHandOffWithinOneClientNeedsTheReplicaAsWell() throws Exception {
    for (boolean fair : new boolean[] {true, false}) {
      try (LockClient client = openReplicated();
          LockClient observer = open()) {
        LockRequest request =
            LockRequest.of("i").withLease(Duration.ofSeconds(20)).fair(fair); // not passed on
        Lease held = client.acquire(request);
        CompletableFuture<Lease> next = client.acquireAsync(request);
        if (fair) {
          awaitWaiter(observer, "i");
        }
        replica.pause();
        held.release();

        acquireSoon(observer, "i").release();
        assertThat(next).isNotDone();

        replica.resume();
        Lease granted = next.get(10, TimeUnit.SECONDS);
        assertThat(granted.fencingToken()).isGreaterThan(held.fencingToken());
        granted.release();
        assertThat(observer.inspect("i")).isEmpty();
      }
    }
  }

  @Test
  void manyThreadsShareTheirWaits() {
    try (LockClient client = openReplicated()) {
      List<Lease> leases = IntStream.range(0, 40)
          .parallel()
          .mapToObj(i -> client.tryAcquire(LockRequest.of("m-" + i)).orElseThrow())
          .toList();
      leases.forEach(Lease::release);
      replica.pause();
      long start = System.nanoTime();

      List<CompletableFuture<Void>> attempts = IntStream.range(0, 20)
          .mapToObj(i -> CompletableFuture.runAsync(
              () -> assertThatThrownBy(() -> client.tryAcquire(LockRequest.of("m-" + i)))
                  .isInstanceOf(BackendUnavailableException.class),
              task -> new Thread(task).start()))
          .toList();
      attempts.forEach(CompletableFuture::join);

      // One after the other they would take 6 s.
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
    }
  }

  @Test
  void scriptsThatTheServerForgotAreLoadedAgain() {
    try (LockClient client = openReplicated()) {
      client.tryAcquire(LockRequest.of("s")).orElseThrow().release();
      master.command("SCRIPT", "FLUSH");
      client.tryAcquire(LockRequest.of("s")).orElseThrow().release();
    }
  }

  @Test
  void E8_settingsThatDoNotGoTogetherAreNamed() {
    assertThatThrownBy(() -> Locks.open(master.uri("redis-hash") + "?replicaTimeout=PT1S"))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("replicaTimeout is given without replicas");
    assertThatThrownBy(() ->
            Locks.open(master.uri("redis-hash") + "?replicas=1&replicaTimeout=PT5S&lease=PT2S"))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("not shorter than the lease");
  }

  private static void awaitWaiter(LockClient observer, String name) {
    while (observer.inspect(name).orElseThrow().waiters() == 0) {
      Thread.onSpinWait();
    }
  }

  /** Neither a lock that is being given back nor a replica that catches up stays so for long. */
  private static Lease acquireSoon(LockClient client, String name) {
    long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    while (true) {
      try {
        var lease = client.tryAcquire(LockRequest.of(name));
        if (lease.isPresent()) {
          return lease.get();
        }
      } catch (LockException e) {
        assertThat(System.nanoTime() - deadline).as(e.toString()).isNegative();
      }
      assertThat(System.nanoTime() - deadline).isNegative();
    }
  }
}
