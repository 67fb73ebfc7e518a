package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Lease;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * What users of Spring Integration's other registries rely on: locks, their keys, who holds them.
 */
class LockRegistryTest extends TwoRegistries {
  // The objects

  @Test
  void a_key_has_equal_locks_and_one_lock_while_it_is_in_use() throws Exception {
    DistributedLock first = registry.obtain("key");
    DistributedLock second = registry.obtain("key");
    assertThat(second).isEqualTo(first).hasSameHashCodeAs(first);
    assertThat(registry.obtain("another")).isNotEqualTo(first);
    assertThat(other.obtain("key")).isNotEqualTo(first);

    first.lock();
    second.lock();
    assertThat(registry.obtain("key")).isSameAs(first).isEqualTo(second);
    assertThat(get(elsewhere(() -> registry.obtain("key")))).isSameAs(first);
    second.unlock();
    assertThat(registry.obtain("key")).isSameAs(first);
    first.unlock();
    assertThat(registry.obtain("key")).isEqualTo(first).isEqualTo(second);
    assertThat(isFree("key")).isTrue();
  }

  @Test
  void a_lock_that_is_waited_for_is_in_use() throws Exception {
    CountDownLatch begins = new CountDownLatch(1);
    CompletableFuture<DistributedLock> waiting;
    try (Lease lease = otherClient.tryAcquire(LockRequest.of("key")).orElseThrow()) {
      DistributedLock lock = registry.obtain("key");
      waiting = elsewhere(() -> {
        begins.countDown();
        lock.lock();
        lock.unlock();
        return lock;
      });
      begins.await();
      await().until(() -> registry.obtain("key") == lock);
    }
    assertThat(registry.obtain("key")).isEqualTo(get(waiting));
  }

  @Test
  void nothing_is_kept_of_idle_locks() {
    for (int i = 0; i < 100; i++) {
      DistributedLock lock = registry.obtain("key-" + i);
      lock.lock();
      lock.unlock();
    }
    assertThat(registry).hasToString("InterlockLockRegistry[client=%s, inUse=0]".formatted(client));
    DistributedLock idle = registry.obtain("idle");
    registry.expireUnusedOlderThan(0);
    idle.lock(); // it is as good as a new one
    assertThat(registry.obtain("idle")).isSameAs(idle);
    idle.unlock();
  }

  @Test
  void what_is_held_does_not_expire_and_what_a_dead_thread_held_does() throws Exception {
    DistributedLock held = registry.obtain("held");
    held.lock();
    DistributedLock left = registry.obtain("left");
    Thread thread = new Thread(left::lock);
    thread.start();
    thread.join();
    assertThat(registry.obtain("left")).isSameAs(left);

    registry.expireUnusedOlderThan(0);
    assertThat(registry.obtain("held")).isSameAs(held);
    assertThat(registry.obtain("left")).isNotSameAs(left).isEqualTo(left);
    held.unlock();
    assertThat(isFree("held")).isTrue();
  }

  @Test
  void locks_say_which_they_are() {
    assertThat(registry.obtain("key")).hasToString("InterlockLock[name=key]");
    assertThat(registry.toString()).contains(client.toString());
  }

  // The keys

  record Order(int id) {}

  /** As a key that somebody wrote for hash tables only. */
  static final class Hashed {
    private final int id;

    Hashed(int id) {
      this.id = id;
    }

    @Override
    public boolean equals(Object that) {
      return that instanceof Hashed hashed && hashed.id == id;
    }

    @Override
    public int hashCode() {
      return id;
    }
  }

  @Test
  void the_text_of_a_key_is_its_name() {
    UUID uuid = UUID.randomUUID();
    assertThat(registry.obtain(uuid)).isEqualTo(registry.obtain(uuid.toString()));
    assertThat(registry.obtain(7L)).isEqualTo(registry.obtain("7"));
    assertThat(registry.obtain(new Order(1))).isEqualTo(registry.obtain(new Order(1)));
    assertThat(registry.obtain(new Hashed(1))).isEqualTo(registry.obtain(new Hashed(1)));
    assertThat(registry.obtain(new Hashed(1))).isNotEqualTo(registry.obtain(new Hashed(2)));
    registry.obtain(7L).lock();
    assertThat(isFree("7")).isFalse();
    registry.obtain("7").unlock();
    assertThat(isFree("7")).isTrue();
  }

