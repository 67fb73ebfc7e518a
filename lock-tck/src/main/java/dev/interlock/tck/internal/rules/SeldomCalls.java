package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.RenewalResult;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.RuleRun;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What is seldom asked of a server, and needs an honest answer all the same: a forced release of a
 * lock that is held, and abandonments of a hold and of a wait. Abandonments are sent without the
 * engine, which sends those again that fail.
 *
 * @param direct sends them
 * @param kept a lock that another client holds
 * @param waiting an attempt that waits for it
 * @param left a hold to be abandoned
 * @param leftName its lock
 */
record SeldomCalls(
    DirectBackend direct, Lease kept, Attempt waiting, HoldId left, String leftName) {
  private static final String END_OF_WAIT = "an abandonment of a wait";
  private static final String END_OF_HOLD = "an abandonment of a hold";

  static SeldomCalls prepare(RuleRun run, LockClient observer, DirectBackend direct)
      throws InterruptedException {
    Lease kept = observer.acquire(Leases.fixed(run, run.name(), 60_000));
    Attempt waiting = Attempt.of(kept.name(), direct.newId(), "tck", run.ms(20_000))
        .withFair(run.has(Capability.FAIR))
        .withPatience(run.ms(60_000));
    direct.attempt(waiting);
    String leftName = run.name();
    HoldId left = direct.newId();
    direct.acquire(leftName, left, run.ms(60_000), run.limit(5_000));
    return new SeldomCalls(direct, kept, waiting, left, leftName);
  }

  /** Makes all of them at the same time. */
  List<CompletableFuture<TimedAnswer>> calls(RuleRun run, LockClient client) {
    String name = kept.name();
    List<CompletableFuture<TimedAnswer>> calls = new ArrayList<>();
    calls.add(TimedAnswer.of("forceRelease", () -> client.forceRelease(name)));
    if (run.has(Capability.FENCED)) {
      long token = kept.fencingToken();
      calls.add(
          TimedAnswer.of("forceRelease with a token", () -> client.forceRelease(name, token)));
    }
    calls.add(abandonment(END_OF_HOLD, leftName, left));
    calls.add(abandonment(END_OF_WAIT, name, waiting.id()));
    return calls;
  }

  private CompletableFuture<TimedAnswer> abandonment(String call, String name, HoldId id) {
    return TimedAnswer.of(call, () -> {
      direct.abandon(name, id);
      return "done";
    });
  }

  /** Tells whether a server that refuses to write may answer this. */
  static boolean mayBeAnswered(String call) {
    return List.of("inspect", END_OF_WAIT, END_OF_HOLD).contains(call);
  }

  /** Judges, when all is well again, what a server did that refused to write. */
  void judge(RuleRun run, List<TimedAnswer> answers) {
    for (TimedAnswer answer : answers) {
      if (answer.error() == null && answer.call().equals(END_OF_WAIT)) {
        expectGone(run, answer.call(), direct.refresh(waiting));
      } else if (answer.error() == null && answer.call().equals(END_OF_HOLD)) {
        expectGone(run, answer.call(), direct.renew(leftName, left, run.ms(20_000)));
      }
    }
  }

  private static void expectGone(RuleRun run, String call, RenewalResult found) {
    run.expect(
        found instanceof RenewalResult.Gone,
        call + " that a read-only server confirmed has left nothing",
        "it is still there: " + found);
  }
}
