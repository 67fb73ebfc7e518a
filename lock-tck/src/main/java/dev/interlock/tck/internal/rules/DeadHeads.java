package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.NotReached;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.worker.Worker;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Queues whose first waiter dies before the lock is free, which is not by a release. */
public final class DeadHeads {
  private static final long LONG = 30_000;

  /** The end of a lease must come after the death, and soon. */
  private static final long SOON = 1_500;

  /**
   * A lock that one of a dying client waits for, and one that lives behind it.
   *
   * @param earliest when the lease of its holder is over at the earliest
   * @param latest when it is at the latest
   */
  record Head(String name, long earliest, long latest, CompletableFuture<Lease> behind) {}

  private DeadHeads() {}

  /**
   * Lets the client that is to die wait for a lock that is to be forced, and one whose lease ends.
   *
   * @param waiting how many of its requests wait already
   * @return both in this order; none where there is no queue
   */
  static List<Head> before(RuleRun run, Worker dying, int waiting) throws Exception {
    if (run.isForeign() || !run.has(Capability.FAIR)) {
      return List.of();
    }
    // Without the engine, which might release what it holds no more.
    DirectBackend holder = run.direct();
    LockClient living = run.client();
    Head forced = before(run, dying, waiting, holder, living, LONG);
    return List.of(forced, before(run, dying, waiting + 1, holder, living, SOON));
  }

  private static Head before(
      RuleRun run, Worker dying, int waiting, DirectBackend holder, LockClient living, long lease)
      throws Exception {
    String name = run.name();
    long earliest = System.nanoTime() + run.ms(lease).toNanos();
    holder.acquire(name, holder.newId(), run.ms(lease), run.limit(3_000));
    long latest = System.nanoTime() + run.ms(lease).toNanos();
    long wait = run.ms(LONG).toNanos();
    dying.run(space -> waitFairly(space, name, wait));
    LivenessRules.awaitWaiting(run, dying, waiting + 1);
    CompletableFuture<Lease> behind = living.acquireAsync(Queues.request(run, name));
    return new Head(name, earliest, latest, behind);
  }

  public static void waitFairly(WorkerSpace space, String name, long wait) {
    Duration time = Duration.ofNanos(wait);
    LockRequest request = LockRequest.of(name).withLease(time).withWait(time).fair(true);
    space.keep(name, space.client().acquireAsync(request));
  }

  /** Forces the first of them. Answers when that was done. */
  static long force(RuleRun run, LockClient operator, List<Head> heads) {
    if (!heads.isEmpty()) {
      Leases.force(run, operator, heads.get(0).name());
    }
    return System.nanoTime();
  }

  /** Fails the rule unless those behind the dead have their locks in time. */
  static void expectPassed(RuleRun run, List<Head> heads, long died, long forcedAt)
      throws Exception {
    if (heads.isEmpty()) {
      return;
    }
    Head forced = heads.get(0);
    Head expiring = heads.get(1);
    expectServed(run, forced, forcedAt, "a forced release");
    if (died - expiring.earliest() > 0) {
      throw NotReached.tooLate("for the lease was over before the first who waited for it died");
    }
    expectServed(run, expiring, expiring.latest() + run.expiry(0).toNanos(), "the end of a lease");
  }

  private static void expectServed(RuleRun run, Head head, long since, String after)
      throws Exception {
    run.await(
        run.limit(3_000).minusNanos(System.nanoTime() - since),
        "after " + after + " one has the lock who waits behind a dead one",
        head.behind()::isDone);
    run.note("after " + after + " the one behind the dead one had it "
        + (System.nanoTime() - since) / 1_000_000 + " ms later, or sooner");
    head.behind().get().release();
  }
}
