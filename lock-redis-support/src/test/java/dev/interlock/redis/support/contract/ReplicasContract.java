package dev.interlock.redis.support.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.contract.Undisturbed;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.LockBackend;
import dev.interlock.testservers.RedisSentinels;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Grants that count only once a replica has them, with a replica that is stopped at times. */
@Timeout(60)
public abstract class ReplicasContract {
  /** For a replica that is up: a busy machine may take long to bring it what was written. */
  private static final String ONE_REPLICA = "?replicas=1&replicaTimeout=PT20S";

  /** For one that is stopped, of which nothing is to be expected. */
  private static final String STOPPED_REPLICA = "?replicas=1&replicaTimeout=PT0.3S";

  protected static RedisServer master;
  protected static RedisServer replica;

  /** The provider's id. */
  protected abstract String provider();

  /** The rule that takes away a right which this provider does without. */
  protected abstract String notNeeded();

  /** The option that lets the provider have as few connections as it can do with. */
  protected abstract String fewConnections();

  @BeforeAll
  static void start() {
    master = TestRedis.builder().owned().config("repl-diskless-sync-delay", "0").start();
    replica = TestRedis.builder()
        .owned()
        .config("replicaof", master.host(), Integer.toString(master.port()))
        .start();
  }

  @AfterAll
  static void stop() {
    replica.close();
    master.close();
  }

  @BeforeEach
  void resume() {
    replica.start();
    RedisSentinels.awaitReplicas(master, 1);
  }

  private LockClient open() {
    return Locks.open(master.uri(provider()));
  }

  protected LockClient openReplicated() {
    return Locks.open(master.uri(provider()) + ONE_REPLICA);
  }

  private LockClient openForStopped() {
    return Locks.open(master.uri(provider()) + STOPPED_REPLICA);
  }

  private String uriOf(String user) {
    return provider() + "://" + user + ":pw@" + master.host() + ":" + master.port();
  }

  @Test
  void aGrantIsWithTheReplicaWhenItIsAnswered() {
    try (LockClient client = openReplicated()) {
      for (int i = 0; i < 50; i++) {
        Lease lease = client.tryAcquire(LockRequest.of("g-" + i)).orElseThrow();
        assertThat(replica.command("EXISTS", Topologies.key("g-" + i))).isEqualTo("1");
        lease.release();
      }
    }
  }

  @Test
  void whatIsHeldIsListedAsWithoutReplicas() {
    BackendContext operator = BackendContext.of(new ClientId("0123456789abcdef", "operator"));
    try (LockClient client = openReplicated();
        LockBackend backend = operator.open(master.uri(provider()) + ONE_REPLICA)) {
      Lease lease = client.tryAcquire(LockRequest.of("listed")).orElseThrow();
      HoldQuery all = HoldQuery.of(100_000).withPrefix("listed");
      assertThat(backend.list(all).orElseThrow().holds())
          .extracting(HoldInfo::fencingToken)
          .containsExactly(lease.fencingToken());
      lease.release();
    }
  }

  @Test
  void M3_onlyTheCountersOfTheBucketsAreLeft() {
    try (LockClient client =
        Locks.open(master.uri(provider()) + ONE_REPLICA + "&namespace=clean")) {
      for (int i = 0; i < 50; i++) {
        client.tryAcquire(LockRequest.of("c-" + i)).orElseThrow().release();
      }
    }
    Topologies.await(
        () -> master.command("KEYS", "*clean*").lines().allMatch(key -> key.contains(":token")));
    assertThat(master.command("KEYS", "*clean*")).isNotEmpty();
  }

  @Test
  void aGrantThatTheReplicaDoesNotConfirmIsGivenBack() {
    try (LockClient client = openForStopped();
        LockClient observer = open()) {
      acquireSoon(client, "n").release();
      replica.pause();

      assertGivenBack(client, observer, "n");

      replica.resume();
      acquireSoon(client, "n").release();
    }
  }

  @Test
  void aGrantWithoutTheReplicaIsGivenBackUntilItHasComeBack() {
    replica.kill();
    try (LockClient client = openForStopped();
        LockClient observer = open()) {
      assertGivenBack(client, observer, "d");

      replica.start();
      acquireSoon(client, "d").release();
    }
  }

  @Test
  void aWaitGoesOnUntilTheReplicaIsBack() throws Exception {
    try (LockClient client = openForStopped();
        LockClient observer = open()) {
      for (boolean fair : fairness(client)) {
        replica.pause();
        CompletableFuture<Lease> waiting =
            client.acquireAsync(LockRequest.of("w").fair(fair));
        Set<Long> granted = new HashSet<>();
        Topologies.await(() -> {
          observer.inspect("w").map(HoldInfo::fencingToken).ifPresent(granted::add);
          return granted.size() == 3;
        });

        assertThat(waiting).isNotDone();
        replica.resume();

        waiting.get(10, TimeUnit.SECONDS).release();
      }
    }
  }

  @Test
  void aHandOffFromAnotherClientNeedsTheReplicaAsWell() throws Exception {
    try (LockClient holder = open();
        LockClient waiter = openForStopped()) {
      for (boolean fair : fairness(holder)) {
        Lease held = holder.acquire(LockRequest.of("h"));
        CompletableFuture<Lease> next = waiter.acquireAsync(LockRequest.of("h").fair(fair));
        Topologies.awaitWaiters(holder, "h", 1);
        replica.pause();
        held.release();

        awaitGrantAfter(held, holder);
        acquireSoon(holder, "h").release(); // once the other one has given it back
        assertThat(next).isNotDone();

        replica.resume();
        next.get(10, TimeUnit.SECONDS).release();
      }
    }
  }

