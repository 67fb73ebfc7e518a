package dev.interlock.tck.internal.rules;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;

/** What X2 says of a client that cannot be heard of for longer than some servers bear. */
public final class AbsenceRules {
  /** Clients that try to connect again and again wait for longer each time, up to half a minute. */
  private static final long CONNECTED_AGAIN = 40_000;

  private AbsenceRules() {}

  @Rule(
      value = "X2",
      check = "whether what a client holds ends with its session, before the lease",
      timed = true,
      limit = 120,
      needs = TckFault.CONNECTION)
  public static void aClientThatIsAwayKeepsItsLocks(RuleRun run) throws Exception {
    FaultProxy proxy = run.proxy();
    LockClient client = run.client(proxy);
    LockClient other = run.client();
    LockRequest request = LockRequest.of(run.name()).withLease(Duration.ofMinutes(3));
    Lease held = client.acquire(request.withWait(run.limit(3_000)));
    proxy.refuse(true);
    run.requireHit(proxy.cut(), "a client that cannot connect for some time");
    // Not stretched: a server's patience does not stretch either.
    RuleRun.pause(Duration.ofMillis(run.amount(6_000, 32_000, 65_000)));
    run.expectHeld(other, held.name(), "while its holder cannot connect, and the lease runs");
    proxy.refuse(false);
    run.expectWorking(client, run.limit(CONNECTED_AGAIN), "once it can connect again");
    Leases.expectValid(run, held, "the lease of a client that was away for a shorter time");
    held.release();
    run.expectFree(other, held.name(), run.limit(1_000), "after its release");
    run.note("a lock was kept while its holder could not connect");
  }
}
