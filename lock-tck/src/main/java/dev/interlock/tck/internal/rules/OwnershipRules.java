package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.DistributedLock;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.RenewalResult;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** Rules O1 to O4: what those can do who do not hold. */
public final class OwnershipRules {
  private static final long LONG = 60_000;

  private OwnershipRules() {}

  @Rule(
      value = "O1",
      check = "that release and renewal compare the hold id in the step that changes the lock")
  public static void aStrangersCommandsChangeNothing(RuleRun run) throws Exception {
    DirectBackend holder = run.direct();
    DirectBackend stranger = run.direct();
    LockClient client = run.client();
    String name = run.name();
    HoldId held = holder.newId();
    holder.acquire(name, held, run.ms(8_000), run.limit(2_000));
    for (DirectBackend who : new DirectBackend[] {stranger, holder}) {
      HoldId id = who.newId();
      run.expect(!who.release(name, id), "a stranger's release says so", "it says held");
      run.expectHeld(client, name, "after a stranger's release");
      if (run.has(Capability.RENEWABLE)) {
        expectGone(run, who.renew(name, id, run.ms(60_000)), "a stranger's renewal");
      }
      who.abandon(name, id);
      run.expectHeld(client, name, "after a stranger's abandonment");
    }
    Duration remaining = client.inspect(name).map(HoldInfo::remaining).orElse(Duration.ZERO);
    run.expect(
        remaining.compareTo(run.expiry(8_500)) <= 0,
        "a stranger's renewal does not lengthen the lease of 8 s",
        remaining + " remain");
    run.expectWhileHeld(
        name, () -> holder.release(name, held), "the holder still held", "it did not");
  }

  @Rule(
      value = "O1",
      check = "that each command compares all of the hold's id, whatever kind of hold it is")
  public static void whoHasNearlyTheHoldersIdChangesNothing(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend holder = run.direct();
    DirectBackend stranger = run.direct();
    LockClient client = run.client();
    for (UnaryOperator<Attempt> kind : Leases.attempts(run).values()) {
      Attempt held = kind.apply(Attempt.of(run.name(), holder.newId(), "tck", run.ms(LONG)));
      holder.acquire(held, run.limit(2_000));
      for (HoldId id : alike(held.id(), stranger.newId())) {
        expectNothingChanged(
            run,
            client,
            stranger,
            kind.apply(Attempt.of(held.name(), id, "tck-stranger", run.ms(LONG))));
      }
      run.expectWhileHeld(
          held.name(),
          () -> holder.release(held.name(), held.id()),
          "the holder still held",
          "it did not");
    }
  }

  /** Which of its bits are compared is not for chance to tell. */
  private static List<HoldId> alike(HoldId held, HoldId other) {
    return List.of(
        new HoldId(other.high(), held.low()),
        new HoldId(held.high(), held.low() ^ 1),
        new HoldId(held.high(), held.low() ^ Long.MIN_VALUE),
        new HoldId(held.high() ^ 1, held.low()),
        new HoldId(held.high() ^ Long.MIN_VALUE, held.low()));
  }

  private static void expectNothingChanged(
      RuleRun run, LockClient client, DirectBackend stranger, Attempt alike) {
    String name = alike.name();
    String who = "who has an id that is nearly the holder's ";
    boolean reads = alike.capacity() == Integer.MAX_VALUE;
    boolean granted = stranger.attempt(alike) instanceof Grant;
    run.expectWhileHeld(name, () -> granted == reads, who + "has no part in its hold", "it has");
    if (run.has(Capability.RENEWABLE) && !granted) {
      expectGone(run, stranger.renew(name, alike.id(), run.ms(LONG)), "a renewal by one " + who);
    }
    boolean released = stranger.release(name, alike.id());
    run.expect(released == granted, who + "releases what is its own", "it says " + released);
    stranger.abandon(name, alike.id());
    run.expectHeld(client, name, "after commands of one " + who);
  }

  @Rule(value = "O1", check = "what unlock does for a thread that does not hold")
  public static void unlockByAnotherThreadIsRefused(RuleRun run) throws Exception {
    String name = run.name();
    Worker holder = run.worker();
    long lease = run.ms(20_000).toNanos();
    long wait = run.limit(2_000).toNanos();
    DistributedLock lock = run.client().lock(name);
    LockClient other = run.client();
    run.willBeHeld(name, run.ms(20_000));
    holder.call(space -> ExclusionRules.tryLock(space, name, wait, lease));
    run.expectThrows(IllegalMonitorStateException.class, "unlock by one who does not hold", () -> {
      lock.unlock();
      return 0;
    });
    run.expectHeld(other, name, "after a stranger's unlock");
    holder.run(space -> space.lock(name).unlock());
  }

  @Rule(value = "O2", check = "that every command carries the id of its own hold")
  public static void aStaleHoldersCommandsChangeNothing(RuleRun run) throws Exception {
    DirectBackend stale = run.direct();
    for (DirectBackend successor : List.of(run.direct(), stale)) {
      aStaleHoldersCommandsChangeNothing(run, stale, successor);
    }
  }

