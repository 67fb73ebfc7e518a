package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule N8 for names that a batch may join, or take apart, as it is sent. */
public final class BatchNameRules {
  private static final long SHORT = 60_000;
  private static final long LONG = 600_000;

  private BatchNameRules() {}

  private record Held(String name, HoldId id, long token) {}

  @Rule(
      value = "N8",
      check = "that the names of a batch are told from one another, and from what is between them",
      timed = true)
  public static void eachNameOfABatchHasItsOwnAnswer(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend direct = run.direct();
    List<Held> holds = SideBySide.each(LookAlikes.of(run.name()), name -> {
      HoldId id = direct.newId();
      Grant held = direct.acquire(name, id, run.ms(SHORT), run.limit(3_000));
      return new Held(name, id, held.fencingToken());
    });
    // Those that are joined by one mistake are neighbours.
    List<Held> released = new ArrayList<>();
    List<Held> kept = new ArrayList<>();
    for (int i = 0; i < holds.size(); i++) {
      (i % 2 == 0 ? kept : released).add(holds.get(i));
    }
    SideBySide.each(released, hold -> direct.release(hold.name(), hold.id()));
    List<Renewal> batch = holds.stream()
        .map(hold -> Renewal.of(hold.name(), hold.id(), run.ms(LONG), false))
        .toList();
    List<RenewalResult> results = RenewalAnswers.collect(direct.backend(), batch);
    for (int i = 0; i < holds.size(); i++) {
      expectOwn(run, holds.get(i), i % 2 == 0, results.get(i));
    }
    SideBySide.each(kept, hold -> {
      Duration left =
          direct.backend().inspect(hold.name()).map(HoldInfo::remaining).orElse(Duration.ZERO);
      run.expectWhileHeld(
          hold.name(),
          () -> left.compareTo(run.ms(LONG / 2)) > 0,
          "\"" + hold.name() + "\" is renewed with its batch",
          left + " remain");
      return direct.release(hold.name(), hold.id());
    });
    run.count(holds.size());
    run.note(holds.size() + " look-alike names were told apart in one batch");
  }

  private static void expectOwn(RuleRun run, Held hold, boolean kept, RenewalResult result) {
    String which = "of a batch of look-alike names \"" + hold.name() + "\", ";
    if (!kept) {
      run.expect(
          result instanceof RenewalResult.Gone, which + "which was released, is Gone", "" + result);
      return;
    }
    run.expectWhileHeld(
        hold.name(),
        () -> result instanceof Grant held
            && (!run.has(Capability.FENCED) || held.fencingToken() == hold.token()),
        which + "which is held, is Held with token " + hold.token(),
        "" + result);
  }
}
