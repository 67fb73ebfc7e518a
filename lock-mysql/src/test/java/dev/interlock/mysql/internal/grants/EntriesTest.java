package dev.interlock.mysql.internal.grants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.mysql.internal.queue.Entry;
import dev.interlock.mysql.internal.statements.LockKey;
import dev.interlock.mysql.internal.statements.LockMapper.KnownEntry;
import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EntriesTest {
  private static final String NAME = "lock";

  private final Entries entries = new Entries();

  /** The listener may hear of a grant while the answer of the attempt is noted. */
  @Test
  void w12_anEntryThatIsRemovedWhileItIsNotedCountsNoLongerAsAWaiter()
      throws ExecutionException, InterruptedException, TimeoutException {
    List<KnownEntry> waiters =
        LongStream.range(0, 20_000).mapToObj(EntriesTest::waiter).toList();
    CompletableFuture<Void> listener = CompletableFuture.runAsync(() -> {
      for (KnownEntry waiter : waiters) {
        while (entries.get(waiter.id()) == null) {
          Thread.onSpinWait();
        }
        entries.remove(waiter.id());
      }
    });
    for (KnownEntry waiter : waiters) {
      entries.put(waiter, Duration.ZERO);
    }
    listener.get(50, TimeUnit.SECONDS);
    assertThat(entries.isAwaited(NAME)).isFalse();
    assertThat(entries.hasWaiters()).isFalse();
  }

  /** Each renewal of a waiter that may share its lock notes again where it stands. */
  @Test
  void p3_aWaiterThatIsNotedAgainIsMissingAtNoMoment()
      throws ExecutionException, InterruptedException, TimeoutException {
    entries.put(reader(), Duration.ZERO);
    AtomicBoolean enough = new AtomicBoolean();
    CompletableFuture<Void> renewals = CompletableFuture.runAsync(() -> {
      while (!enough.get()) {
        entries.put(reader(), Duration.ZERO);
      }
    });
    int missing = 0;
    for (int i = 0; i < 200_000; i++) {
      missing += entries.wantedParts().isEmpty() || !entries.isAwaited(NAME) ? 1 : 0;
    }
    enough.set(true);
    renewals.get(50, TimeUnit.SECONDS);
    assertThat(missing).isZero();
  }

  /** Such as one that was kept, so that nobody releases it. */
  @Test
  void m3_aHoldThatIsNotHeardOfAnyMoreIsForgotten() {
    long[] now = {0};
    Entries some = new Entries(() -> now[0]);
    List<KnownEntry> holds = LongStream.range(0, 3)
        .mapToObj(i -> new KnownEntry(NAME, at(), Entry.SHARE, i, new HoldId(1, i), true))
        .toList();
    Duration lease = Duration.ofMinutes(5);
    some.put(holds.get(0), lease);
    some.put(holds.get(1), lease);
    some.put(reader(), Duration.ZERO);
    now[0] += lease.toNanos();
    some.put(holds.get(1), lease); // it was renewed
    some.put(holds.get(2), lease);
    assertThat(some.get(holds.get(0).id())).isNotNull(); // its release may be under way
    now[0] += TimeUnit.MINUTES.toNanos(2);
    some.put(holds.get(2), lease);
    assertThat(some.get(holds.get(0).id())).isNull();
    assertThat(some.get(holds.get(1).id())).isEqualTo(holds.get(1));
    assertThat(some.isAwaited(NAME)).isTrue();
    now[0] += Duration.ofHours(1).toNanos();
    some.put(reader(), Duration.ZERO);
    assertThat(holds).allMatch(hold -> some.get(hold.id()) == null);
    assertThat(some.isCounted(reader().id())).isTrue();
  }

  /** An attempt behind it would wait for a release that comes too rarely. */
  @Test
  void p3_whatIsKnownOfTheReleasesStaysWhenItIsNotedAgain() throws InterruptedException {
    entries.put(reader(), Duration.ZERO);
    TimeUnit.MILLISECONDS.sleep(500);
    entries.releases(NAME);
    assertThat(entries.rideNanos(NAME)).isZero();
    entries.put(reader(), Duration.ZERO);
    assertThat(entries.rideNanos(NAME)).isZero();
  }

  private static KnownEntry reader() {
    return new KnownEntry(NAME, at(), Entry.WAITER, 100, new HoldId(1, 100), true);
  }

  private static LockKey at() {
    return LockKey.of("test", NAME);
  }

  @Test
  void anEntryThatTakesAnotherPlaceHasOnePlace() {
    KnownEntry waiter = waiter(1);
    entries.put(waiter, Duration.ZERO);
    entries.put(
        new KnownEntry(NAME, waiter.at(), Entry.WAITER, 7, waiter.id(), false), Duration.ZERO);
    assertThat(entries.waiting(NAME, 10)).isEqualTo(1);
    entries.put(
        new KnownEntry(NAME, waiter.at(), Entry.SHARE, 7, waiter.id(), false), Duration.ZERO);
    assertThat(entries.isAwaited(NAME)).isFalse();
    assertThat(entries.get(waiter.id())).isNotNull();
  }

  @Test
  void f1_aClientPassesOnOnlyWhatItKnowsInFull() {
    PendingGrant grant = new PendingGrant();
    grant.ticket = 5;
    grant.lastHeir = 9;
    grant.tokens = 3;
    for (int ticket : new int[] {9, 10, 5}) {
      entries.put(waiter(ticket), Duration.ZERO);
    }
    assertThat(entries.heirs(NAME, grant)).isEmpty();
    entries.put(waiter(6), Duration.ZERO);
    assertThat(entries.heirs(NAME, grant))
        .containsExactly(waiter(6).id(), waiter(9).id());
    assertThat(entries.heirs("other", grant)).isEmpty();
  }

  private static KnownEntry waiter(long number) {
    return new KnownEntry(
        NAME, LockKey.of("test", NAME), Entry.WAITER, number, new HoldId(1, number), false);
  }
}
