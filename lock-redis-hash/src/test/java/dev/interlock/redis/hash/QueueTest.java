package dev.interlock.redis.hash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/** The whole of it, with the engine: long queues, faults of the mailbox, and what it costs. */
@Timeout(120)
class QueueTest {
  private static final LockRequest FAIR = LockRequest.of("n").fair(true);
  private static final Duration BOUND = Duration.ofSeconds(5);

  private static final Set<String> ASKED = Set.of("info", "config|resetstat", "config", "client");

  private static final Set<String> IN_SCRIPTS = Set.of(
      "time", "hmget", "hset", "hdel", "del", "pexpire", "zadd", "zrem", "zrangebyscore", "zscore");

  private final List<LockClient> clients = new ArrayList<>();
  private RedisServer server;

  @BeforeEach
  void openClients() {
    server = TestRedis.builder().owned().start();
    for (int i = 0; i < 3; i++) {
      clients.add(Locks.open(server.uri("redis-hash")));
    }
  }

  @AfterEach
  void close() {
    clients.forEach(LockClient::close);
    server.close();
  }

  private long waiters() {
    return clients.get(0).inspect("n").orElseThrow().waiters();
  }

  private static long commands(RedisServer server) {
    return calls(server, name -> !name.equals("info"));
  }

  private static long calls(RedisServer server, Predicate<String> counted) {
    return server
        .command("INFO", "commandstats")
        .lines()
        .filter(line -> line.startsWith("cmdstat_"))
        .filter(line -> counted.test(line.substring(8, line.indexOf(':'))))
        .mapToLong(line ->
            Long.parseLong(line.substring(line.indexOf("calls=") + 6, line.indexOf(",usec"))))
        .sum();
  }

  @Test
  void F3_fiveHundredWaitersOfThreeClientsAreServedInOrder() throws Exception {
    Lease first = clients.get(0).acquire(FAIR);
    ConcurrentLinkedQueue<Integer> order = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<Long> tokens = new ConcurrentLinkedQueue<>();
    List<CompletableFuture<Void>> waits = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      int number = i;
      waits.add(clients.get(i % 3).acquireAsync(FAIR).thenAccept(lease -> {
        order.add(number);
        tokens.add(lease.fencingToken());
        lease.release();
      }));
      if (i % 50 == 49) {
        Topologies.await(() -> waiters() == number + 1);
      } else {
        awaitQueued(number + 1);
      }
    }
    first.release();
    CompletableFuture.allOf(waits.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
    assertThat(order).containsExactlyElementsOf(IntStream.range(0, 500).boxed().toList());
    assertThat(new ArrayList<>(tokens)).isSorted();
    assertThat(server.command("KEYS", "*:lock:*")).isIn("", "(nil)");
    assertThat(server.command("KEYS", "*:wait:*")).isIn("", "(nil)");
  }

  private void awaitQueued(int count) {
    Topologies.awaitWaiters(clients.get(0), "n", count);
  }

  @Test
  void W3_noWaitIsLostWhenTheSubscriberIsCutAtTheRelease(TestReporter reporter) throws Exception {
    int rounds = Integer.getInteger("interlock.test.cuts", 100);
    long worst = 0;
    for (int round = 0; round < rounds; round++) {
      Lease held = clients.get(0).acquire(FAIR);
      CompletableFuture<Lease> waiter = clients.get(1).acquireAsync(FAIR);
      awaitQueued(1);
      if (round % 2 == 0) {
        server.command("CLIENT", "KILL", "TYPE", "pubsub");
        held.release();
      } else {
        held.release();
        server.command("CLIENT", "KILL", "TYPE", "pubsub");
      }
      long start = System.nanoTime();
      waiter.get(20, TimeUnit.SECONDS).release();
      worst = Math.max(worst, System.nanoTime() - start);
    }
    reporter.publishEntry(
        rounds + " cuts, worst wait, ms", Long.toString(TimeUnit.NANOSECONDS.toMillis(worst)));
    assertThat(Duration.ofNanos(worst)).isLessThan(BOUND);
  }

