package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Rules O5, O6 and T3: several entries into one hold. */
public final class ReentryRules {
  private static final int ENTRIES = 3;

  private ReentryRules() {}

  @Rule(value = "O5", check = "how entries of a thread are counted")
  public static void aThreadUnlocksAsOftenAsItLocks(RuleRun run) throws Exception {
    String name = run.name();
    DistributedLock lock = run.client().lock(name);
    LockClient other = run.client();
    enter(run, lock, 20_000);
    Duration before = lock.lease().remaining();
    long told = System.nanoTime();
    enter(run, lock, 20_000);
    enter(run, lock, 100);
    run.ifOffered(() -> run.expectWhileHeld(
        name, () -> lock.holdCount() == ENTRIES, "holdCount() is 3", "it is not"));
    Duration after = lock.lease().remaining();
    run.expect(
        after.compareTo(before.minus(run.ms(5_000)).minus(RuleRun.since(told))) > 0,
        "an inner lease of 100 ms does not shorten the outer one",
        before + " became " + after);
    RuleRun.pause(run.ms(250));
    for (int left = ENTRIES; left > 0; left--) {
      run.expectHeld(other, name, "with " + left + " entries left");
      lock.unlock();
    }
    run.expectFree(other, name, run.limit(1_000), "after the last unlock");
    run.ifOffered(
        () -> run.expect(lock.holdCount() == 0, "holdCount() is 0", "it is " + lock.holdCount()));
  }

  @Rule(value = "O5", check = "how entries of a named owner are counted")
  public static void anOwnerReleasesAsOftenAsItAcquires(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockClient other = run.client();
    String name = run.name();
    List<Lease> entries = new ArrayList<>();
    for (int i = 0; i < ENTRIES; i++) {
      long lease = i == 1 ? 100 : 20_000;
      // Each from a thread of its own: the owner is the same.
      CompletableFuture<Lease> entry = new CompletableFuture<>();
      Thread thread = new Thread(() -> {
        try {
          entry.complete(client.acquire(OwnershipRules.owned(run, name, "tck-saga", lease)));
        } catch (InterruptedException | RuntimeException e) {
          entry.completeExceptionally(e);
        }
      });
      thread.start();
      entries.add(entry.get(run.limit(10_000).toMillis(), TimeUnit.MILLISECONDS));
    }
    RuleRun.pause(run.ms(250));
    for (Lease entry : entries) {
      run.expectHeld(other, name, "while an entry is left");
      entry.release();
    }
    run.expectFree(other, name, run.limit(1_000), "after the last release");
  }

  @Rule(value = "O6", check = "that an entry is counted only once it has succeeded")
  public static void aFailedReentryLeavesTheCount(RuleRun run) throws Exception {
    String name = run.name();
    DistributedLock lock = run.client().lock(name);
    enter(run, lock, 20_000);
    if (!run.isForeign()) {
      // Which lease is wrong is for another API to say.
      run.expectThrows(
          IllegalArgumentException.class,
          "a re-entry with a wrong lease",
          () -> lock.tryLock(Duration.ZERO, Duration.ZERO));
    }
    Thread.currentThread().interrupt();
    run.expectThrows(
        InterruptedException.class,
        "a re-entry by an interrupted thread",
        () -> lock.tryLock(run.ms(1_000), run.ms(20_000)));
    if (run.has(Capability.RENEWABLE)) {
      Thread.currentThread().interrupt();
      run.expectThrows(
          InterruptedException.class, "lockInterruptibly by an interrupted thread", () -> {
            lock.lockInterruptibly();
            return 0;
          });
    }
    run.ifOffered(() ->
        run.expectWhileHeld(name, () -> lock.holdCount() == 1, "holdCount() is 1", "it is not"));
    lock.unlock();
    run.expectFree(run.client(), name, run.limit(1_000), "after the only unlock");
    run.expectThrows(IllegalMonitorStateException.class, "an unlock too many", () -> {
      lock.unlock();
      return 0;
    });
  }

  @Rule(value = "T3", check = "that an inner entry asks for no new token")
  public static void aReentryKeepsTheToken(RuleRun run) throws Exception {
    LockClient client = run.client();
    DistributedLock lock = client.lock(run.name());
    enter(run, lock, 20_000);
    long token = lock.lease().fencingToken();
    for (long lease : new long[] {100, 20_000, 40_000}) {
      enter(run, lock, lease);
      long inner = lock.lease().fencingToken();
      run.expect(inner == token, "a thread's re-entry keeps token " + token, "it is " + inner);
    }
    String name = run.name();
    Lease outer = client.acquire(OwnershipRules.owned(run, name, "tck-saga", 20_000));
    Lease inner = client.acquire(OwnershipRules.owned(run, name, "tck-saga", 40_000));
    run.expect(
        inner.fencingToken() == outer.fencingToken(),
        "an owner's re-entry keeps token " + outer.fencingToken(),
        "it is " + inner.fencingToken());
    run.note("tokens of " + ENTRIES + " inner entries equal the outer one");
  }

  private static void enter(RuleRun run, DistributedLock lock, long leaseMillis)
      throws InterruptedException {
    run.expect(
        lock.tryLock(run.limit(2_000), run.ms(leaseMillis)),
        "a thread may enter",
        "it was kept out");
  }
}
