package dev.interlock.tck.internal.run;

import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import java.util.ArrayList;
import java.util.List;

/** Puts in order what the test of a rule did. */
final class Healing {
  private Healing() {}

  /** Ends what a test did to servers and connections, also if it failed in the middle of it. */
  static List<Exception> endFaults(RuleRun run) {
    List<Exception> failures = new ArrayList<>();
    for (AutoCloseable healer : run.healers()) {
      try {
        healer.close();
      } catch (Exception e) {
        failures.add(e);
      }
    }
    return failures;
  }

  /** Closes what the rule opened; after that a fresh client must find the backend in order. */
  static void heal(RuleRun run) throws Exception {
    // First, for clients that are cut off take long to close.
    List<Exception> failures = endFaults(run);
    for (AutoCloseable closeable : run.opened()) {
      try {
        closeable.close();
      } catch (Exception e) {
        failures.add(e);
      }
    }
    try (LockClient fresh = run.opener().open()) {
      LockRequest request = LockRequest.of(run.name()).withLease(run.ms(10_000));
      fresh.acquire(request.withWait(run.limit(5_000))).release();
    }
    if (!failures.isEmpty()) {
      throw failures.get(0);
    }
  }
}
