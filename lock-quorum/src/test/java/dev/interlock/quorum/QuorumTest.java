package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A lock over three servers, some of which fail. */
@Timeout(60)
class QuorumTest {
  private ThreeRedis redis;

  @BeforeEach
  void start() {
    redis = new ThreeRedis();
  }

  @AfterEach
  void stop() {
    redis.close();
  }

  private LockClient open() {
    return Locks.open(redis.uri("redis-setnx", "&longestLease=PT1M"));
  }

  @Test
  @DisplayName("a lock is held against other clients, and tokens grow")
  void locks() throws Exception {
    try (LockClient one = open();
        LockClient other = open()) {
      Lease first = one.acquire(LockRequest.of("a"));
      assertThat(other.tryAcquire(LockRequest.of("a"))).isEmpty();
      assertThat(other.inspect("a").orElseThrow().fencingToken()).isEqualTo(first.fencingToken());
      first.release();
      assertThat(other.inspect("a")).isEmpty();
      try (Lease second = other.acquire(LockRequest.of("a"))) {
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  @DisplayName("any one server may be dead")
  void survivesDeath(int dead) throws Exception {
    try (LockClient one = open();
        LockClient other = open()) {
      Lease before = one.acquire(LockRequest.of("a"));
      awaitVotes();
      redis.server(dead).kill();
      assertThat(other.tryAcquire(LockRequest.of("a"))).isEmpty();
      before.release();
      try (Lease after = other.acquire(LockRequest.of("a"))) {
        assertThat(after.fencingToken()).isGreaterThan(before.fencingToken());
        assertThat(one.tryAcquire(LockRequest.of("a"))).isEmpty();
      }
    }
  }

  @Test
  @DisplayName("without a majority there is no lock, and the error names each member that failed")
  void needsMajority() {
    try (LockClient client = open()) {
      redis.server(0).kill();
      redis.server(2).kill();
      LockRequest request = LockRequest.of("a").withWait(Duration.ofSeconds(3));
      assertThatThrownBy(() -> client.acquire(request))
          .isInstanceOf(LockException.class)
          .hasMessageContaining("member 1")
          .hasMessageContaining("member 3");
    }
    assertThatThrownBy(this::open)
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("member 1")
        .hasMessageContaining("member 3");
  }

  @Test
  @DisplayName("a server that was emptied does not give away what it has forgotten")
  void doesNotForget() throws Exception {
    try (LockClient one = open();
        LockClient other = open()) {
      redis.server(2).pause();
      Lease held = one.acquire(LockRequest.of("a")); // by the first two
      Thread.sleep(1_500); // what the third was asked is too late by now
      redis.server(2).resume();
      awaitVotes(other);
      redis.server(0).command("FLUSHALL");
      assertThat(isGranted(other, "a")).isFalse();
      for (int i = 0; i < 15; i++) { // nor once it has been given a new mark
        Thread.sleep(200);
        assertThat(isGranted(other, "a")).isFalse();
      }
      assertThat(held.isValid()).isTrue();
      releaseWhatIsLeft(held);
      // The others are enough for what comes after, and with one of them alone there is no
      // majority.
      other.acquire(LockRequest.of("a")).release();
      redis.server(1).kill();
      assertThatThrownBy(() -> acquired(other, "a"))
          .isInstanceOf(LockException.class)
          .hasMessageContaining("member 1 is new or has lost its state")
          .hasMessageContaining("member 2: ");
    }
  }

  @Test
  @DisplayName("a server that was emptied costs no request its lock")
  void doesWithoutForgetter() throws Exception {
    try (LockClient client = open()) {
      client.acquire(LockRequest.of("a")).release();
      redis.server(0).command("FLUSHALL");
      for (int i = 0; i < 200; i++) {
        client.tryAcquire(LockRequest.of("a")).orElseThrow().release();
      }
    }
  }

  @Test
  @DisplayName("what a server missed of a release is made good once it answers again")
  void releasesLater() throws Exception {
    try (LockClient one = open();
        LockClient other = open()) {
      Lease held = one.acquire(LockRequest.of("a"));
      redis.server(0).pause();
      held.release();
      Thread.sleep(1_500); // what it was sent is given up by now
      redis.server(0).resume();
      awaitVotes(one);
      LockRequest soon = LockRequest.of("a").withWait(Duration.ofSeconds(10));
      other.acquire(soon).release();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  @DisplayName("what a server granted without being heard is given back once it is heard again")
  void releasesUnheard(int unheard) throws Exception {
    RedisServer server = redis.server(unheard);
    try (FaultProxy proxy = FaultProxy.before(server.host(), server.port());
        LockClient one = Locks.open(redis.uri("redis-setnx", unheard, proxy.address()));
        LockClient other = open()) {
      proxy.holdReplies(true);
      Lease held = one.acquire(LockRequest.of("a").withLease(Duration.ofMinutes(1)));
      while (server.command("KEYS", "*:lock:a").isEmpty()) {
        Thread.sleep(10);
      }
      held.release();
      proxy.heal();
      one.tryAcquire(LockRequest.of("other")).ifPresent(Lease::release);
      redis.server(1).kill(); // now it is needed
      other.acquire(LockRequest.of("a").withWait(Duration.ofSeconds(20))).release();
    }
  }

  @Test
  @DisplayName("a server that came back has the held locks again when another one dies")
  void repairs() throws Exception {
    LockRequest request = LockRequest.of("a").withLease(Duration.ofSeconds(6)).renewing();
    try (LockClient client = open()) {
      Lease held = client.acquire(request);
      for (int server = 2; server > 0; server--) {
        redis.server(server).kill();
        redis.server(server).start();
        awaitKey(server);
      }
      assertThat(held.isValid()).isTrue();
      assertThat(client.inspect("a")).isPresent();
      assertThat(client.forceRelease("a")).isTrue();
      assertThat(client.inspect("a")).isEmpty();
    }
  }

  @Test
  @DisplayName("what too few servers have renewed is given back, and keeps nobody waiting")
  void givesBackWhatIsGone() throws Exception {
    LockRequest request = LockRequest.of("a").withLease(Duration.ofSeconds(50));
    try (LockClient client = open()) {
      Lease held = client.acquire(request);
      awaitVotes();
      for (int server = 0; server < 2; server++) {
        String key = redis.server(server).command("KEYS", "*:lock:a");
        redis.server(server).command("DEL", key);
      }
      assertThat(held.extend(Duration.ofSeconds(50))).isFalse();
      long start = System.nanoTime();
      while (!redis.server(2).command("KEYS", "*:lock:a").isEmpty()) {
        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(20));
        Thread.sleep(20);
      }
    }
  }

  /** A grant waits for no more than enough votes. */
  private void awaitVotes() throws InterruptedException {
    for (int server = 0; server < 3; server++) {
      awaitKey(server);
    }
  }

  private void awaitKey(int server) throws InterruptedException {
    while (redis.server(server).command("KEYS", "*:lock:a").isEmpty()) {
      Thread.sleep(50);
    }
  }

  /** One server of three has it: too few for an answer without doubt. */
  private static void releaseWhatIsLeft(Lease lease) {
    try {
      lease.release();
    } catch (LockException e) {
      assertThat(e).hasMessageContaining("'a'");
    }
  }

  private static Lease acquired(LockClient client, String name) throws InterruptedException {
    return client.acquire(LockRequest.of(name).withWait(Duration.ofSeconds(3)));
  }

  private static boolean isGranted(LockClient client, String name) {
    try {
      return client.tryAcquire(LockRequest.of(name)).isPresent();
    } catch (LockException e) {
      return false;
    }
  }

  @Test
  @DisplayName("tokens grow also when a server leaves whose clock is far ahead")
  void tokensGrow() throws Exception {
    try (LockClient client = open()) {
      String ahead = redis.server(0).uri("redis-setnx");
      assertThat(Tokens.advance(ahead, "a", Duration.ofHours(1))).isTrue();
      Lease before = client.acquire(LockRequest.of("a"));
      before.release();
      redis.server(0).kill();
      Lease after = client.acquire(LockRequest.of("a"));
      after.release();
      assertThat(after.fencingToken()).isGreaterThan(before.fencingToken());
    }
  }

  /** Until the server that was paused is asked again. */
  private void awaitVotes(LockClient client) throws InterruptedException {
    for (int i = 0; redis.server(2).command("DBSIZE").equals("0") || i < 3; i++) {
      client.tryAcquire(LockRequest.of("other")).ifPresent(Lease::release);
      Thread.sleep(500);
    }
  }

  @Test
  @DisplayName("faults of all members are in one message, without their secrets")
  void tellsFaults() {
    String uri = ThreeRedis.quorum(
        List.of(
            "redis-setnx://:s3cret@localhost:1?timeuot=PT1S",
            "local://",
            "nosuch://x",
            "redis-setnx://:s3cret@localhost:1?timeout=soon"),
        "&need=most");
    assertThatThrownBy(() -> Locks.open(uri))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("need=most")
        .hasMessageNotContaining("s3cret");
    String members = uri.substring(0, uri.lastIndexOf('&'));
    assertThatThrownBy(() -> Locks.open(members))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("member 1: ")
        .hasMessageContaining("did you mean 'timeout'?")
        .hasMessageContaining("member 3: No lock provider 'nosuch'")
        .hasMessageContaining("member 4: ")
        .hasMessageNotContaining("s3cret");
    assertThat(LockConfig.parse(ThreeRedis.quorum(List.of("local://", "local://?namespace=b"), ""))
            .toString())
        .contains("member=REDACTED");
    assertThatThrownBy(() -> Locks.open(ThreeRedis.quorum(List.of("local://", "local://"), "")))
        .hasMessageContaining("members 1 and 2 are the same");
    assertThatThrownBy(() -> Locks.open("quorum://?member=local%3A%2F%2F"))
        .hasMessageContaining("2 to 9 members");
    assertThatThrownBy(() -> Locks.open("quorum://")).hasMessageContaining("member is missing");
    assertThatThrownBy(() -> QuorumLocks.of(List.of()))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("there are 0 members: there must be 2 to 9");
  }

  @Test
  @DisplayName("clients that name the members in another order are refused")
  void refusesOtherOrder() {
    try (LockClient client = open()) {
      List<String> swapped = List.of(
          redis.server(1).uri("redis-setnx"),
          redis.server(0).uri("redis-setnx"),
          redis.server(2).uri("redis-setnx"));
      assertThat(client.tryAcquire(LockRequest.of("a"))).isPresent();
      assertThatThrownBy(() -> Locks.open(ThreeRedis.quorum(swapped, "")))
          .isInstanceOf(LockConfigurationException.class)
          .hasMessageContaining("is known to other clients as member ");
    }
  }

  @Test
  @DisplayName("a quorum of another provider in the same namespace is refused, and told why")
  void refusesOtherProvider() {
    try (LockClient client = open()) {
      assertThatThrownBy(() -> Locks.open(redis.uri("redis-hash", "")))
          .isInstanceOf(LockConfigurationException.class)
          .hasMessageContaining("give one of them another namespace");
    }
    Locks.open(redis.uri("redis-hash", "&namespace=other")).close();
  }

  @Test
  @DisplayName("a lease that is longer than members are sure to remember is refused")
  void refusesLongLease() {
    try (LockClient client = open()) {
      assertThatThrownBy(() -> client.acquire(LockRequest.of("a").withLease(Duration.ofMinutes(2))))
          .isInstanceOf(LockException.class)
          .hasMessageContaining("longestLease");
    }
  }

  @Test
  @DisplayName("members may be configured by a program")
  void takesConfigurations() throws Exception {
    List<LockConfig> members = List.of(
        LockConfig.parse(redis.server(0).uri("redis-setnx")),
        LockConfig.parse(redis.server(1).uri("redis-hash")),
        LockConfig.parse("local://?namespace=third-" + System.nanoTime()));
    try (LockClient client = QuorumLocks.of(members);
        Lease lease = client.acquire(LockRequest.of("a"))) {
      assertThat(lease.fencingToken()).isPositive();
    }
  }
}
