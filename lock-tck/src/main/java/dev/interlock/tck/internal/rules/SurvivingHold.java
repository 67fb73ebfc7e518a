package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * A hold whose lease is to go on over a restart.
 *
 * @param called when it had not begun yet
 * @param begun when it had; empty if that is not known
 */
record SurvivingHold(Lease lease, long called, Optional<Long> begun) {
  static final long LEASE = 60_000;

  /** What two clocks may differ by, and a server may round, while it restarts. */
  private static final Duration TOLERANCE = Duration.ofMillis(200);

  static SurvivingHold begin(Callable<Lease> grant) throws Exception {
    long called = System.nanoTime();
    return new SurvivingHold(grant.call(), called, Optional.of(System.nanoTime()));
  }

  /** One whose lease begins again when its holder confirms it, which may be late. */
  SurvivingHold confirmedLate() {
    return new SurvivingHold(lease, called, Optional.empty());
  }

  void expectRest(RuleRun run, LockClient other) throws Exception {
    Duration most =
        run.expiry(LEASE).minus(begun.map(RuleRun::since).orElse(Duration.ZERO)).plus(TOLERANCE);
    run.ifOffered(() -> {
      Optional<HoldInfo> told = other.inspect(lease.name());
      Duration left = told.map(HoldInfo::remaining).orElse(Duration.ZERO);
      Duration least = run.ms(LEASE).minus(RuleRun.since(called)).minus(TOLERANCE);
      run.expect(
          left.compareTo(least) >= 0 && left.compareTo(most) <= 0,
          "after the restart between %s and %s of a lease remain".formatted(least, most),
          left + " remain");
      if (run.has(Capability.FENCED)) {
        long token = told.map(HoldInfo::fencingToken).orElse(0L);
        run.expect(
            token == lease.fencingToken(),
            "after the restart a hold has token " + lease.fencingToken(),
            "inspect tells " + token);
      }
    });
  }
}