  @Test
  void aHandOffWithinOneClientNeedsTheReplicaAsWell() throws Exception {
    try (LockClient client = openForStopped();
        LockClient observer = open()) {
      for (boolean fair : fairness(client)) {
        LockRequest request =
            LockRequest.of("i").withLease(Duration.ofSeconds(20)).fair(fair); // not passed on
        Lease held = client.acquire(request);
        CompletableFuture<Lease> next = client.acquireAsync(request);
        if (fair) {
          Topologies.awaitWaiters(observer, "i", 1);
        }
        replica.pause();
        held.release();

        awaitGrantAfter(held, observer);
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

  @Undisturbed(millis = 300)
  void manyThreadsShareTheirWaits() {
    try (LockClient client = openForStopped()) {
      List<Lease> leases = IntStream.range(0, 40)
          .parallel()
          .mapToObj(i -> acquireSoon(client, "m-" + i))
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
  void W7_aReleaseNeverWaitsForReplicas() throws Exception {
    try (LockClient client = Locks.open(master.uri(provider()) + ONE_REPLICA + fewConnections());
        LockClient observer = open()) {
      Lease held = client.acquire(LockRequest.of("r"));
      replica.pause();
      CompletableFuture<Lease> stuck = client.acquireAsync(LockRequest.of("s"));
      Topologies.await(() -> master.command("INFO", "clients").contains("blocked_clients:1"));

      held.release();

      assertThat(observer.inspect("r")).isEmpty();
      assertThat(stuck).isNotDone();
      replica.resume();
      stuck.get(10, TimeUnit.SECONDS).release();
    }
  }

  @Test
  void withoutTheOptionNobodyAsksForReplicas() {
    master.command("ACL", "SETUSER", "plain", "on", ">pw", "~*", "&*", "+@all", "-wait");
    master.command("CONFIG", "RESETSTAT");
    try (LockClient client = Locks.open(uriOf("plain"))) {
      client.tryAcquire(LockRequest.of("p")).orElseThrow().release();
    }
    // Calls that are refused are counted as well.
    assertThat(master.command("INFO", "commandstats"))
        .contains("cmdstat_publish")
        .doesNotContain("cmdstat_wait:");
  }

  @Test
  void aUserWithTheRightsThatAreNeededCanWaitForReplicas() {
    String channels = "&interlock:mailbox:*";
    master.command(
        "ACL",
        "SETUSER",
        "fit",
        "on",
        ">pw",
        "~{interlock:*",
        "resetchannels",
        channels,
        "+@all",
        "-@dangerous",
        "-@admin",
        notNeeded());
    try (LockClient client = Locks.open(uriOf("fit") + ONE_REPLICA)) {
      client.tryAcquire(LockRequest.of("fit")).orElseThrow().release();
    }
  }

  @Test
  void E8_aUserWhoMayNotWaitIsToldAtOpen() {
    master.command("ACL", "SETUSER", "never", "on", ">pw", "~*", "&*", "+@all", "-wait");
    assertThatThrownBy(() -> Locks.open(uriOf("never") + ONE_REPLICA))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("refused to wait for replicas: NOPERM")
        .hasMessageContaining("ACL");
  }

  @Test
  void E3_aUserWhoMayNotWaitAnyMoreIsToldAtTheCallAndTheLockIsFree() {
    master.command("ACL", "SETUSER", "later", "on", ">pw", "~*", "&*", "+@all");
    try (LockClient client = Locks.open(uriOf("later") + ONE_REPLICA);
        LockClient observer = open()) {
      client.tryAcquire(LockRequest.of("l")).orElseThrow().release();
      master.command("ACL", "SETUSER", "later", "-wait");

      assertThatThrownBy(() -> client.tryAcquire(LockRequest.of("l")))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("refused to wait for replicas: NOPERM")
          .hasMessageContaining("ACL")
          .hasMessageContaining("it was given back");

      assertThat(observer.inspect("l")).isEmpty();
    }
  }

  @Test
  void E8_settingsThatDoNotGoTogetherOrAreBeyondTheirLimitsAreNamed() {
    assertRefused("?replicaTimeout=PT1S", "replicaTimeout is given without replicas");
    assertRefused("?replicas=1&replicaTimeout=PT5S&lease=PT2S", "not shorter than the lease");
    assertRefused("?replicas=-1", "replicas");
    assertRefused("?replicas=1&replicaTimeout=PT0.0001S", "replicaTimeout");
    assertRefused("?replicas=1&replicaTimeout=PT2M&lease=PT5M", "replicaTimeout");
  }

  private void assertRefused(String options, String text) {
    assertThatThrownBy(() -> Locks.open(master.uri(provider()) + options))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining(text);
  }

  private static void assertGivenBack(LockClient client, LockClient observer, String name) {
    assertThatThrownBy(() -> client.tryAcquire(LockRequest.of(name)))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("lock '" + name + "' was granted, but 1 replicas must have that")
        .hasMessageContaining("only 0 had it in time; it was given back");
    assertThat(observer.inspect(name)).isEmpty();
  }

  private static List<Boolean> fairness(LockClient client) {
    return client.capabilities().contains(Capability.FAIR) ? List.of(true, false) : List.of(false);
  }

  /** Waits until the server has granted the lock to somebody else. */
  private static void awaitGrantAfter(Lease held, LockClient observer) {
    Topologies.await(() -> observer
        .inspect(held.name())
        .filter(hold -> hold.fencingToken() > held.fencingToken())
        .isPresent());
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
