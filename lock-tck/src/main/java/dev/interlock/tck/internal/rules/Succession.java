package dev.interlock.tck.internal.rules;

import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.Optional;

/** Between two requests of a call for a hold, that hold ends and another client acquires. */
abstract class Succession implements Gaps.Act<Boolean> {
  private static final long LONG = 60_000;

  private final RuleRun run;
  private final LockClient other;
  private final String name;
  private final String what;
  private Optional<Lease> successor = Optional.empty();

  Succession(RuleRun run, LockClient other, String name, String what) {
    this.run = run;
    this.other = other;
    this.name = name;
    this.what = what;
  }

  /** Ends the first hold, as whoever is quicker does. */
  abstract void end();

  @Override
  public void meanwhile() throws Exception {
    end();
    successor = Optional.of(other.acquire(Leases.fixed(run, name, LONG).withWait(run.ms(15_000))));
  }

  @Override
  public void judge(Optional<Boolean> answer) throws Exception {
    Lease lease = successor.orElseThrow();
    String when = "after " + what + " between whose requests it was acquired";
    run.expectHeld(other, name, when);
    run.ifOffered(() -> {
      Duration left = other.inspect(name).map(HoldInfo::remaining).orElse(Duration.ZERO);
      run.expect(
          left.compareTo(run.expiry(LONG)) <= 0,
          "at most the successor's lease of a minute remains " + when,
          left + " remain");
    });
    Leases.expectValid(run, lease, "the successor's lease " + when);
    lease.release();
  }
}
