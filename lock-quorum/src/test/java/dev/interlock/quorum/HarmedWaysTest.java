package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.Locks;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A thread that reads the members' answers itself, and threads that share what they ask, while the
 * ways to all of these are cut, torn, delayed and half open in the middle of what is shared.
 * {@code -Dinterlock.test.quorum.seconds=600} makes it long.
 */
@Timeout(900)
class HarmedWaysTest {
  private static final int LOCKS = 16;
  private static final int HARM_ONE_IN = 60;

  /** Longer than the test: nothing ends by itself. */
  private static final Duration LEASE = Duration.ofMinutes(20);

  private final long seconds = Long.getLong("interlock.test.quorum.seconds", 3);
  private final long seed =
      Long.getLong("interlock.test.seed", ThreadLocalRandom.current().nextLong());
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private final List<FaultProxy> proxies = new ArrayList<>();
  private final List<Section> sections =
      IntStream.range(0, LOCKS).mapToObj(i -> new Section("lock-" + i)).toList();
  private ThreeRedis redis;

  @BeforeEach
  void start() throws Exception {
    redis = new ThreeRedis();
    for (int i = 0; i < 3; i++) {
      RedisServer server = redis.server(i);
      proxies.add(FaultProxy.before(server.host(), server.port()));
    }
  }

  @AfterEach
  void stop() throws Exception {
    for (FaultProxy proxy : proxies) {
      proxy.close();
    }
    redis.close();
  }

  /** What one lock guards. */
  private final class Section {
    private final String name;
    private final AtomicInteger inside = new AtomicInteger();
    private volatile long token;

    Section(String name) {
      this.name = name;
    }

    void enter(LockClient client) throws InterruptedException {
      Lease lease;
      try {
        lease =
            client.acquire(LockRequest.of(name).withLease(LEASE).withWait(Duration.ofMillis(500)));
      } catch (LockTimeoutException | BackendUnavailableException | OutcomeUnknownException e) {
        return; // what it may have on the members is given back
      }
      if (inside.incrementAndGet() != 1) {
        wrong.add(name + " is held twice");
      }
      if (lease.fencingToken() <= token) {
        wrong.add(name + " has token " + lease.fencingToken() + " after " + token);
      }
      token = lease.fencingToken();
      inside.decrementAndGet();
      try {
        lease.release();
      } catch (OutcomeUnknownException e) {
        // It is given back behind that.
      }
    }
  }

  /** Its time limit is short, for a machine that does much else. */
  private static LockClient open(String uri) {
    for (int tries = 1; ; tries++) {
      try {
        return Locks.open(uri);
      } catch (BackendUnavailableException e) {
        if (tries == 20) {
          throw e;
        }
      }
    }
  }

  @ParameterizedTest(name = "{0} threads, {1}")
  @DisplayName(
      "M1, E6: no lock is held twice, and all are free at the end, though batches break off")
  @CsvSource({"1, redis-setnx", "16, redis-setnx", "16, redis-hash"})
  void survives(int many, String provider) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    String uri = ThreeRedis.quorum(
        proxies.stream()
            .map(proxy -> provider + "://" + proxy.address() + "?timeout=PT0.3S")
            .toList(),
        "&longestLease=" + LEASE);
    try (LockClient client = open(uri)) {
      proxies.forEach(proxy -> proxy.harmAtRandom(random.split(), HARM_ONE_IN));
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < many; i++) {
        SplittableRandom own = random.split();
        threads.add(new Thread(() -> work(client, own, end)));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      proxies.forEach(FaultProxy::heal);
      assertThat(wrong).as("seed %d", seed).isEmpty();
      assertThat(sections).anyMatch(section -> section.token > 0);
      awaitFree(provider);
    }
  }

  private void work(LockClient client, SplittableRandom random, long end) {
    try {
      while (System.nanoTime() - end < 0) {
        sections.get(random.nextInt(LOCKS)).enter(client);
      }
    } catch (InterruptedException | LockException e) {
      wrong.add(String.valueOf(e));
    }
  }

  /** What failed is given back behind. */
  private void awaitFree(String provider) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    for (int i = 0; i < 3; i++) {
      try (LockClient member = Locks.open(redis.server(i).uri(provider))) {
        for (Section section : sections) {
          while (member.inspect(section.name).isPresent()) {
            assertThat(System.nanoTime() - end)
                .as("%s on member %d, seed %d", section.name, i + 1, seed)
                .isNegative();
            TimeUnit.MILLISECONDS.sleep(5);
          }
        }
      }
    }
  }
}
