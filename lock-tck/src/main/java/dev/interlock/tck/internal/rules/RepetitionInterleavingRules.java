package dev.interlock.tck.internal.rules;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Rule E1 for an attempt whose repetition comes while it is still under way. */
public final class RepetitionInterleavingRules {
  private RepetitionInterleavingRules() {}

  /** One attempt, sent a second time between the requests of the first. */
  private static final class Repetition implements Gaps.Act<AttemptResult> {
    private final RuleRun run;
    private final DirectBackend direct;
    private final LockClient observer;
    private final Attempt attempt;
    private final Optional<Lease> before;
    private Optional<AttemptResult> second = Optional.empty();

    Repetition(
        RuleRun run,
        DirectBackend direct,
        LockClient observer,
        Attempt attempt,
        Optional<Lease> before) {
      this.run = run;
      this.direct = direct;
      this.observer = observer;
      this.attempt = attempt;
      this.before = before;
    }

    @Override
    public AttemptResult call() {
      return direct.attempt(attempt);
    }

    @Override
    public void meanwhile() {
      try {
        second = Optional.of(direct.attempt(attempt));
      } catch (BackendUnavailableException | OutcomeUnknownException e) {
        // The engine sends it once more, as is done below.
      }
    }

    @Override
    public void judge(Optional<AttemptResult> answer) throws Exception {
      if (before.isPresent()) {
        int waiters = Queues.waiters(observer, attempt.name());
        run.expect(
            waiters <= 1, "an attempt that is sent twice at once waits once", waiters + " wait");
        before.get().release();
      }
      direct.acquire(attempt, run.limit(3_000));
      if (before.isEmpty()) {
        expectGranted(answer);
        expectGranted(second);
      }
      run.expectWhileHeld(
          attempt.name(),
          () -> direct.release(attempt.name(), attempt.id()),
          "the release finds the hold",
          "it does not");
      run.expectFree(
          observer, attempt.name(), run.limit(1_000), "after one release of what was sent twice");
    }

    /** One that failed is sent again by the engine, as here. */
    private void expectGranted(Optional<AttemptResult> answer) {
      run.expectWhileHeld(
          attempt.name(),
          () -> answer.isEmpty() || answer.get() instanceof Grant,
          "an attempt on a free lock is granted, also when it meets its repetition",
          "it is answered " + answer);
    }
  }

  @Rule(
      value = "E1",
      check = "that an attempt looks for its own id in the step that takes or waits")
  public static void anAttemptMeetsItsRepetition(RuleRun run) throws Exception {
    if (!Gaps.canBeTried(run) || run.isForeign()) {
      return;
    }
    FaultProxy proxy = run.proxy();
    // Both come from one client, as when it did not wait for the first any longer.
    DirectBackend direct = run.direct(proxy);
    LockClient observer = run.client();
    for (Map.Entry<String, UnaryOperator<Attempt>> kind : Leases.attempts(run).entrySet()) {
      for (boolean free : new boolean[] {true, false}) {
        Gaps.each(run, proxy, "an attempt of " + kind.getKey(), () -> {
          String name = run.name();
          Optional<Lease> before = free
              ? Optional.empty()
              : Optional.of(observer.acquire(Leases.fixed(run, name, 30_000)));
          Attempt attempt = kind.getValue()
              .apply(Attempt.of(name, direct.newId(), "tck", run.ms(20_000))
                  .withPatience(run.ms(20_000)));
          return new Repetition(run, direct, observer, attempt, before);
        });
      }
    }
  }
}
