package dev.interlock.tck.internal.rules;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** What X2 and P2 say of a client that cannot be heard of for longer than some servers bear. */
public final class AbsenceRules {
  /** Clients that try to connect again and again wait for longer each time, up to half a minute. */
  private static final long CONNECTED_AGAIN = 40_000;

  /** The same after a few seconds, for one that has as long a wait behind it as before it. */
  private static final long LISTENING_AGAIN = 15_000;

  private AbsenceRules() {}

  @Rule(
      value = "X2",
      check = "whether what a client holds ends with its session, before the lease",
      timed = true,
      limit = 120,
      needs = TckFault.CONNECTION)
  public static void aClientThatIsAwayKeepsItsLocks(RuleRun run) throws Exception {
    AbsentHolder absent = AbsentHolder.begin(run);
    absent.expectKept(run, run.amount(6_000, 32_000, 65_000));
    absent.proxy().refuse(false);
    LockClient client = absent.client();
    run.expectWorking(client, run.limit(CONNECTED_AGAIN), "once it can connect again");
    for (Lease held : absent.leases()) {
      Leases.expectValid(run, held, "the lease of a client that was away for a shorter time");
      held.release();
      run.expectFree(absent.other(), held.name(), run.limit(1_000), "after its release");
    }
    run.note("a lock of each kind was kept while its holder could not connect");
  }

  @Rule(
      value = "P2",
      check = "how often, or for how long, a client tries to make its subscription again",
      timed = true,
      limit = 120,
      needs = TckFault.CONNECTION)
  public static void theSubscriptionSurvivesAnAbsence(RuleRun run) throws Exception {
    FaultProxy proxy = run.proxy();
    LockClient waiting = run.client(proxy);
    LockClient holding = run.client();
    ConnectionRules.handOff(run, waiting, holding, () -> {});
    // Meanwhile another client is told nothing, and its connections have nothing to do.
    String quiet = run.name();
    Lease held = holding.acquire(LockRequest.of(quiet).withLease(Duration.ofMinutes(3)));
    CompletableFuture<Lease> idle = run.client()
        .acquireAsync(
            LockRequest.of(quiet).withLease(run.ms(30_000)).withWait(Duration.ofMinutes(3)));
    proxy.refuse(true);
    run.requireHit(proxy.cut(), "a client that cannot connect for some time");
    // Not stretched, as above.
    RuleRun.pause(Duration.ofMillis(run.amount(5_000, 12_000, 35_000)));
    proxy.refuse(false);
    held.release();
    Queues.expectServed(run, idle, "one who has waited for some time without a message");
    Leases.release(idle.join());
    run.expectWorking(waiting, run.limit(CONNECTED_AGAIN), "once it can connect again");
    long start = System.nanoTime();
    Duration limit = run.limit(LISTENING_AGAIN);
    long took = Long.MAX_VALUE;
    while (took > run.limit(200).toNanos()) {
      took = ConnectionRules.handOff(run, waiting, holding, () -> {});
      run.expect(
          took <= run.limit(200).toNanos() || RuleRun.since(start).compareTo(limit) < 0,
          "hand-offs to a client that can connect again take at most 200 ms after "
              + limit.toMillis() + " ms",
          "the last one took " + took / 1_000_000 + " ms");
    }
    run.note("a client that could not connect for some time was told of releases "
        + RuleRun.since(start).toMillis() + " ms after it could");
  }
}
