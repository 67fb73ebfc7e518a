package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.tck.internal.fault.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
        assertThat(idle.attempt(attempt("c", 2 * round + 1))).isInstanceOf(Grant.class);
      }
    }
  }

  @Test
  @DisplayName("a client that could not reach one of them does not mark the others alone")
  void leavesMarksToTheFirst() throws Exception {
    String host = redis.server(0).host();
    try (FaultProxy proxy = FaultProxy.before(host, redis.server(0).port());
        LockClient late = Locks.open(redis.uri("redis-setnx", 0, proxy.address(), OPTIONS))) {
      late.acquire(LockRequest.of("a")).release();
      boolean inTime = false;
      while (!inTime) {
        proxy.refuse(true);
        proxy.cut();
        empty();
        // Now the client sees two members without a mark for longer than marking all takes.
        long start = System.nanoTime();
        while (System.nanoTime() - start < 3 * Memory.SETTLING / 2) {
          assertThatThrownBy(() -> late.tryAcquire(LockRequest.of("b").withLease(LEASE)))
              .isInstanceOf(LockException.class);
          Thread.sleep(50);
        }
        inTime = isBegun(late, proxy);
      }
      late.acquire(LockRequest.of("b").withWait(LEASE)).release();
    }
  }

  @Test
  @DisplayName("a vote from before the loss is none, though the member is trusted anew")
  void knowsAForgottenVote() {
    Settings settings = Settings.of(LockConfig.parse(redis.uri("redis-hash", OPTIONS)), null);
    try (LockBackend server = backend(redis.server(0).uri("redis-hash"))) {
      Memory voter = new Memory(0, settings, false);
      String before = begin(server, settings, voter);
      assertThat(voter.isKept(new Inquiry.Alone(server), before)).isCompletedWithValue(true);
      redis.server(0).command("FLUSHALL");
      String after = begin(server, settings, voter);

      assertThat(voter.isKept(new Inquiry.Alone(server), before)).isCompletedWithValue(false);
      assertThat(voter.isKept(new Inquiry.Alone(server), after)).isCompletedWithValue(true);
      assertThat(voter.isKept(new Inquiry.Alone(server), null)).isCompletedWithValue(false);
    }
  }

  /** Another client marks the server, and the one that votes sees that. */
  private static String begin(LockBackend server, Settings settings, Memory voter) {
    do {
      server.forceRelease(Memory.MARK);
      Memory maker = new Memory(0, settings, false);
      assertThat(maker.mark(server)).isTrue();
      var unused = maker.vouch(server); // false if it took too long
    } while (voter.look(server) != Memory.State.TRUSTED);
    return Objects.requireNonNull(voter.mark());
  }

  /** Another client marks them all, and the late one comes in between. */
  private boolean isBegun(LockClient late, FaultProxy proxy) throws Exception {
    List<LockBackend> servers = new ArrayList<>();
    List<Memory> memories = new ArrayList<>();
    Settings settings = Settings.of(LockConfig.parse(redis.uri("redis-setnx", OPTIONS)), null);
    for (int place = 0; place < 3; place++) {
      servers.add(backend(redis.server(place).uri("redis-setnx")));
      memories.add(new Memory(place, settings, false));
    }
    try {
      long start = System.nanoTime();
      assertThat(memories.get(0).mark(servers.get(0))).isTrue();
      proxy.heal();
      for (int i = 0; i < 10; i++) {
        assertThatThrownBy(() -> late.tryAcquire(LockRequest.of("b").withLease(LEASE)))
            .isInstanceOf(LockException.class);
        Thread.sleep(20);
      }
      boolean marked = memories.get(1).mark(servers.get(1)) && memories.get(2).mark(servers.get(2));
      if (System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(800)) {
        return false; // so slow that the late client had to think that the first one has died
      }
      assertThat(marked).isTrue();
      boolean vouched = true;
      for (int place = 0; place < 3; place++) {
        vouched &= memories.get(place).vouch(servers.get(place));
      }
      // A maker that is slower than that must not vouch any more.
      assertThat(vouched || System.nanoTime() - start > Memory.SETTLING).isTrue();
      return vouched;
    } finally {
      servers.forEach(LockBackend::close);
    }
  }
}
