package dev.interlock.compare.figures;

import dev.interlock.compare.servers.Backend;
import dev.interlock.measure.Round;
import dev.interlock.measure.Scenario;
import dev.interlock.measure.SectionClient;
import dev.interlock.measure.Statistics;
import dev.interlock.measure.server.ServerProbe;
import dev.interlock.tck.Effort;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Measures what happens when many threads want one lock. */
final class Crowd implements Measurement {
  private static final int LARGEST = 16;
  private static final Duration WAIT = Duration.ofSeconds(30);

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
    Duration time = Duration.ofMillis(effort.of(1000, 5000, 10_000));
    Waiting waiting = new Waiting();
    try (SectionClient one = waiting.sections(backend.uri(), request -> request.withWait(WAIT));
        SectionClient other = waiting.sections(backend.uri(), request -> request.withWait(WAIT))) {
      round(List.of(one), 1, time.dividedBy(4));
      double alone = round(List.of(one), 1, time).sectionsPerSecond();
      into.put(Measure.SECTIONS_1, alone);
      List<SectionClient> both = List.of(one, other);
      double two = round(both, 2, time.dividedBy(2)).sectionsPerSecond();
      double four = round(both, 4, time).sectionsPerSecond();
      into.put(Measure.SECTIONS_4, four);
      double eight = round(both, 8, time.dividedBy(2)).sectionsPerSecond();
      double most = largest(both, time, backend.probe(), into);
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
  private static double largest(
      List<SectionClient> clients, Duration time, Optional<ServerProbe> probe, Figures into)
      throws InterruptedException {
    OptionalLong before = commands(probe);
    Round.Result result = round(clients, LARGEST, time);
    OptionalLong after = commands(probe);
    into.put(Measure.SECTIONS_16, result.sectionsPerSecond());
    into.put(Measure.WORST_WAIT, result.acquire().getMaxValue() / 1e6);
    into.put(Measure.JAIN, Statistics.jain(result.sections()));
    if (before.isPresent() && after.isPresent()) {
      into.put(
          Measure.COMMANDS_PER_SECTION,
          (double) (after.getAsLong() - before.getAsLong()) / result.allSections());
    } else {
      into.none("the server cannot be asked past the provider", Measure.COMMANDS_PER_SECTION);
    }
    return result.sectionsPerSecond();
  }

  private static OptionalLong commands(Optional<ServerProbe> probe) {
    return probe.map(ServerProbe::totalCommands).orElse(OptionalLong.empty());
  }

  private static Round.Result round(List<SectionClient> clients, int threads, Duration time)
      throws InterruptedException {
    Scenario scenario = new Scenario(threads, 1, clients.size());
    Round.Result result = Round.run(scenario, clients, "compare-crowd-", time);
    if (!result.excluded()) {
      throw new IllegalStateException(
          "exclusion was violated: two holders seen %d times, %d updates lost"
              .formatted(result.overlaps(), result.lostUpdates()));
    }
    return result;
  }
}