  @Test
  void a_key_that_names_another_lock_in_each_jvm_is_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> registry.obtain(new Object()))
        .withMessageContaining("java.lang.Object");
    assertThatIllegalArgumentException().isThrownBy(() -> registry.obtain(new byte[] {1, 2}));
    assertThatIllegalArgumentException().isThrownBy(() -> registry.renewLock(new Object()));
    assertThatIllegalArgumentException().isThrownBy(() -> registry.obtain(nothing()));
    assertThatIllegalArgumentException().isThrownBy(() -> registry.obtain(""));
    assertThatIllegalArgumentException().isThrownBy(() -> registry.obtain("x".repeat(1_025)));
  }

  @SuppressWarnings("NullAway") // what callers without a checker may do
  private static Object nothing() {
    return null;
  }

  // Holding

  @Test
  void a_thread_enters_again_and_its_last_unlock_frees() throws Exception {
    for (int i = 0; i < 5; i++) {
      registry.obtain("key").lock();
    }
    for (int i = 0; i < 5; i++) {
      assertThat(get(elsewhere(() -> registry.obtain("key").tryLock()))).isFalse();
      assertThat(other.obtain("key").tryLock()).isFalse();
      registry.obtain("key").unlock();
    }
    assertThat(other.obtain("key").tryLock()).isTrue();
    other.obtain("key").unlock();
  }

  @Test
  void a_thread_holds_locks_of_several_keys() throws Exception {
    DistributedLock one = registry.obtain("one");
    DistributedLock two = registry.obtain("two");
    one.lockInterruptibly();
    two.lockInterruptibly();
    one.unlock();
    assertThat(isFree("one")).isTrue();
    assertThat(isFree("two")).isFalse();
    two.unlock();
    assertThat(isFree("two")).isTrue();
  }

  @Test
  void only_the_thread_that_holds_unlocks_and_renews() throws Exception {
    DistributedLock lock = registry.obtain("key");
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(() -> registry.renewLock("key"))
        .isInstanceOf(IllegalMonitorStateException.class);
    lock.lock();
    assertThat(get(elsewhere(() -> {
          assertThat(lock.tryLock()).isFalse();
          assertThatThrownBy(lock::unlock)
              .isInstanceOf(IllegalMonitorStateException.class)
              .hasMessageContaining("does not own")
              .hasMessageContaining("'key'");
          assertThatThrownBy(() -> registry.renewLock("key"))
              .isInstanceOf(IllegalMonitorStateException.class);
          assertThatThrownBy(() -> registry.renewLock("key", LONG))
              .isInstanceOf(IllegalMonitorStateException.class);
          return "done";
        })))
        .isEqualTo("done");
    assertThat(isFree("key")).isFalse();
    lock.unlock();
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(isFree("key")).isTrue();
  }

  @Test
  void one_thread_at_a_time_is_in() throws Exception {
    int[] count = {0};
    Callable<Boolean> work = () -> {
      for (InterlockLockRegistry one : new InterlockLockRegistry[] {registry, other}) {
        for (int i = 0; i < 20; i++) {
          one.executeLocked("key", () -> {
            int before = count[0];
            LockSupport.parkNanos(1_000);
            count[0] = before + 1;
          });
        }
      }
      return true;
    };
    CompletableFuture<Boolean> first = elsewhere(work);
    CompletableFuture<Boolean> second = elsewhere(work);
    CompletableFuture<Boolean> third = elsewhere(work);
    assertThat(get(first) && get(second) && get(third)).isTrue();
    registry.obtain("key").lock(); // for what the threads wrote
    assertThat(count[0]).isEqualTo(120);
    registry.obtain("key").unlock();
    assertThat(registry.toString()).contains("inUse=0");
  }

  @Test
  void a_wait_ends_when_the_holder_unlocks() throws Exception {
    for (InterlockLockRegistry waiters : new InterlockLockRegistry[] {registry, other}) {
      DistributedLock lock = registry.obtain("key");
      lock.lock();
      CompletableFuture<Boolean> waiting = elsewhere(() -> {
        DistributedLock theirs = waiters.obtain("key");
        boolean locked = theirs.tryLock(Long.MAX_VALUE, TimeUnit.MILLISECONDS);
        theirs.unlock();
        return locked;
      });
      assertThat(waiting).isNotDone();
      lock.unlock();
      assertThat(get(waiting)).isTrue();
    }
  }

  @Test
  void what_the_application_holds_by_its_client_is_not_given_up_by_the_registry() {
    dev.interlock.DistributedLock direct = client.lock("key");
    direct.lock();
    assertThatThrownBy(registry.obtain("key")::unlock)
        .isInstanceOf(IllegalMonitorStateException.class);
    registry.obtain("key").lock();
    registry.obtain("key").unlock();
    assertThat(direct.isHeldByCurrentThread()).isTrue();
    registry.renewLock("key"); // it is the same lock, and this thread's
    registry.obtain("key").lock();
    direct.unlock();
    registry.renewLock("key");
    assertThat(isFree("key")).isFalse();
    registry.obtain("key").unlock();
    assertThat(isFree("key")).isTrue();
  }

  @Test
  void what_the_application_took_by_its_client_after_a_loss_is_not_given_up_by_the_registry()
      throws Exception {
    DistributedLock lock = registry.obtain("key");
    lockAndExpire(lock, "key");
    dev.interlock.DistributedLock direct = client.lock("key");
    direct.lock();
    assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
    assertThat(direct.isHeldByCurrentThread()).isTrue();
    direct.unlock();
    assertThat(isFree("key")).isTrue();
  }

  @Test
  void a_thread_that_holds_the_lock_as_another_owner_does_not_wait_for_itself() throws Exception {
    DistributedLock lock = registry.obtain("key");
    new LockTemplate(client).execute("key", lease -> {
      assertThat(lock.tryLock()).isFalse();
      assertThat(lock.tryLock(1, TimeUnit.DAYS)).isFalse();
      assertThat(lock.tryLock(Duration.ofDays(1), LONG)).isFalse();
      assertThatThrownBy(lock::lockInterruptibly)
          .isInstanceOf(LockException.class)
          .hasMessageContaining("'key'");
      assertThatThrownBy(lock::lock).isInstanceOf(LockException.class);
      assertThatThrownBy(() -> lock.lock(LONG)).isInstanceOf(LockException.class);
      return "done";
    });
    lock.lock();
    lock.unlock();
    assertThat(registry.toString()).contains("inUse=0");
  }

  @Test
  void a_template_finds_a_lock_of_the_same_thread_busy_at_once() {
    LockTemplate template = new LockTemplate(client);
    registry.obtain("a").lock();
    assertThatThrownBy(() -> template.execute("a", Lease::name)) // which has no end to its wait
        .isInstanceOf(LockTimeoutException.class);
    registry.obtain("a").unlock();
    dev.interlock.DistributedLock own = client.lock("a");
    own.lock();
    assertThatThrownBy(() -> template.execute("a", Lease::name))
        .isInstanceOf(LockTimeoutException.class);
    own.unlock();
    assertThat(template.<String, RuntimeException>execute("a", Lease::name)).isEqualTo("a");
  }
}