  @Test
  void W2_aClientThatGoesWithItsWaitersHoldsNobodyUp() throws Exception {
    Lease held = clients.get(0).acquire(FAIR);
    List<CompletableFuture<Lease>> dying = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      dying.add(clients.get(2).acquireAsync(FAIR));
    }
    awaitQueued(50);
    CompletableFuture<Lease> last = clients.get(1).acquireAsync(FAIR);
    awaitQueued(51);
    server.command("CLIENT", "KILL", "TYPE", "pubsub");
    clients.get(2).close();
    held.release();
    long start = System.nanoTime();
    last.get(20, TimeUnit.SECONDS).release();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(BOUND);
    assertThat(dying).allMatch(CompletableFuture::isCompletedExceptionally);
  }

  @Test
  void aContendedFairSectionCostsAtMostSixCommands() throws Exception {
    double with32 = commandsASection(32);
    double with256 = commandsASection(256);
    assertThat(with32).isLessThanOrEqualTo(6);
    assertThat(with256).isLessThanOrEqualTo(6);
  }

  private double commandsASection(int threads) throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    AtomicLong sections = new AtomicLong();
    CountDownLatch done = new CountDownLatch(threads);
    for (int i = 0; i < threads; i++) {
      LockClient client = clients.get(i % 2);
      Thread thread = new Thread(() -> {
        while (!stop.get()) {
          try (Lease lease = client.acquire(FAIR)) {
            assertThat(lease.isValid()).isTrue();
            sections.incrementAndGet();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        }
        done.countDown();
      });
      thread.setDaemon(true);
      thread.start();
    }
    Topologies.await(() -> sections.get() > 10L * threads);
    server.command("CONFIG", "RESETSTAT");
    long before = sections.get();
    Topologies.await(() -> sections.get() - before > 2_000);
    double cost = (double) commands(server) / (sections.get() - before);
    stop.set(true);
    assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    return cost;
  }

  @Test
  void W9_aThousandIdleWaitersCostFewCommands() throws Exception {
    LockClient holder = clients.get(0);
    for (int i = 0; i < 100; i++) {
      holder.acquire(LockRequest.of("l" + i));
    }
    List<CompletableFuture<Lease>> waits = aThousandWaits(holder);
    server.command("CONFIG", "RESETSTAT");
    TimeUnit.SECONDS.sleep(8);
    assertThat(sent(server)).isLessThan(8 * 5);
    assertThat(connections(server))
        .hasSize(3)
        .allSatisfy((client, open) ->
            assertThat(open).as("attempts, releases and renewals, mailbox").isLessThanOrEqualTo(3));
    assertThat(waits).noneMatch(CompletableFuture::isDone);
  }

  /** Waiters look again together if they have been queued together, as a busy machine may not. */
  private List<CompletableFuture<Lease>> aThousandWaits(LockClient holder) {
    for (int tries = 1; ; tries++) {
      List<CompletableFuture<Lease>> waits = new ArrayList<>();
      long start = System.nanoTime();
      for (int i = 0; i < 1_000; i++) {
        waits.add(clients.get(1).acquireAsync(LockRequest.of("l" + i % 100).fair(true)));
      }
      awaitWaitersOfEach(holder, 10);
      if (System.nanoTime() - start < TimeUnit.SECONDS.toNanos(1) || tries == 5) {
        return waits;
      }
      waits.forEach(wait -> wait.cancel(false));
      awaitWaitersOfEach(holder, 0);
    }
  }

  private static void awaitWaitersOfEach(LockClient holder, int waiters) {
    Topologies.await(() -> IntStream.range(0, 100)
        .allMatch(i -> holder.inspect("l" + i).orElseThrow().waiters() == waiters));
  }

  /**
   * The commands that clients sent, without those that their scripts ran and what this test asks.
   */
  private static long sent(RedisServer server) {
    return calls(server, name -> !IN_SCRIPTS.contains(name) && !ASKED.contains(name));
  }

  /** How many connections each client has, by the name that it gives them. */
  private static Map<String, Long> connections(RedisServer server) {
    return server
        .command("CLIENT", "LIST")
        .lines()
        .flatMap(line -> Arrays.stream(line.split(" ")))
        .filter(field -> field.startsWith("name=interlock-"))
        .collect(Collectors.groupingBy(name -> name, Collectors.counting()));
  }
}
