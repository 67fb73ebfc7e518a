package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Lease;
import dev.interlock.LockRequest;
import dev.interlock.OutcomeUnknownException;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;

/** A time to live that ends, and locks of a registry that were lost. */
class LockRegistryLossTest extends TwoRegistries {
  // Time to live

  @Test
  void a_time_to_live_is_not_renewed_unless_asked_for() throws Exception {
    DistributedLock lock = registry.obtain("key");
    lock.lock(Duration.ofSeconds(5));
    registry.renewLock("key", LONG);
    assertThat(client.inspect("key").orElseThrow().remaining())
        .isGreaterThan(LONG.minusSeconds(20));
    assertThat(get(elsewhere(() -> registry.obtain("key").tryLock()))).isFalse();
    lock.unlock();

    lock.lock(SHORT);
    await().until(() -> isFree("key"));
    assertThat(other.obtain("key").tryLock()).isTrue();
    other.obtain("key").unlock();
    assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
  }

  @Test
  void a_renewal_without_a_time_gives_the_default_lease() throws Exception {
    DistributedLock lock = registry.obtain("key");
    assertThat(lock.tryLock(Duration.ZERO, Duration.ofSeconds(5))).isTrue();
    registry.renewLock("key");
    assertThat(client.inspect("key").orElseThrow().remaining())
        .isGreaterThan(Duration.ofSeconds(15));
    lock.unlock();

    InterlockLockRegistry longer = new InterlockLockRegistry(client, LONG);
    longer.obtain("key").lock(Duration.ofSeconds(5));
    longer.renewLock("key");
    assertThat(client.inspect("key").orElseThrow().remaining())
        .isGreaterThan(LONG.minusSeconds(20));
    longer.obtain("key").unlock();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new InterlockLockRegistry(client, Duration.ofMillis(9)));
  }

  @Test
  void a_refused_attempt_gives_the_holder_no_time() throws Exception {
    DistributedLock lock = registry.obtain("key");
    lock.lock(LONG);
    Duration before = client.inspect("key").orElseThrow().remaining();
    assertThat(get(elsewhere(() -> registry.obtain("key").tryLock()))).isFalse();
    assertThat(other.obtain("key").tryLock(Duration.ZERO, LONG.multipliedBy(2))).isFalse();
    assertThat(client.inspect("key").orElseThrow().remaining()).isLessThanOrEqualTo(before);
    lock.unlock();
  }

  // Loss

  @Test
  void an_unlock_after_the_lock_expired_says_so_and_leaves_the_next_holder_alone()
      throws Exception {
    DistributedLock lock = registry.obtain("key");
    lockAndExpire(lock, "key");
    assertThatThrownBy(() -> registry.renewLock("key"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'key'");
    DistributedLock theirs = other.obtain("key");
    assertThat(theirs.tryLock()).isTrue();
    assertThatThrownBy(lock::unlock)
        .isInstanceOf(ConcurrentModificationException.class)
        .hasMessageContaining("'key'");
    assertThat(isFree("key")).isFalse();
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    theirs.unlock();
    assertThat(isFree("key")).isTrue();
    assertThat(registry.toString()).contains("inUse=0");
  }

  @Test
  void an_unlock_after_the_server_lost_the_lock_says_so() {
    DistributedLock lock = registry.obtain("key");
    lock.lock();
    otherClient.forceRelease("key");
    assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
    lock.lock();
    lock.unlock();
    assertThat(isFree("key")).isTrue();
  }

  @Test
  void each_entry_that_was_lost_says_so() throws Exception {
    DistributedLock lock = registry.obtain("key");
    lockShortly(lock);
    lockAndExpire(lock, "key");
    assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
    assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  void an_inner_entry_takes_a_lost_lock_again_for_the_outer_one() throws Exception {
    DistributedLock lock = registry.obtain("key");
    lockAndExpire(lock, "key");
    assertThat(lock.tryLock()).isTrue();
    registry.renewLock("key");
    lock.unlock();
    assertThat(other.obtain("key").tryLock()).as("the outer entry goes on").isFalse();
    assertThatThrownBy(lock::unlock)
        .as("others may have been in meanwhile")
        .isInstanceOf(ConcurrentModificationException.class);
    assertThat(isFree("key")).isTrue();
    assertThat(registry.toString()).contains("inUse=0");
  }

  @Test
  void an_inner_entry_that_is_refused_after_a_loss_does_not_count() throws Exception {
    DistributedLock lock = registry.obtain("key");
    lockAndExpire(lock, "key");
    try (Lease lease = otherClient.tryAcquire(LockRequest.of("key")).orElseThrow()) {
      assertThat(lock.tryLock()).isFalse();
    }
    lock.lock();
    lock.unlock();
    assertThat(isFree("key"))
        .as("the caller was told that the outer entry is lost")
        .isTrue();
    assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  void a_lost_lock_is_free_for_other_threads_whatever_its_holder_does() throws Exception {
    DistributedLock lock = registry.obtain("key");
    lockAndExpire(lock, "key");
    CountDownLatch unlock = new CountDownLatch(1);
    CountDownLatch locked = new CountDownLatch(1);
    CompletableFuture<Boolean> second = elsewhere(() -> {
      DistributedLock theirs = registry.obtain("key");
      theirs.lock();
      locked.countDown();
      unlock.await();
      theirs.unlock();
      return true;
    });
    assertThat(locked.await(20, TimeUnit.SECONDS)).isTrue();
    assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
    assertThat(isFree("key")).isFalse();
    unlock.countDown();
    assertThat(get(second)).isTrue();
  }

  @Test
  void an_unlock_without_an_answer_is_over() {
    Assumptions.assumeTrue(provider.startsWith("redis"));
    DistributedLock lock = registry.obtain("key");
    lock.lock();
    server.pause();
    try {
      assertThatThrownBy(lock::unlock).isInstanceOf(OutcomeUnknownException.class);
    } finally {
      server.resume();
    }
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    lock.lock();
    lock.unlock();
    assertThat(registry.toString()).contains("inUse=0");
  }
}
