package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What groups R and C say of steps that change who holds a lock together: one comes and one goes
 * between the requests of a step, at each gap in turn. Who writes back what it has read loses the
 * one, or brings the other back.
 */
public final class PartInterleavingRules {
  private static final int SIZE = 8;
  private static final long LONG = 60_000;
  private static final String ATTEMPT = "an attempt for a part";

  private PartInterleavingRules() {}

  @Rule(value = "R5", check = "that each step of a reader changes its own hold alone, in one step")
  public static void readersComeAndGoBetweenRequests(RuleRun run) throws Exception {
    comeAndGo(run, Integer.MAX_VALUE);
  }

  @Rule(value = "C2", check = "that each step for permits changes its own hold alone, in one step")
  public static void permitsComeAndGoBetweenRequests(RuleRun run) throws Exception {
    comeAndGo(run, SIZE);
  }

  private interface Step {
    void take(Attempt own) throws Exception;
  }

  private static void comeAndGo(RuleRun run, int capacity) throws Exception {
    if (!Gaps.canBeTried(run)) {
      return;
    }
    FaultProxy proxy = run.proxy();
    DirectBackend slow = run.direct(proxy);
    DirectBackend quick = run.direct();
    LockClient observer = run.client();
    Map<String, Step> steps = new LinkedHashMap<>();
    steps.put(ATTEMPT, slow::attempt);
    steps.put("a release of a part", own -> slow.release(own.name(), own.id()));
    steps.put("an abandonment of a part", own -> slow.abandon(own.name(), own.id()));
    if (run.has(Capability.RENEWABLE)) {
      steps.put("a renewal of a part", own -> slow.renew(own.name(), own.id(), run.ms(LONG)));
    }
    for (Map.Entry<String, Step> step : steps.entrySet()) {
      boolean comes = step.getKey().equals(ATTEMPT);
      Gaps.each(run, proxy, step.getKey(), () -> {
        String name = run.name();
        Attempt own = part(run, name, slow, capacity);
        Attempt going = part(run, name, quick, capacity);
        quick.acquire(going, run.limit(3_000));
        if (!comes) {
          slow.acquire(own, run.limit(3_000));
        }
        return new Passing(run, quick, observer, own, going, part(run, name, quick, capacity)) {
          @Override
          public Boolean call() throws Exception {
            step.getValue().take(own);
            return true;
          }

          @Override
          void leave() {
            slow.abandon(own.name(), own.id());
          }
        };
      });
    }
  }

  private static Attempt part(RuleRun run, String name, DirectBackend client, int capacity) {
    HoldId id = client.newId();
    return Attempt.of(name, id, "tck", run.ms(LONG)).withFair(true).withUnits(1, capacity);
  }

  private abstract static class Passing implements Gaps.Act<Boolean> {
    private final RuleRun run;
    private final DirectBackend quick;
    private final LockClient observer;
    private final String name;
    private final Attempt going;
    private final Attempt coming;

    Passing(
        RuleRun run,
        DirectBackend quick,
        LockClient observer,
        Attempt own,
        Attempt going,
        Attempt coming) {
      this.run = run;
      this.quick = quick;
      this.observer = observer;
      this.name = own.name();
      this.going = going;
      this.coming = coming;
    }

    /** Ends what the slow one may have. */
    abstract void leave();

    @Override
    public void meanwhile() throws Exception {
      quick.release(name, going.id());
      quick.acquire(coming, run.limit(9_000));
    }

    @Override
    public void judge(Optional<Boolean> answer) throws Exception {
      run.expectHeld(observer, name, "while one holds a part who came between another's requests");
      leave();
      run.expectWhileHeld(
          name,
          () -> quick.release(name, coming.id()),
          "a part that was taken between another's requests is held until its release",
          "it was gone");
      run.expectFree(
          observer,
          name,
          run.limit(1_000),
          "after the end of all parts, between requests or later");
    }
  }
}
