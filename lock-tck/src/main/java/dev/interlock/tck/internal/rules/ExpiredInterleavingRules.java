package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * What several rules say of calls that find a hold whose lease is over: another client acquires
 * between their requests, at each gap in turn. Who clears away in another step what it has found
 * clears away a successor.
 */
public final class ExpiredInterleavingRules {
  private static final long BRIEF = 150;
  private static final long LONG = 60_000;

  private ExpiredInterleavingRules() {}

  private record Expired(String name, HoldId id, long token) {}

  private interface Step {
    void take(DirectBackend slow, Expired over);
  }

  @Rule(
      value = "O2",
      check = "that a release clears away what has expired in the step that finds it")
  public static void aLateReleaseIsOneStep(RuleRun run) throws Exception {
    follow(run, "a late release", (slow, over) -> slow.release(over.name(), over.id()));
  }

  @Rule(value = "E2", check = "that an abandonment clears away in the step that finds")
  public static void aLateAbandonmentIsOneStep(RuleRun run) throws Exception {
    follow(run, "a late abandonment", (slow, over) -> slow.abandon(over.name(), over.id()));
  }

  @Rule(
      value = "N3",
      check = "that a renewal clears away what has expired in the step that finds it")
  public static void aLateRenewalIsOneStep(RuleRun run) throws Exception {
    follow(
        run,
        "a late renewal",
        (slow, over) -> slow.renew(over.name(), over.id(), run.ms(10 * LONG)));
  }

  @Rule(
      value = "M1",
      check = "that an inspection clears nothing away but in the step that finds it")
  public static void anInspectionOfWhatIsOverIsOneStep(RuleRun run) throws Exception {
    follow(
        run, "an inspection of what is over", (slow, over) -> slow.backend().inspect(over.name()));
  }

  @Rule(value = "M2", check = "that a forced release clears away in the step that finds")
  public static void aLateForcedReleaseIsOneStep(RuleRun run) throws Exception {
    if (run.has(Capability.FENCED)) {
      follow(
          run,
          "a late forced release",
          (slow, over) -> slow.backend().forceRelease(over.name(), over.token()));
    }
  }

  private static void follow(RuleRun run, String what, Step step) throws Exception {
    if (run.isForeign() || !Gaps.canBeTried(run)) {
      return;
    }
    FaultProxy proxy = run.proxy();
    DirectBackend slow = run.direct(proxy);
    LockClient other = run.client();
    Queue<Expired> expired = expired(run, slow);
    Gaps.each(run, proxy, what, () -> {
      Expired over = expired.remove();
      return new Succession(run, other, over.name(), what) {
        @Override
        void end() {
          // It has ended.
        }

        @Override
        public Boolean call() {
          step.take(slow, over);
          return true;
        }
      };
    });
  }

  /** One for each gap, at once, for that they are over takes its time. */
  private static Queue<Expired> expired(RuleRun run, DirectBackend slow) throws Exception {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < Gaps.MOST_REQUESTS; i++) {
      names.add(run.name());
    }
    List<Expired> expired = SideBySide.each(names, name -> {
      HoldId id = slow.newId();
      Grant held = slow.acquire(name, id, run.ms(BRIEF), run.limit(3_000));
      return new Expired(name, id, held.fencingToken());
    });
    RuleRun.pause(run.expiry(2 * BRIEF));
    return new ArrayDeque<>(expired);
  }
}
