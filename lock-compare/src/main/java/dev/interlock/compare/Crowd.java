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
    long nanos = TimeUnit.MILLISECONDS.toNanos(effort.of(1000, 5000, 10_000));
    try (LockClient one = Locks.open(backend.uri());
        LockClient other = Locks.open(backend.uri())) {
      new CrowdRound(List.of(one), 1, nanos / 4).run();
      double alone = new CrowdRound(List.of(one), 1, nanos).run().perSecond();
      into.put(Measure.SECTIONS_1, alone);
      List<LockClient> both = List.of(one, other);
      double two = new CrowdRound(both, 2, nanos / 2).run().perSecond();
      double four = new CrowdRound(both, 4, nanos).run().perSecond();
      into.put(Measure.SECTIONS_4, four);
      double eight = new CrowdRound(both, 8, nanos / 2).run().perSecond();
      double most = largest(new CrowdRound(both, LARGEST, nanos), backend.probe(), into);
      into.put(
          Curve.SECTIONS,
          List.of(
              new Figures.Point("1", alone),
              new Figures.Point("2", two),
              new Figures.Point("4", four),
              new Figures.Point("8", eight),
              new Figures.Point(Integer.toString(LARGEST), most)));
    }
  }

  /** Returns the sections a second. */
  private static double largest(CrowdRound round, Optional<ServerProbe> probe, Figures into)
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
    return outcome.perSecond();
  }
}
