package dev.interlock.compare;

import dev.interlock.LockClient;
import dev.interlock.Locks;
import dev.interlock.tck.Effort;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Measures what happens when many threads want one lock. */
final class Crowd implements Measurement {
  private static final int LARGEST = 16;

  @Override
  public String title() {
    return "contention";
  }

  @Override
  public List<Measure> measures() {
    return List.of(
        Measure.SECTIONS_1,
        Measure.SECTIONS_4,
        Measure.SECTIONS_16,
        Measure.COMMANDS_PER_SECTION,
        Measure.WORST_WAIT,
        Measure.JAIN);
  }

  @Override
  public void take(Backend backend, Effort effort, Figures into) throws Exception {
    long nanos = TimeUnit.MILLISECONDS.toNanos(effort.of(1500, 5000, 10_000));
    try (LockClient one = Locks.open(backend.uri());
        LockClient other = Locks.open(backend.uri())) {
      new CrowdRound(List.of(one), 1, nanos / 4).run();
      into.put(Measure.SECTIONS_1, new CrowdRound(List.of(one), 1, nanos).run().perSecond());
      List<LockClient> both = List.of(one, other);
      into.put(Measure.SECTIONS_4, new CrowdRound(both, 4, nanos).run().perSecond());
      largest(new CrowdRound(both, LARGEST, nanos), backend.probe(), into);
    }
  }

  private static void largest(CrowdRound round, Optional<ServerProbe> probe, Figures into)
      throws InterruptedException {
    long before = probe.map(ServerProbe::commands).orElse(0L);
    CrowdRound.Outcome outcome = round.run();
    long after = probe.map(ServerProbe::commands).orElse(0L);
    into.put(Measure.SECTIONS_16, outcome.perSecond());
    into.put(Measure.WORST_WAIT, outcome.worstWaitNanos() / 1e6);
    into.put(Measure.JAIN, outcome.jain());
    if (probe.isPresent()) {
      into.put(Measure.COMMANDS_PER_SECTION, (double) (after - before) / outcome.sections());
    } else {
      into.none("the server cannot be asked past the provider", Measure.COMMANDS_PER_SECTION);
    }
  }
}
