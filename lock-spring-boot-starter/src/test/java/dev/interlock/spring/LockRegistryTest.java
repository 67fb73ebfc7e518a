package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.Locks;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.leader.event.DefaultLeaderEventPublisher;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.DistributedLock;

/** What users of Spring Integration's other registries rely on. */
@Timeout(60)
@ParameterizedClass
@ValueSource(strings = {"local", "redis-hash"})
class LockRegistryTest {
  private static final Duration SHORT = Duration.ofMillis(500);
  private static final Duration LONG = Duration.ofMinutes(5);

  private static RedisServer server;

  private final String provider;
  private LockClient client;
  private LockClient otherClient;
  private InterlockLockRegistry registry;
  /** As that of another JVM. */
  private InterlockLockRegistry other;

  LockRegistryTest(String provider) {
    this.provider = provider;
  }

  @BeforeAll
  static void startServer() {
    server = TestRedis.start();
    // The first connection of a JVM loads Netty, which may take longer than it has time.
    await().atMost(Duration.ofSeconds(50)).ignoreExceptions().until(() -> {
      Locks.open(server.uri("redis-hash")).close();
      return true;
    });
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void open() {
    String uri = provider.equals("local") ? "local://" : server.uri(provider);
    uri += "?namespace=" + Contexts.namespace();
    client = Locks.open(uri);
    otherClient = Locks.open(uri);
    registry = new InterlockLockRegistry(client);
    other = new InterlockLockRegistry(otherClient);
  }

  @AfterEach
  void close() {
    client.close();
    otherClient.close();
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

  private boolean isFree(String name) {
    return client.inspect(name).isEmpty();
  }

  private static <T> CompletableFuture<T> elsewhere(Callable<T> work) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return work.call();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        },
        Contexts.THREADS);
  }

  private static <T> T get(CompletableFuture<T> result) throws Exception {
    return result.get(20, TimeUnit.SECONDS);
  }

  private void awaitWaiting(Thread thread) {
    await()
        .until(() -> thread.getState() == Thread.State.TIMED_WAITING
            || thread.getState() == Thread.State.WAITING);
  }

  /** Locks for a short time; it waits because the answer may take longer than that. */
  private static void lockShortly(DistributedLock lock) throws InterruptedException {
    assertThat(lock.tryLock(Duration.ofSeconds(20), SHORT)).isTrue();
  }

  /** Locks for a short time, and comes back when that is over. */
  private void lockAndExpire(DistributedLock lock, String name) throws InterruptedException {
    lockShortly(lock);
    await().until(() -> isFree(name));
  }

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

  // Waits that are zero, negative, interrupted

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

  // What Spring Integration makes of it

  @Test
  void work_is_executed_under_its_lock() throws Exception {
    assertThat(registry.<String, RuntimeException>executeLocked(
            "key", () -> isFree("key") ? "free" : "held"))
        .isEqualTo("held");
    assertThatThrownBy(() -> registry.executeLocked("key", SHORT, () -> {
          throw new ExecutionException("as planned", null);
        }))
        .isInstanceOf(ExecutionException.class);
    assertThat(isFree("key")).isTrue();
    try (Lease lease = otherClient.tryAcquire(LockRequest.of("key")).orElseThrow()) {
      AtomicBoolean ran = new AtomicBoolean();
      assertThatThrownBy(() -> registry.executeLocked("key", SHORT, () -> ran.set(true)))
          .isInstanceOf(TimeoutException.class);
      assertThat(ran).isFalse();
    }
  }

  private static LockRegistryLeaderInitiator initiator(
      InterlockLockRegistry registry, AtomicInteger granted, AtomicInteger revoked) {
    LockRegistryLeaderInitiator initiator =
        new LockRegistryLeaderInitiator(registry, new DefaultCandidate("id", "role"));
    initiator.setHeartBeatMillis(50);
    initiator.setLeaderEventPublisher(new DefaultLeaderEventPublisher() {
      @Override
      public void publishOnGranted(
          Object source, org.springframework.integration.leader.Context context, String role) {
        granted.incrementAndGet();
      }

      @Override
      public void publishOnRevoked(
          Object source, org.springframework.integration.leader.Context context, String role) {
        revoked.incrementAndGet();
      }
    });
    return initiator;
  }

  @Test
  void leadership_goes_from_one_to_the_other() {
    AtomicInteger granted = new AtomicInteger();
    AtomicInteger revoked = new AtomicInteger();
    LockRegistryLeaderInitiator first = initiator(registry, granted, revoked);
    LockRegistryLeaderInitiator second = initiator(other, granted, revoked);
    first.start();
    try {
      await().until(() -> first.getContext().isLeader());
      second.start();
      first.setBusyWaitMillis(20_000); // so that it does not come first again
      first.getContext().yield();
      await().until(() -> second.getContext().isLeader());
      assertThat(first.getContext().isLeader()).isFalse();
      assertThat(isFree("role")).isFalse();
    } finally {
      first.stop();
      second.stop();
    }
    await().until(() -> revoked.get() == 2 && isFree("role"));
    assertThat(granted).hasValue(2);
  }

  @Test
  void a_leader_that_lost_its_lock_leads_on_only_while_it_holds_it() throws Exception {
    AtomicInteger granted = new AtomicInteger();
    AtomicInteger revoked = new AtomicInteger();
    LockRegistryLeaderInitiator leader = initiator(registry, granted, revoked);
    leader.start();
    try {
      await().until(() -> leader.getContext().isLeader());
      otherClient.forceRelease("role");
      // A release that comes while the leader leaves an inner entry ends its leadership for a
      // moment.
      await().until(() -> !isFree("role"));
      // It has the lock again. Over its next heart beats nobody else gets it.
      assertThat(otherClient.lock("role").tryLock(500, TimeUnit.MILLISECONDS)).isFalse();
      assertThat(leader.getContext().isLeader()).isTrue();

      try (Lease lease = take("role")) {
        await().until(() -> !leader.getContext().isLeader());
        await().until(() -> revoked.get() == granted.get());
      }
      await().until(() -> leader.getContext().isLeader());
      await().until(() -> granted.get() == revoked.get() + 1);
    } finally {
      leader.stop();
    }
    await().until(() -> revoked.get() == granted.get());
    assertThat(isFree("role")).as("a leader that stops gives its lock up").isTrue();
  }

  /** Takes a lock from its holder, and has it before that one comes back. */
  private Lease take(String name) {
    while (true) {
      client.forceRelease(name);
      Optional<Lease> lease = otherClient.tryAcquire(LockRequest.of(name));
      if (lease.isPresent()) {
        return lease.get();
      }
    }
  }
}