  /**
   * The successor may be of the same client, which a comparison of clients would not tell apart.
   */
  private static void aStaleHoldersCommandsChangeNothing(
      RuleRun run, DirectBackend stale, DirectBackend successor) throws Exception {
    LockClient client = run.client();
    String name = run.name();
    HoldId old = stale.newId();
    stale.acquire(name, old, run.ms(150), run.limit(2_000));
    HoldId now = successor.newId();
    successor.acquire(name, now, run.ms(10_000), run.pastLease(150, 2_000));
    run.expect(!stale.release(name, old), "a stale release says so", "it says held");
    run.expectHeld(client, name, "after a stale release");
    if (run.has(Capability.RENEWABLE)) {
      expectGone(run, stale.renew(name, old, run.ms(60_000)), "a stale renewal");
    }
    stale.abandon(name, old);
    run.expectHeld(client, name, "after a stale abandonment");
    run.expectWhileHeld(
        name,
        () -> !(stale.attempt(name, old, run.ms(60_000)) instanceof Grant),
        "a stale attempt that is repeated is not granted beside the successor",
        "it was");
    run.expectWhileHeld(
        name, () -> successor.release(name, now), "the successor still held", "it did not");
  }

  @Rule(value = "O2", check = "that a lease which was lost can neither release nor extend")
  public static void aStaleLeaseCannotAffectItsSuccessor(RuleRun run) throws Exception {
    String name = run.name();
    LockClient other = run.client();
    Worker successor = run.worker();
    Lease stale = run.client().acquire(Leases.fixed(run, name, 300));
    long lease = run.willBeHeld(name, run.ms(20_000));
    long wait = run.pastLease(300, 3_000).toNanos();
    successor.run(space ->
        space.keep("lease", space.acquire(name, Duration.ofNanos(lease), Duration.ofNanos(wait))));
    if (run.has(Capability.RENEWABLE)) {
      run.expect(!stale.extend(run.ms(60_000)), "a stale extend answers false", "true");
    }
    run.expectThrows(LeaseLostException.class, "a stale release", () -> release(stale));
    run.expectHeld(other, name, "after a stale release");
    successor.run(space -> space.lease("lease").release());
    run.expectFree(other, name, run.limit(1_000), "after the successor's release");
  }

  @Rule(value = "O3", check = "that a handle releases once")
  public static void aDoubleReleaseIsReportedAndHarmless(RuleRun run) throws Exception {
    LockClient client = run.client();
    String name = run.name();
    Lease first = client.acquire(Leases.fixed(run, name, 20_000));
    first.release();
    Lease second = client.acquire(Leases.fixed(run, name, 20_000));
    run.expectThrows(LeaseLostException.class, "a second release", () -> release(first));
    first.close();
    Leases.expectValid(run, second, "the successor's lease");
    run.expectHeld(run.client(), name, "after a double release");
    second.close();
    second.close();
    run.expectThrows(LeaseLostException.class, "release after close", () -> release(second));
    run.expectFree(run.client(), name, run.limit(1_000), "after close");
  }

  @Rule(value = "O4", check = "that a lease belongs to its handle, not to a thread")
  public static void aLeaseMayChangeThreads(RuleRun run) throws Exception {
    String name = run.name();
    Lease lease = run.client().acquire(Leases.fixed(run, name, 20_000));
    CompletableFuture.runAsync(lease::release, task -> new Thread(task, "tck-other").start())
        .get();
    run.expectFree(run.client(), name, run.limit(1_000), "after a release by another thread");
  }

  @Rule(value = "O4", check = "that a thread's lock is given up by that thread only")
  public static void aThreadsLockMayNotChangeThreads(RuleRun run) throws Exception {
    String name = run.name();
    Worker worker = run.worker();
    LockClient other = run.client();
    long lease = run.willBeHeld(name, run.ms(20_000));
    long wait = run.limit(2_000).toNanos();
    worker.runOn("tck-locker-" + name, space -> {
      ExclusionRules.tryLock(space, name, wait, lease);
      space.keep("lease", space.lock(name).lease());
    });
    run.expectThrows(
        IllegalMonitorStateException.class,
        "unlock by another thread",
        () -> worker.call(space -> {
          space.lock(name).unlock();
          return 0;
        }));
    run.expectThrows(
        IllegalMonitorStateException.class,
        "release of a thread's lease by another thread",
        () -> worker.call(space -> release(space.lease("lease"))));
    run.expectHeld(other, name, "after another thread's unlock");
    worker.runOn("tck-locker-" + name, space -> space.lock(name).unlock());
    run.expectFree(other, name, run.limit(1_000), "after the owner's unlock");
  }

  static void expectGone(RuleRun run, RenewalResult result, String what) {
    run.expect(result instanceof RenewalResult.Gone, what + " is answered Gone", "it is " + result);
  }

  public static int release(Lease lease) {
    lease.release();
    return 0;
  }

  static LockRequest owned(RuleRun run, String name, String owner, long leaseMillis) {
    return Leases.fixed(run, name, leaseMillis).withOwner(owner);
  }
}
