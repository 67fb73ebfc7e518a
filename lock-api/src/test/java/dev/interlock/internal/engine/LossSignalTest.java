package dev.interlock.internal.engine;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockRequest;
import dev.interlock.LostReason;
import dev.interlock.spi.LockClients;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LossSignalTest {
  private static final String NAME = "held-for-days";
  private static final LockRequest OWNED = LockRequest.of(NAME).withOwner("owner");
  private static final int ENTRIES = 1_000;

  /** What a hold may keep until somebody asks it for news again. */
  private static final int FEW = 16;

  private final StubProvider provider = new StubProvider();
  private final LockClient client =
      LockClients.open(provider, LockConfig.builder("stub").build(), context -> provider);
  private final List<WeakReference<byte[]>> actions = new ArrayList<>();

  @AfterEach
  void close() {
    client.close();
  }

  /** Hangs an action on a lease, and does not keep it. */
  private void hangOn(Lease lease) {
    byte[] used = new byte[100];
    actions.add(new WeakReference<>(used));
    lease.lost().thenAccept(reason -> used[0]++);
  }

  private void assertFewAreKept() throws InterruptedException {
    long kept = ENTRIES;
    for (int tries = 0; tries < 100 && kept > FEW; tries++) {
      System.gc();
      Thread.sleep(50);
      kept = actions.stream().filter(action -> action.get() != null).count();
    }
    assertThat(kept).isLessThanOrEqualTo(FEW);
  }

  @Test
  @DisplayName("M4 a lock that stays held keeps nothing of its owner's entries that are over")
  void forgetsEntriesOfAnOwner() throws InterruptedException {
    try (Lease outer = client.acquire(OWNED)) {
      for (int i = 0; i < ENTRIES; i++) {
        try (Lease inner = client.acquire(OWNED)) {
          hangOn(inner);
        }
      }
      assertFewAreKept();
      assertThat(outer.isValid()).isTrue();
    }
  }

  @Test
  @DisplayName("M4 the same of a thread's entries")
  void forgetsEntriesOfAThread() throws InterruptedException {
    DistributedLock lock = client.lock(NAME);
    lock.lock();
    for (int i = 0; i < ENTRIES; i++) {
      lock.lock();
      hangOn(lock.lease());
      lock.unlock();
    }
    assertFewAreKept();
    lock.unlock();
  }

  @Test
  @DisplayName("L7 each entry that is not over hears of the loss, and no other")
  void tellsWhoIsStillThere() throws Exception {
    List<CompletableFuture<LostReason>> inside = new ArrayList<>();
    List<CompletableFuture<LostReason>> over = new ArrayList<>();
    inside.add(client.acquire(OWNED).lost().toCompletableFuture());
    for (int i = 0; i < 100; i++) {
      inside.add(client.acquire(OWNED).lost().toCompletableFuture());
      Lease released = client.acquire(OWNED);
      over.add(released.lost().toCompletableFuture());
      released.release();
    }
    CountDownLatch again = new CountDownLatch(2);
    Lease last = client.acquire(OWNED);
    last.lost().thenRun(again::countDown);
    last.lost().thenRun(again::countDown);
    client.forceRelease(NAME);
    for (CompletableFuture<LostReason> told : inside) {
      assertThat(told.get(20, SECONDS)).isIn(LostReason.GONE, LostReason.FORCED);
    }
    assertThat(again.await(20, SECONDS)).isTrue();
    assertThat(last.lost().toCompletableFuture().get(20, SECONDS)).isNotNull();
    assertThat(over).noneMatch(CompletableFuture::isDone);
  }
}
