package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import dev.interlock.spi.Attempt;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * What groups R, C and S say of steps that change who holds a lock together: one comes and one goes
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
    comeAndGo(run, true, attempt -> attempt.withFair(true).withUnits(1, Integer.MAX_VALUE));
  }

  @Rule(value = "C2", check = "that each step for permits changes its own hold alone, in one step")
  public static void permitsComeAndGoBetweenRequests(RuleRun run) throws Exception {
    comeAndGo(run, true, attempt -> attempt.withFair(true).withUnits(1, SIZE));
  }

  @Rule(value = "S2", check = "that each step for an entry changes that entry alone, in one step")
  public static void entriesComeAndGoBetweenRequests(RuleRun run) throws Exception {
    comeAndGo(run, false, attempt -> attempt.withSharedOwner(true));
  }

  private interface Step {
    void take(Attempt own, long token) throws Exception;
  }

  /**
   * Lets them come and go.
   *
   * @param apart whether each has a token of its own, by which it is forced out alone
   */
  private static void comeAndGo(RuleRun run, boolean apart, UnaryOperator<Attempt> part)
      throws Exception {
    if (!Gaps.canBeTried(run)) {
      return;
    }
    FaultProxy proxy = run.proxy();
    DirectBackend slow = run.direct(proxy);
    DirectBackend quick = run.direct();
    LockClient observer = run.client();
    for (Map.Entry<String, Step> step : steps(run, slow, apart).entrySet()) {
      boolean comes = step.getKey().equals(ATTEMPT);
      Gaps.each(run, proxy, step.getKey(), () -> {
        String name = run.name();
        Attempt own = part.apply(attempt(run, name, slow));
        Attempt going = part.apply(attempt(run, name, quick));
        quick.acquire(going, run.limit(3_000));
        long token = comes ? 0 : slow.acquire(own, run.limit(3_000)).fencingToken();
        Attempt coming = part.apply(attempt(run, name, quick));
        return new Passing(run, quick, observer, going, coming) {
          @Override
          public Boolean call() throws Exception {
            step.getValue().take(own, token);
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

  private static Map<String, Step> steps(RuleRun run, DirectBackend slow, boolean apart) {
    Map<String, Step> steps = new LinkedHashMap<>();
    steps.put(ATTEMPT, (own, token) -> slow.attempt(own));
    steps.put("a release of a part", (own, token) -> slow.release(own.name(), own.id()));
    steps.put("an abandonment of a part", (own, token) -> slow.abandon(own.name(), own.id()));
    if (run.has(Capability.RENEWABLE)) {
      steps.put(
          "a renewal of a part", (own, token) -> slow.renew(own.name(), own.id(), run.ms(LONG)));
    }
    if (apart && run.has(Capability.FENCED)) {
      steps.put(
          "a forced release of a part",
          (own, token) -> slow.backend().forceRelease(own.name(), token));
    }
    return steps;
  }

  private static Attempt attempt(RuleRun run, String name, DirectBackend client) {
    return Attempt.of(name, client.newId(), "tck", run.ms(LONG));
  }

  private abstract static class Passing implements Gaps.Act<Boolean> {
    private final RuleRun run;
    private final DirectBackend quick;
    private final LockClient observer;
    private final String name;
    private final Attempt going;
    private final Attempt coming;

    Passing(RuleRun run, DirectBackend quick, LockClient observer, Attempt going, Attempt coming) {
      this.run = run;
      this.quick = quick;
      this.observer = observer;
      this.name = going.name();
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
