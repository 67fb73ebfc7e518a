package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.RenewalResult;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Rule N3 where a renewal goes another way than that of one hold alone. */
public final class ExpiredRenewalRules {
  private static final long BRIEF = 150;
  private static final long LONG = 20_000;

  private ExpiredRenewalRules() {}

  @Rule(
      value = "N3",
      check = "that each renewal of a batch, and that of a place, looks whether the lease is over",
      timed = true)
  public static void neitherABatchNorAPlaceBringsBackWhatHasExpired(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend direct = run.direct();
    LockClient observer = run.client();
    List<Attempt> batch = new ArrayList<>();
    for (UnaryOperator<Attempt> kind : Leases.attempts(run).values()) {
      Attempt brief = kind.apply(attempt(run, direct, BRIEF));
      direct.acquire(brief, run.limit(3_000));
      batch.add(brief);
    }
    Attempt lasting = attempt(run, direct, LONG);
    direct.acquire(lasting, run.limit(3_000));
    Optional<Attempt> waiter = served(run, direct);
    // Nobody looks at the locks until the leases are over: a look may end what is over.
    RuleRun.pause(run.expiry(2 * BRIEF));
    batch.add(lasting);
    List<RenewalResult> results = direct.renewAll(batch, run.ms(LONG));
    batch.remove(lasting);
    for (int i = 0; i < batch.size(); i++) {
      String name = batch.get(i).name();
      OwnershipRules.expectGone(
          run, results.get(i), "renewal of an expired hold in a batch with another");
      run.expectFree(observer, name, run.limit(1_000), "after a batch with an expired hold");
    }
    RenewalResult last = results.get(batch.size());
    run.expectWhileHeld(
        lasting.name(),
        () -> last instanceof Grant,
        "one that is held is renewed in a batch with expired ones",
        "the answer was " + last);
    direct.release(lasting.name(), lasting.id());
    if (waiter.isPresent()) {
      expectNotTold(run, direct, observer, waiter.get());
    }
    run.note("holds that had expired were not renewed in a batch of " + results.size());
  }

  /** One who was granted a lock from the queue; nobody where there is none. */
  private static Optional<Attempt> served(RuleRun run, DirectBackend direct)
      throws InterruptedException {
    if (!run.has(Capability.FAIR)) {
      return Optional.empty();
    }
    Attempt waiter = attempt(run, direct, BRIEF).withFair(true).withPatience(run.ms(60_000));
    HoldId before = direct.newId();
    direct.acquire(waiter.name(), before, run.ms(LONG), run.limit(3_000));
    if (!(direct.attempt(waiter) instanceof AttemptResult.Queued)) {
      return Optional.empty();
    }
    direct.release(waiter.name(), before);
    direct.acquire(waiter, run.limit(3_000));
    return Optional.of(waiter);
  }

  private static void expectNotTold(
      RuleRun run, DirectBackend direct, LockClient observer, Attempt waiter) throws Exception {
    Lease next = observer.acquire(Leases.fixed(run, waiter.name(), LONG));
    RenewalResult place = direct.refresh(waiter);
    run.expect(
        !(place instanceof Grant),
        "who keeps its place is not told of a grant whose lease is over, while another holds",
        "the answer was " + place);
    direct.abandon(waiter.name(), waiter.id());
    next.release();
  }

  private static Attempt attempt(RuleRun run, DirectBackend direct, long lease) {
    return Attempt.of(run.name(), direct.newId(), "tck", run.ms(lease));
  }
}
