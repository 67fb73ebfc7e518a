package dev.interlock.redis.hash.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.contract.Undisturbed;
import dev.interlock.redis.hash.internal.backend.TestClient;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.spi.AttemptResult.Queued;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.spi.RenewalResult.Failed;
import dev.interlock.testservers.RedisCluster;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every build checks of a cluster: the first words with it, and slots that move. */
@Timeout(60)
class ClusterSlotsTest {
  private static RedisCluster cluster;

  @BeforeAll
  static void start() {
    cluster = TestRedis.cluster(0, builder -> builder);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** Patient, so that a busy machine does not look like a dead node. */
  private static String uri() {
    return cluster.uri("redis-hash") + "&connectTimeout=PT10S&timeout=PT10S";
  }

  private static int slotOf(String name) {
    return cluster.slotOf(Topologies.key(name));
  }

  private static RedisServer otherThanMasterOf(int slot) {
    RedisServer source = cluster.masterOf(slot);
    return cluster.masters().stream().filter(node -> node != source).findFirst().orElseThrow();
  }

  @Test
  void locksOfAllMastersAreListed() {
    Topologies.locksOfAllMastersAreListed(cluster, uri());
  }

  @Test
  void F1_waitersOfTwoClientsAreServedInOrderOnEveryNode() throws Exception {
    try (LockClient one = Locks.open(uri());
        LockClient other = Locks.open(uri())) {
      for (int i = 0; i < 30; i++) {
        String name = "f1-" + i;
        Lease held = one.acquire(LockRequest.of(name));
        CompletableFuture<Lease> first = other.acquireAsync(LockRequest.of(name).fair(true));
        Topologies.awaitWaiters(one, name, 1);
        CompletableFuture<Lease> second = one.acquireAsync(LockRequest.of(name).fair(true));
        Topologies.awaitWaiters(one, name, 2);
        held.release();
        Lease next = first.get(10, TimeUnit.SECONDS);
        assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        assertThat(second).isNotDone();
        next.release();
        second.get(10, TimeUnit.SECONDS).release();
      }
    }
  }

  @Undisturbed(millis = 100)
  void E3_aClientIsOpenedAlthoughANodeIsSlowToLetItIn() throws Exception {
    int asked = cluster.slotOf("{interlock:0}"); // first
    RedisServer slow = cluster.masterOf(asked);
    RedisServer quick = otherThanMasterOf(asked);
    String uri = "redis-hash://" + quick.host() + ":" + quick.port()
        + "?topology=cluster&connectTimeout=PT20S&timeout=PT0.3S";
    slow.pause();
    CompletableFuture<Void> resumed = CompletableFuture.runAsync(
        slow::resume, CompletableFuture.delayedExecutor(1_500, TimeUnit.MILLISECONDS));
    try (LockClient client = Locks.open(uri)) {
      resumed.get(10, TimeUnit.SECONDS);
      Topologies.await(() -> client.tryAcquire(LockRequest.of("e3")).isPresent());
    } finally {
      resumed.join();
    }
  }

  @Test
  void E4_aCallThatDoesNotWaitOutlastsTheMoveOfASlot() throws Exception {
    int slot = slotOf("e4");
    try (LockClient client = Locks.open(uri())) {
      client.tryAcquire(LockRequest.of("e4")).orElseThrow().release(); // counters are there
      Lease lease = client.tryAcquire(LockRequest.of("e4-" + nameIn(slot))).orElseThrow();
      RedisServer target = otherThanMasterOf(slot);
      cluster.beginMigration(slot, target);
      CompletableFuture<Void> move = CompletableFuture.runAsync(
          () -> cluster.finishMigration(slot, target),
          CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS));

      assertThat(client.inspect("e4")).isEmpty();
      assertThat(client.inspect(lease.name())).isPresent();
      assertThat(client.tryAcquire(LockRequest.of("e4"))).isPresent();
      lease.release();

      move.get(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void E7_closingOnAnInterruptedThreadEndsEveryThread() throws Exception {
    EndedThreads threads = new EndedThreads();
    LockClient client = Locks.open(uri());
    client.acquire(LockRequest.of("e7")).release();
    Thread.currentThread().interrupt();
    client.close();
    assertThat(Thread.interrupted())
        .as("the interruption is left to the caller")
        .isTrue();
    threads.check();
  }

  /** Without the engine, which does not let the provider see the interruption. */
  @Test
  void E7_aCloseThatIsInterruptedEndsEveryThread() throws Exception {
    EndedThreads threads = new EndedThreads();
    TestClient client = TestClient.deaf(uri());
    Thread.currentThread().interrupt();
    Throwable unused = catchThrowable(client::close);
    assertThat(Thread.interrupted())
        .as("the interruption is left to the caller")
        .isTrue();
    threads.check();
  }

  /** The nodes pass messages on: a client may listen on some of them, not yet on this one. */
  @Test
  void X1_aClientThatIsPassedOverIsNotToldOnAnotherNodeEither() throws InterruptedException {
    RedisServer elsewhere = otherThanMasterOf(slotOf("x1"));
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    try (TestClient holder = TestClient.deaf(uri());
        TestClient waiter = TestClient.deaf(uri());
        RedisClient redis = RedisClient.create(RedisURI.create(elsewhere.uri("redis")));
        StatefulRedisPubSubConnection<String, String> listening = redis.connectPubSub()) {
      listening.addListener(new RedisPubSubAdapter<String, String>() {
        @Override
        public void message(String channel, String message) {
          heard.add(message);
        }
      });
      listening.sync().subscribe(waiter.mailbox);
      HoldId first = holder.id();
      holder.tryOnce("x1", first);
      waiter.queue("x1", waiter.id());

      holder.release("x1", first);

      assertThat(holder.backend.inspect("x1")).isEmpty();
      cluster.commandOn(Topologies.key("x1"), "PUBLISH", waiter.mailbox, "the first message");
      assertThat(heard.poll(10, TimeUnit.SECONDS)).isEqualTo("the first message");
    }
  }

  @Undisturbed(millis = 100)
  void L1_aSilentNodeTakesNoTimeFromOthersThatForgotTheScript() {
    String name = "l1-" + System.nanoTime(); // another one if the test is repeated
    RedisServer silent = cluster.masterOf(slotOf(name));
    String elsewhere = IntStream.range(0, 1_000)
        .mapToObj(i -> name + "-" + i)
        .filter(other -> cluster.masterOf(slotOf(other)) != silent)
        .findFirst()
        .orElseThrow();
    String uri = cluster.uri("redis-hash") + "&connectTimeout=PT10S&timeout=PT0.5S";
    try (TestClient client = TestClient.deaf(uri)) {
      Renewal first = Renewal.of(name, client.id(), TestClient.LEASE, false);
      Renewal second = Renewal.of(elsewhere, client.id(), TestClient.LEASE, false);
      List.of(first, second).forEach(renewal -> client.tryOnce(renewal.name(), renewal.id()));
      cluster.masters().forEach(node -> node.command("SCRIPT", "FLUSH"));
      silent.pause();
      List<RenewalResult> results;
      try {
        results = RenewalAnswers.collect(client.backend, List.of(first, second));
      } finally {
        silent.resume();
      }
      assertThat(results.get(0)).isInstanceOf(Failed.class);
      assertThat(results.get(1)).isInstanceOf(Grant.class);
    }
  }

  @Test
  void N8_aSilentNodeHoldsUpNoAnswerOfOthers() {
    RedisServer silent = cluster.masterOf(slotOf("n8"));
    String elsewhere = IntStream.range(0, 1_000)
        .mapToObj(i -> "n8-" + i)
        .filter(name -> cluster.masterOf(slotOf(name)) != silent)
        .findFirst()
        .orElseThrow();
    String uri = cluster.uri("redis-hash") + "&connectTimeout=PT10S&timeout=PT3S";
    try (TestClient client = TestClient.deaf(uri)) {
      Renewal first = Renewal.of("n8", client.id(), TestClient.LEASE, false);
      Renewal second = Renewal.of(elsewhere, client.id(), TestClient.LEASE, false);
      List.of(first, second).forEach(renewal -> client.tryOnce(renewal.name(), renewal.id()));
      List<String> answered = new CopyOnWriteArrayList<>();
      silent.pause();
      try {
        client.backend.renew(
            List.of(first, second), (renewal, result) -> answered.add(renewal.name()));
      } finally {
        silent.resume();
      }
      assertThat(answered).containsExactly(elsewhere, "n8");
    }
  }

  /** Over it goes what concerns no key, which is nothing once a client is open. */
  @Test
  void N8_aConnectionToAnyNodeThatIsMadeAgainHoldsUpNothing() throws Exception {
    RedisServer silent = cluster.masterOf(slotOf("n8"));
    List<RedisServer> others =
        cluster.masters().stream().filter(node -> node != silent).toList();
    List<String> names = others.stream()
        .map(node -> IntStream.range(0, 1_000)
            .mapToObj(i -> "n8-" + i)
            .filter(name -> cluster.masterOf(slotOf(name)) == node)
            .findFirst()
            .orElseThrow())
        .toList();
    try (TestClient client = TestClient.deaf(uri())) {
      names.forEach(name -> client.tryOnce(name, client.id()));
      silent.command("CLIENT", "KILL", "TYPE", "normal"); // it is not to be found there
      TimeUnit.MILLISECONDS.sleep(200);
      silent.pause();
      try {
        for (int cut = 0; cut < 4; cut++) { // until it is about to be made to the silent one
          others.forEach(node -> node.command("CLIENT", "KILL", "TYPE", "normal"));
          TimeUnit.MILLISECONDS.sleep(200);
          for (String name : names) {
            long start = System.nanoTime();
            assertThat(client.tryOnce(name, client.id())).isNotNull();
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isLessThan(Duration.ofSeconds(5));
          }
        }
      } finally {
        silent.resume();
      }
    }
  }

  @Test
  void E4_aNodeRefersToAnotherOneForAMomentOnly() {
    int slot = slotOf("referred");
    RedisServer source = cluster.masterOf(slot);
    try (TestClient client = TestClient.deaf(uri())) {
      client.tryOnce("referred", client.id());
      RedisServer target = otherThanMasterOf(slot);
      cluster.beginMigration(slot, target);
      cluster.finishMigration(slot, target);
      long start = System.nanoTime();
      Topologies.await(() -> {
        String before = source.command("INFO", "errorstats");
        client.tryOnce("referred", client.id());
        return source.command("INFO", "errorstats").equals(before);
      });
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
    }
  }

  private static String nameIn(int slot) {
    int i = 0;
    while (slotOf("e4-" + i) != slot) {
      i++;
    }
    return Integer.toString(i);
  }

  @Test
  void F4_aScriptThatEmptiesAKeyOnANodeThatGivesItsSlotAwayRunsToItsEnd() throws Exception {
    int slot = slotOf("f4");
    try (TestClient client = TestClient.deaf(uri());
        TestClient deaf = TestClient.deaf(uri());
        TestClient deafToo = TestClient.deaf(uri())) {
      HoldId first = client.id();
      HoldId passedOver = deaf.id();
      HoldId next = deafToo.id();
      client.tryOnce("f4", first);
      deaf.queue("f4", passedOver);
      client.release("f4", first);
      Duration lease = Duration.ofSeconds(3);
      assertThat(client.tryOnce("f4", client.id(), lease)).isInstanceOf(Grant.class);
      assertThat(deafToo.queue("f4", next)).isInstanceOf(Queued.class);
      RedisServer target = otherThanMasterOf(slot);
      cluster.beginMigration(slot, target);
      Topologies.await(() -> client.backend.inspect("f4").isEmpty());

      // It removes the only one of those who were passed over, and passes over the next.
      deaf.backend.abandon("f4", passedOver);

      assertThat(deafToo.refresh("f4", next)).isInstanceOf(Grant.class);
      cluster.finishMigration(slot, target);
      assertThat(deafToo.release("f4", next).held()).isTrue();
      assertThat(cluster.commandOn(Topologies.key("f4"), "EXISTS", Topologies.key("f4")))
          .isEqualTo("0");
    }
  }
}
