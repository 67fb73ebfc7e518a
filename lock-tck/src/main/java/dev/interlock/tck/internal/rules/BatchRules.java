package dev.interlock.tck.internal.rules;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rules N7 and N8: what a fault may cost the leases that are renewed together. */
public final class BatchRules {
  private static final long LEASE = 4_000;
  private static final int MANY = 40;

  private BatchRules() {}

  @Rule(
      value = "N7",
      check =
          "that a renewal which could not be sent or was not answered is not taken for \"gone\"",
      needs = TckFault.CONNECTION,
      limit = 90,
      timed = true)
  public static void aShortFaultCostsNoLease(RuleRun run) throws Exception {
    FaultProxy proxy = run.proxy();
    LockClient client = run.client(proxy);
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      leases.add(client.acquire(Leases.fixed(run, run.name(), LEASE).renewing()));
    }
    proxy.refuse(true);
    int cut = proxy.cut();
    RuleRun.pause(run.ms(LEASE / 3));
    proxy.refuse(false);
    run.fault("all connections cut, and none taken, for a third of the lease");
    RuleRun.pause(run.ms(LEASE));
    expectAll(run, leases, "after " + cut + " connections were cut");
    proxy.holdReplies(true);
    RuleRun.pause(run.ms(LEASE / 4));
    proxy.cut();
    proxy.holdReplies(false);
    run.fault("no replies for a quarter of the lease, which are then lost");
    RuleRun.pause(run.ms(LEASE));
    expectAll(run, leases, "after replies were lost");
    for (Lease lease : leases) {
      lease.release();
    }
    run.note(MANY + " renewed leases outlived faults that were shorter than they");
  }

  private static void expectAll(RuleRun run, List<Lease> leases, String when) {
    long lost = leases.stream().filter(lease -> !lease.isValid()).count();
    run.count(leases.size());
    run.expect(lost == 0, "all renewed leases are valid " + when, lost + " are lost");
  }

  @Rule(
      value = "N8",
      check = "that the answers to a batch are told apart, whatever one of them is",
      timed = true)
  public static void eachOfABatchGetsItsOwnAnswer(RuleRun run) throws Exception {
    DirectBackend direct = run.direct();
    Duration lease = run.ms(20_000);
    List<Renewal> batch = new ArrayList<>();
    List<HoldId> gone = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      String name = run.name();
      HoldId id = direct.newId();
      direct.acquire(name, id, lease, run.ms(2_000));
      batch.add(Renewal.of(name, id, lease, false));
      if (i % 7 == 3) {
        gone.add(id);
        run.expect(direct.backend().forceRelease(name), "forceRelease answers true", "false");
        if (i % 2 == 0) { // held by another by now
          direct.acquire(name, direct.newId(), lease, run.ms(2_000));
        }
      }
    }
    for (int round = 0; round < 2; round++) {
      List<RenewalResult> results = RenewalAnswers.collect(direct.backend(), batch);
      for (int i = 0; i < MANY; i++) {
        boolean expectedGone = gone.contains(batch.get(i).id());
        RenewalResult result = results.get(i);
        run.expect(
            expectedGone ? result instanceof RenewalResult.Gone : result instanceof Grant,
            "a batch answers " + (expectedGone ? "Gone for what is lost" : "Held for what is held"),
            result.toString());
      }
      run.count(MANY);
    }
    run.note("of a batch of " + MANY + " those that were lost were answered Gone, the others Held");
  }

  @Rule(
      value = "N8",
      check = "that a lost hold costs those that are renewed with it nothing",
      timed = true)
  public static void aLostLeaseCostsTheOthersNothing(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockClient other = run.client();
    List<Lease> leases = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      String name = run.name();
      names.add(name);
      leases.add(client.acquire(Leases.fixed(run, name, LEASE).renewing()));
    }
    run.expect(other.forceRelease(names.get(0)), "forceRelease answers true", "it answered false");
    Lease next = other.acquire(Leases.fixed(run, names.get(0), 20_000));
    RuleRun.pause(run.ms(LEASE * 5 / 4));
    expectAll(run, leases.subList(1, MANY), "though one that is renewed with them was taken away");
    run.expect(!leases.get(0).isValid(), "the one that was taken away is lost", "it is valid");
    next.release();
    for (Lease lease : leases.subList(1, MANY)) {
      lease.release();
    }
  }
}
