package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.LostReason;
import dev.interlock.contract.Lateness;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.fault.Injection;
import dev.interlock.tck.internal.fault.MessageFault;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Members that answer, but not as they should, and a holder that is cut off from most of them. */
@Timeout(90)
class FailingMembersTest {
  private static final LockRequest SOON = LockRequest.of("a").withWait(Duration.ofSeconds(30));

  private ThreeRedis redis;

  @BeforeEach
  void start() {
    redis = new ThreeRedis();
  }

  @AfterEach
  void stop() {
    redis.close();
  }

  private LockClient open(String provider) {
    return Locks.open(redis.uri(provider, ""));
  }

  private void readOnly(int member, boolean on) {
    String[] command =
        on ? new String[] {"127.0.0.1", "1"} : new String[] {"NO", "ONE"}; // nobody is there
    redis.server(member).command("REPLICAOF", command[0], command[1]);
  }

  @ParameterizedTest(name = "member {0}, {1}")
  @CsvSource({"0, redis-setnx", "2, redis-setnx", "0, redis-hash", "2, redis-hash"})
  @DisplayName("a member that is read-only costs no lock, is named, and votes again later")
  void readOnly(int member, String provider) throws Exception {
    try (LockClient one = open(provider);
        LockClient other = open(provider)) {
      Lease before = one.acquire(SOON);
      for (int voter = 0; voter < 3; voter++) { // the grant waited for no more than enough votes
        while (redis.server(voter).command("KEYS", "*:lock:a").isEmpty()) {
          TimeUnit.MILLISECONDS.sleep(5);
        }
      }
      readOnly(member, true);
      assertThat(other.tryAcquire(LockRequest.of("a"))).isEmpty();
      assertThat(before.extend(Duration.ofSeconds(40))).isTrue();
      before.release();
      try (Lease after = other.acquire(SOON)) {
        assertThat(after.fencingToken()).isGreaterThan(before.fencingToken());
        assertThat(one.tryAcquire(LockRequest.of("a"))).isEmpty();
      }

      int next = (member + 1) % 3;
      readOnly(next, true);
      LockRequest inVain = LockRequest.of("b").withWait(Duration.ofSeconds(2));
      assertThatThrownBy(() -> one.acquire(inVain))
          .isInstanceOf(LockException.class)
          .hasMessageContaining("member " + (member + 1))
          .hasMessageContaining("member " + (next + 1))
          .hasMessageContaining("READONLY");

      readOnly(member, false);
      readOnly(next, false);
      redis.server((member + 2) % 3).kill(); // now both are needed
      one.acquire(SOON).release();
      other.acquire(SOON).release();
    }
  }

  @ParameterizedTest(name = "member {0}, {1}")
  @CsvSource({"0, redis-setnx", "2, redis-setnx", "0, redis-hash", "2, redis-hash"})
  @DisplayName("a member whose answers all come late costs no lock, and keeps none")
  void slow(int member, String provider) throws Exception {
    RedisServer server = redis.server(member);
    try (FaultProxy proxy = FaultProxy.before(server.host(), server.port());
        LockClient one = Locks.open(redis.uri(provider, member, proxy.address()));
        LockClient other = open(provider)) {
      proxy.inject(
          Injection.of(MessageFault.REPLY_LATE, "", 1, Integer.MAX_VALUE, Duration.ofMillis(300)));
      long token = 0;
      for (int round = 0; round < 6; round++) {
        LockClient holder = round % 2 == 0 ? one : other;
        Lease lease = holder.acquire(SOON);
        assertThat((holder == one ? other : one).tryAcquire(LockRequest.of("a")))
            .isEmpty();
        assertThat(lease.fencingToken()).isGreaterThan(token);
        token = lease.fencingToken();
        lease.release();
      }
      proxy.heal();
      for (int any = 0; any < 3; any++) {
        awaitFree(redis.server(any).uri(provider));
      }
    }
  }

  private static void awaitFree(String uri) throws InterruptedException {
    try (LockClient member = Locks.open(uri)) {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (member.inspect("a").isPresent()) {
        assertThat(System.nanoTime() - end).as(uri).isNegative();
        TimeUnit.MILLISECONDS.sleep(5);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis-setnx", "redis-hash"})
  @DisplayName("a renewal that a majority does not answer is unknown, and tells who is silent")
  void silentMajority(String provider) throws Exception {
    try (FaultProxy one =
            FaultProxy.before(redis.server(0).host(), redis.server(0).port());
        FaultProxy two =
            FaultProxy.before(redis.server(2).host(), redis.server(2).port());
        LockClient client = Locks.open(through(provider, one, two))) {
      Lease held = client.acquire(LockRequest.of("a").withLease(Duration.ofMinutes(1)));
      one.holdReplies(true);
      two.holdReplies(true);

      assertThatThrownBy(() -> held.extend(Duration.ofMinutes(1)))
          .isInstanceOf(LockException.class)
          .hasMessageContaining("member 1")
          .hasMessageContaining("member 3");

      one.heal();
      two.heal();
    }
  }

  /** To one who reaches the first and the last member through proxies. */
  private String through(String provider, FaultProxy first, FaultProxy last) {
    return ThreeRedis.quorum(
        List.of(
            provider + "://" + first.address() + "?timeout=PT1S",
            redis.server(1).uri(provider) + "?timeout=PT1S",
            provider + "://" + last.address() + "?timeout=PT1S"),
        "");
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis-setnx", "redis-hash"})
  @DisplayName("a holder that is cut off from a majority hears of it before another gets the lock")
  void cutOffFromMost(String provider) throws Exception {
    boolean told = false;
    for (int i = 0; i < 3 && !told; i++) {
      told = isToldWhenCutOff(provider);
    }
    assertThat(told).isTrue();
  }

  /** A holder is told 0.2 s before its lease ends: only a machine that stood still excuses a no. */
  private boolean isToldWhenCutOff(String provider) throws Exception {
    RedisServer first = redis.server(0);
    RedisServer last = redis.server(2);
    try (FaultProxy one = FaultProxy.before(first.host(), first.port());
        FaultProxy two = FaultProxy.before(last.host(), last.port());
        LockClient cutOff = Locks.open(through(provider, one, two));
        LockClient other = open(provider);
        Lateness lateness = new Lateness()) {
      Lease held =
          cutOff.acquire(LockRequest.of("a").withLease(Duration.ofSeconds(4)).renewing());
      CompletableFuture<LostReason> lost = held.lost().toCompletableFuture();
      for (FaultProxy proxy : List.of(one, two)) {
        proxy.refuse(true);
        proxy.cut();
      }

      Lease next = other.acquire(SOON);

      boolean told = lost.isDone();
      assertThat(told || lateness.nanos() >= TimeUnit.MILLISECONDS.toNanos(150))
          .as("told before another has it")
          .isTrue();
      assertThat(held.isValid()).isFalse();
      assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
      LockRequest inVain = LockRequest.of("b").withWait(Duration.ofSeconds(1));
      assertThatThrownBy(() -> cutOff.acquire(inVain)).isInstanceOf(LockException.class);

      one.heal();
      two.heal();
      next.release();
      cutOff.acquire(SOON).release();
      awaitFree(redis.server(1).uri(provider));
      return told;
    }
  }
}
