package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Lease;
import dev.interlock.LockRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;

/** Waits for a lock of a registry that are zero, negative, interrupted. */
class LockRegistryWaitTest extends TwoRegistries {
  @Test
  void a_wait_of_zero_or_less_is_one_attempt() throws Exception {
    DistributedLock lock = registry.obtain("key");
    Duration negative = Duration.ofSeconds(-1);
    assertThat(lock.tryLock(0, TimeUnit.SECONDS)).isTrue();
    assertThat(lock.tryLock(-1, TimeUnit.SECONDS)).isTrue();
    assertThat(lock.tryLock(Duration.ZERO, LONG)).isTrue();
    assertThat(lock.tryLock(negative, LONG)).isTrue();
    DistributedLock theirs = other.obtain("key");
    assertThat(theirs.tryLock(0, TimeUnit.SECONDS)).isFalse();
    assertThat(theirs.tryLock(-1, TimeUnit.SECONDS)).isFalse();
    assertThat(theirs.tryLock(Duration.ZERO, LONG)).isFalse();
    assertThat(theirs.tryLock(negative, LONG)).isFalse();
    for (int i = 0; i < 4; i++) {
      assertThat(isFree("key")).isFalse();
      lock.unlock();
    }
    assertThat(isFree("key")).isTrue();
  }

  interface Waits {
    void on(DistributedLock lock) throws InterruptedException;
  }

  @Test
  void an_interrupt_ends_a_wait_that_says_so_and_leaves_nothing() throws Exception {
    Waits[] all = {
      DistributedLock::lockInterruptibly,
      lock -> lock.tryLock(30, TimeUnit.SECONDS),
      lock -> lock.tryLock(Duration.ofSeconds(30), LONG)
    };
    for (Waits wait : all) {
      AtomicBoolean flag = new AtomicBoolean(true);
      try (Lease lease = otherClient.tryAcquire(LockRequest.of("key")).orElseThrow()) {
        DistributedLock lock = registry.obtain("key");
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
          try {
            wait.on(lock);
            interrupted.complete(false);
          } catch (InterruptedException e) {
            flag.set(Thread.currentThread().isInterrupted());
            interrupted.complete(true);
          }
        });
        thread.start();
        awaitWaiting(thread);
        thread.interrupt();
        assertThat(get(interrupted)).isTrue();
        thread.join();
      }
      assertThat(flag).as("as java.util.concurrent.locks.Lock says").isFalse();
      assertThat(registry.toString()).contains("inUse=0");
      await().until(() -> isFree("key"));
    }
  }

  @Test
  void an_interrupt_does_not_end_a_lock_and_its_flag_stays() throws Exception {
    Waits[] all = {DistributedLock::lock, lock -> lock.lock(LONG)};
    for (Waits wait : all) {
      CompletableFuture<Boolean> flag = new CompletableFuture<>();
      Thread thread;
      try (Lease lease = otherClient.tryAcquire(LockRequest.of("key")).orElseThrow()) {
        DistributedLock lock = registry.obtain("key");
        thread = new Thread(() -> {
          try {
            wait.on(lock);
            boolean interrupted = Thread.currentThread().isInterrupted();
            lock.unlock();
            flag.complete(interrupted && Thread.currentThread().isInterrupted());
          } catch (InterruptedException e) {
            flag.completeExceptionally(e);
          }
        });
        thread.start();
        awaitWaiting(thread);
        thread.interrupt();
      }
      assertThat(get(flag)).isTrue();
      assertThat(isFree("key")).as("unlock() has ended when it returns").isTrue();
    }
  }

  @Test
  void an_attempt_is_not_refused_for_an_interrupt() {
    Thread.currentThread().interrupt();
    boolean locked = registry.obtain("key").tryLock();
    boolean flag = Thread.interrupted();
    assertThat(locked).isTrue();
    assertThat(flag).isTrue();
    registry.obtain("key").unlock();
  }

  @Test
  void there_are_no_conditions() {
    assertThatThrownBy(registry.obtain("key")::newCondition)
        .isInstanceOf(UnsupportedOperationException.class);
  }
}
