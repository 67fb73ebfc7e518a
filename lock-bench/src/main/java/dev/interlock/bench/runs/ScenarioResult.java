package dev.interlock.bench.runs;

import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.Latency;
import dev.interlock.measure.Scenario;
import dev.interlock.measure.Statistics;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one scenario showed.
 *
 * @param bestPeer the id of the peer with the most sections a second; null without peers
 * @param subjects those that were measured to the end
 */
public record ScenarioResult(
    String id, String description, @Nullable String bestPeer, List<SubjectResult> subjects) {

  /**
   * What one subject showed.
   *
   * @param sectionsPerSecond the median of the rounds
   * @param rounds sections a second in each round
   * @param acquire how long acquiring took
   * @param jain the index of fairness over the threads, the median of the rounds
   * @param commandsPerSection the server's commands, also those within scripts
   * @param commands the same for each command
   * @param clientCpuMicros this JVM's CPU time for a section
   * @param serverCpuMicros the server's CPU time for a section; null if it does not tell
   * @param toFloor sections a second as a ratio to the floor's; null without a floor
   * @param toBestPeer the same to the best peer's; null without peers
   * @param overlaps how often two holders were seen at once
   * @param lostUpdates how many sections undid another one's update
   */
  public record SubjectResult(
      String id,
      String label,
      Subject.Kind kind,
      String library,
      double sectionsPerSecond,
      List<Double> rounds,
      Latency acquire,
      double jain,
      double commandsPerSection,
      Map<String, Double> commands,
      double clientCpuMicros,
      @Nullable Double serverCpuMicros,
      Statistics.@Nullable Ratio toFloor,
      Statistics.@Nullable Ratio toBestPeer,
      long overlaps,
      long lostUpdates) {

    public boolean excluded() {
      return overlaps == 0 && lostUpdates == 0;
    }

    public double[] roundsArray() {
      return rounds.stream().mapToDouble(Double::doubleValue).toArray();
    }
  }

  public Optional<SubjectResult> subject(String subjectId) {
    return subjects.stream().filter(subject -> subject.id().equals(subjectId)).findFirst();
  }

  /** Sums up the series of a scenario, all of the same number of rounds. */
  static ScenarioResult of(Scenario scenario, List<Series> series) {
    // The first, as where nobody else wants the lock: over several servers there are more.
    Optional<Series> floor = series.stream()
        .filter(one -> one.subject().kind() == Subject.Kind.FLOOR)
        .findFirst();
    Optional<Series> bestPeer = series.stream()
        .filter(one -> one.subject().kind() == Subject.Kind.PEER)
        .max(Comparator.comparingDouble(Series::median));
    return new ScenarioResult(
        scenario.id(),
        scenario.description(),
        bestPeer.map(best -> best.subject().id()).orElse(null),
        series.stream().map(one -> subject(one, floor, bestPeer)).toList());
  }

  private static SubjectResult subject(
      Series series, Optional<Series> floor, Optional<Series> bestPeer) {
    Subject subject = series.subject();
    Map<String, Double> commands = series.commandsPerSection();
    double[] rounds = series.sectionsPerSecond();
    return new SubjectResult(
        subject.id(),
        subject.label(),
        subject.kind(),
        subject.library(),
        series.median(),
        Arrays.stream(rounds).boxed().toList(),
        series.acquire(),
        series.jain(),
        commands.values().stream().mapToDouble(Double::doubleValue).sum(),
        commands,
        series.clientCpuPerSection(),
        series.serverCpuPerSection(),
        floor.map(base -> Statistics.ratio(rounds, base.sectionsPerSecond())).orElse(null),
        bestPeer.map(base -> Statistics.ratio(rounds, base.sectionsPerSecond())).orElse(null),
        series.overlaps(),
        series.lostUpdates());
  }
}
