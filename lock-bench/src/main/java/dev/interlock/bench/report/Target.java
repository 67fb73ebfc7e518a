package dev.interlock.bench.report;

import dev.interlock.bench.runs.CountedResult;
import dev.interlock.bench.runs.ScenarioResult;
import dev.interlock.bench.runs.ScenarioResult.SubjectResult;
import dev.interlock.bench.runs.UncontendedResult;
import dev.interlock.bench.subjects.RedisSubjects;
import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.Statistics;
import java.util.ArrayList;
import java.util.List;

/**
 * What redis-setnx is to reach, and redis-hash with locks that are held in parts. The ratio of one
 * run on one machine: it informs, and fails nothing.
 *
 * @param text what is asked
 * @param bound the figure that is asked for
 * @param measured the figure of this run
 * @param met whether the one is no worse than the other
 */
public record Target(String text, double bound, double measured, boolean met) {

  /** Returns the targets whose figures were measured. */
  public static List<Target> of(
      List<UncontendedResult> uncontended,
      List<CountedResult> counted,
      List<ScenarioResult> scenarios) {
    List<Target> targets = new ArrayList<>();
    for (UncontendedResult result : uncontended) {
      if (result.id().equals(RedisSubjects.SETNX) && result.toFloor() != null) {
        double ratio = result.toFloor().median();
        targets.add(new Target("uncontended p50, at most x raw floor", 1.15, ratio, ratio <= 1.15));
      }
    }
    counted.stream().filter(result -> result.kind() == Subject.Kind.OURS).forEach(result -> {
      Statistics.Ratio toPeer = result.toPeer();
      if (toPeer != null) {
        double ratio = toPeer.median();
        targets.add(new Target(
            result.scenario() + " sections/s, at least x Redisson", 3, ratio, ratio >= 3));
      }
      Double worst = result.worstToPeer();
      if (worst != null && result.ways().size() > 1) {
        targets.add(new Target(
            result.scenario() + " a writer's worst wait, at most x Redisson",
            0.1,
            worst,
            worst <= 0.1));
      }
    });
    for (ScenarioResult scenario : scenarios) {
      if (scenario.id().equals("16t16l1c")) {
        versus(scenario, RedisSubjects.REDISSON, 4, targets);
        versus(scenario, RedisSubjects.SPRING_PUBSUB, 1, targets);
      }
      if (scenario.id().equals("16t1l1c") && scenario.bestPeer() != null) {
        versus(scenario, scenario.bestPeer(), 1.2, targets);
      }
    }
    return List.copyOf(targets);
  }

  private static void versus(
      ScenarioResult scenario, String peerId, double bound, List<Target> targets) {
    SubjectResult ours = scenario.subject(RedisSubjects.SETNX).orElse(null);
    SubjectResult peer = scenario.subject(peerId).orElse(null);
    if (ours == null || peer == null) {
      return;
    }
    double ratio = Statistics.ratio(ours.roundsArray(), peer.roundsArray()).median();
    String text = scenario.id() + " sections/s, at least x " + peer.label();
    targets.add(new Target(text, bound, ratio, ratio >= bound));
  }
}
