package dev.interlock.quorum.internal.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.quorum.ThreeRedis;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.tck.internal.fault.FaultProxy;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers that have all lost their state begin together, and need not wait for longestLease. */
@Timeout(120)
class EmptiedTogetherTest {
  private static final Duration LEASE = Duration.ofSeconds(20);
  private static final String OPTIONS = "&longestLease=P365D";

  private ThreeRedis redis;

  @BeforeEach
  void start() {
    redis = new ThreeRedis();
  }

  @AfterEach
  void stop() {
    redis.close();
  }

  private void empty() {
    for (int server = 0; server < 3; server++) {
      redis.server(server).command("FLUSHALL");
    }
  }

  private static LockBackend backend(String uri) {
    LockBackend opened =
        BackendContext.of(new ClientId("0123456789abcdef", "test")).open(LockConfig.parse(uri));
    opened.subscribe(BackendEvents.IGNORED);
    return opened;
  }

  private static Attempt attempt(String name, long id) {
    return Attempt.of(name, new HoldId(1, id), "one", LEASE);
  }

  @Test
  @DisplayName("a client that still knows the old marks is granted a lock by the new ones at once")
  void looksAtNewMarks() throws Exception {
    String uri = redis.uri("redis-hash", OPTIONS);
    try (LockClient first = Locks.open(uri);
        LockBackend idle = backend(uri)) {
      for (int round = 0; round < 10; round++) {
        assertThat(idle.attempt(attempt("a", 2 * round))).isInstanceOf(Grant.class);
        empty();
        first.acquire(LockRequest.of("b").withWait(LEASE)).release();
        Attempt next = attempt("c", 2 * round + 1);
        long start = System.nanoTime();
        while (!isGranted(idle, next)) {
          assertThat(System.nanoTime() - start).isLessThan(LEASE.toNanos());
        }
      }
    }
  }

  /** Not where the look at the new marks takes more than the second that it has. */
  private static boolean isGranted(LockBackend quorum, Attempt attempt) {
    try {
      return quorum.attempt(attempt) instanceof Grant;
    } catch (LockException e) {
      return false;
    }
  }

  @Test
  @DisplayName("servers that come back as empty as the others, and a moment later, begin with them")
  void waitsForTheLast() throws Exception {
    String host = redis.server(0).host();
    try (FaultProxy proxy = FaultProxy.before(host, redis.server(0).port());
        LockClient late = Locks.open(redis.uri("redis-setnx", 0, proxy.address(), OPTIONS))) {
      late.acquire(LockRequest.of("a")).release();
      proxy.refuse(true);
      proxy.cut();
      empty();
      long start = System.nanoTime();
      while (System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(1_500)) {
        assertThatThrownBy(() -> late.tryAcquire(LockRequest.of("b").withLease(LEASE)))
            .isInstanceOf(LockException.class);
        Thread.sleep(50);
      }
      proxy.heal();
      late.acquire(LockRequest.of("b").withWait(LEASE)).release();
    }
  }

  @Test
  @DisplayName("a vote from before the loss is none, though the member is trusted anew")
  void knowsAForgottenVote() {
    Membership quorum = ThreeRedis.membership(redis.uri("redis-hash", OPTIONS));
    try (LockBackend server = backend(redis.server(0).uri("redis-hash"))) {
      Memory voter = new Memory(0, quorum, false);
      String before = begin(server, quorum, voter);
      assertThat(voter.isKept(new SingleInquiry(server), before)).isCompletedWithValue(true);
      redis.server(0).command("FLUSHALL");
      String after = begin(server, quorum, voter);

      assertThat(voter.isKept(new SingleInquiry(server), before)).isCompletedWithValue(false);
      assertThat(voter.isKept(new SingleInquiry(server), after)).isCompletedWithValue(true);
      assertThat(voter.isKept(new SingleInquiry(server), null)).isCompletedWithValue(false);
    }
  }

  /** Another client marks the server, and the one that votes sees that. */
  private static String begin(LockBackend server, Membership quorum, Memory voter) {
    Memory maker = new Memory(0, quorum, false);
    assertThat(maker.mark(server)).isTrue();
    assertThat(maker.vouch(server, Objects.requireNonNull(maker.look(server).mark())))
        .isTrue();
    assertThat(voter.look(server).trusted()).isTrue();
    return Objects.requireNonNull(voter.mark());
  }
}
