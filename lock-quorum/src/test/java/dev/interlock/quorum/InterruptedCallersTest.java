package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.Locks;
import dev.interlock.testservers.RedisServer;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * Threads that are interrupted at any moment, also while they read half an answer. An interrupt
 * closes the socket of a virtual thread that reads, so each costs an answer there.
 */
@Timeout(900)
class InterruptedCallersTest {
  /** Longer than the test: nothing ends by itself. */
  private static final Duration LEASE = Duration.ofMinutes(20);

  private static ThreeRedis redis;

  private final long seconds = Long.getLong("interlock.test.quorum.seconds", 3);
  private final long seed = ThreadLocalRandom.current().nextLong();
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger interrupted = new AtomicInteger();
  private volatile long token;

  @BeforeAll
  static void start() {
    redis = new ThreeRedis();
  }

  @AfterAll
  static void stop() throws Exception {
    redis.close();
  }

  @Test
  @DisplayName("W5: no lock is held twice or left behind by threads that are interrupted")
  void platformThread() throws Exception {
    survives("platform", Thread::new);
    assertThat(interrupted).hasPositiveValue();
  }

  @Test
  @DisplayName("W5: the same of virtual threads")
  @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with JDK 21")
  void virtualThread() throws Exception {
    survives("virtual", virtualThreads());
    assertThat(interrupted).hasPositiveValue();
  }

  private void survives(String name, ThreadFactory threads) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    try (LockClient client = Locks.open(redis.uri("redis-setnx", "&longestLease=" + LEASE))) {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      AtomicBoolean ended = new AtomicBoolean();
      Thread caller = threads.newThread(() -> {
        try {
          while (System.nanoTime() - end < 0) {
            enter(client, name);
          }
        } catch (RuntimeException e) {
          wrong.add(e.toString());
        } finally {
          ended.set(true);
        }
      });
      caller.start();
      while (!ended.get()) {
        TimeUnit.MICROSECONDS.sleep(random.nextLong(3_000));
        caller.interrupt();
      }
      caller.join();
      assertThat(wrong).as("seed %d", seed).isEmpty();
      awaitFree(name);
    }
  }

  private void enter(LockClient client, String name) {
    Lease lease;
    try {
      lease =
          client.acquire(LockRequest.of(name).withLease(LEASE).withWait(Duration.ofMillis(500)));
    } catch (InterruptedException e) {
      interrupted.incrementAndGet();
      return;
    } catch (LockTimeoutException e) {
      return; // what an attempt that was interrupted has is given back
    } catch (LockException e) {
      return; // two answers were lost: what it may have is given back
    }
    if (inside.incrementAndGet() != 1) {
      wrong.add("held twice");
    }
    if (lease.fencingToken() <= token) {
      wrong.add("token " + lease.fencingToken() + " after " + token);
    }
    token = lease.fencingToken();
    inside.decrementAndGet();
    try {
      lease.release();
    } catch (LockException e) {
      // It is given back behind that.
    }
  }

  private void awaitFree(String name) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    for (RedisServer server : IntStream.range(0, 3).mapToObj(redis::server).toList()) {
      try (LockClient member = Locks.open(server.uri("redis-setnx"))) {
        while (member.inspect(name).isPresent()) {
          assertThat(System.nanoTime() - end).as("seed %d", seed).isNegative();
          TimeUnit.MILLISECONDS.sleep(5);
        }
      }
    }
  }

  /** {@code Thread.ofVirtual().factory()}, which this module's Java 17 does not know. */
  private static ThreadFactory virtualThreads() throws ReflectiveOperationException {
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    Method factory = Class.forName("java.lang.Thread$Builder").getMethod("factory");
    return (ThreadFactory) factory.invoke(builder);
  }
}
