package dev.interlock.quorum.internal.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.contract.Undisturbed;
import dev.interlock.quorum.ThreeRedis;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many threads a quorum's members have. */
@Timeout(60)
class MemberThreadsTest {
  /** A member may have 32; one thread of the application asks it a few things at once. */
  private static final int FEW = 3 * 16;

  @Test
  @DisplayName(
      "M4: there are no more threads than calls at once, and a crowd is served all the same")
  void asManyAsNeeded() throws Exception {
    try (ThreeRedis redis = new ThreeRedis();
        LockClient client = Locks.open(redis.uri("redis-setnx", ""))) {
      for (int i = 0; i < 100; i++) {
        client.acquire(LockRequest.of("a")).release();
      }
      assertThat(threads()).isLessThan(FEW);

      List<CompletableFuture<Void>> crowd = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        crowd.add(
            client.acquireAsync(LockRequest.of("crowd-" + i)).thenAccept(lease -> lease.close()));
      }
      for (CompletableFuture<Void> one : crowd) {
        one.get();
      }
    }
  }

  @Test
  @DisplayName("of more calls than a member has threads, some wait, and none is lost")
  void manyWait() throws Exception {
    Member member = member();
    try {
      CountDownLatch atOnce = new CountDownLatch(MemberThreads.MOST);
      CountDownLatch goOn = new CountDownLatch(1);
      AtomicInteger begun = new AtomicInteger();
      List<CompletableFuture<Boolean>> calls = new ArrayList<>();
      for (int i = 0; i < 3 * MemberThreads.MOST; i++) {
        calls.add(member.call(open -> {
          begun.incrementAndGet();
          atOnce.countDown();
          return await(goOn);
        }));
      }
      assertThat(await(atOnce)).isTrue();
      assertThat(begun).hasValue(MemberThreads.MOST);
      goOn.countDown();
      for (CompletableFuture<Boolean> call : calls) {
        assertThat(call.get(30, TimeUnit.SECONDS)).isTrue();
      }
    } finally {
      member.close();
    }
  }

  @Undisturbed(millis = 500)
  @DisplayName("closing a member waits for what it was asked before, and what is asked behind that")
  void closesLast() throws Exception {
    for (int i = 0; i < 200; i++) {
      Member member = member();
      CompletableFuture<Boolean> last =
          member.call(open -> true).thenCompose(first -> member.call(open -> true));
      member.close();
      assertThat(last).isCompletedWithValue(true);
    }
  }

  @Tag("thorough")
  @Test
  @DisplayName("a call does not wait for a busy thread because an idle one ends at that moment")
  void noCallIsLeft() throws Exception {
    MemberThreads threads = new MemberThreads("ending", Duration.ofNanos(1), Thread::new);
    CountDownLatch busy = new CountDownLatch(1);
    threads.execute(() -> await(busy));
    AtomicInteger served = new AtomicInteger();
    for (int i = 0; i < 10_000; i++) {
      threads.execute(served::incrementAndGet);
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
      while (served.get() == i && System.nanoTime() - deadline < 0) {
        Thread.onSpinWait(); // a thread that has just served may end by the next call
      }
      assertThat(served).hasValue(i + 1);
    }
    busy.countDown();
    threads.close(System.nanoTime() + TimeUnit.SECONDS.toNanos(20));
  }

  @Test
  @DisplayName("a thread that cannot be started fails that call, which does not run later")
  void outOfThreads() throws Exception {
    AtomicBoolean out = new AtomicBoolean();
    MemberThreads threads = new MemberThreads("out", Duration.ofNanos(1), work -> {
      if (out.get()) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      return new Thread(work);
    });
    Member member = member(threads);
    AtomicInteger run = new AtomicInteger();
    out.set(true);
    for (boolean refused = false; !refused; ) { // the thread of the call before may be there yet
      int before = run.get();
      CompletableFuture<Integer> call = member.call(open -> run.incrementAndGet());
      refused = call.handle((answer, error) -> error instanceof BackendUnavailableException)
          .get(20, TimeUnit.SECONDS);
      assertThat(run).hasValue(refused ? before : before + 1);
    }
    out.set(false);
    int before = run.get();
    assertThat(member.call(open -> run.incrementAndGet()).get(20, TimeUnit.SECONDS))
        .isEqualTo(before + 1);
    member.close();
    assertThat(run).hasValue(before + 1);
  }

  private static Member member() {
    return member(new MemberThreads("interlock-quorum-member-1"));
  }

  private static Member member(MemberThreads threads) {
    Membership quorum = ThreeRedis.membership(
        ThreeRedis.quorum(List.of("local://?namespace=a", "local://?namespace=b"), ""));
    BackendContext context = BackendContext.of(new ClientId("0000111122223333", "host:1"));
    Member member =
        new Member(0, quorum, context, any -> BackendEvents.IGNORED, any -> {}, threads);
    assertThat(member.join().join()).isTrue();
    return member;
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("interlock-quorum-member-"))
        .count();
  }
}
