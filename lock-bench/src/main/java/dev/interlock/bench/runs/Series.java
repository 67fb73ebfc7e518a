package dev.interlock.bench.runs;

import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.Latency;
import dev.interlock.measure.Round;
import dev.interlock.measure.Statistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The rounds of one subject in one scenario. Not thread-safe. */
final class Series {
  private final Subject subject;
  private final List<Round.Result> rounds = new ArrayList<>();
  private Effort effort = Effort.NONE;

  Series(Subject subject) {
    this.subject = subject;
  }

  void add(Round.Result round, Effort ofRound) {
    rounds.add(round);
    effort = effort.plus(ofRound);
  }

  Subject subject() {
    return subject;
  }

  double[] sectionsPerSecond() {
    return perRound(Round.Result::sectionsPerSecond);
  }

  double median() {
    return Statistics.median(sectionsPerSecond());
  }

  double jain() {
    return Statistics.median(perRound(round -> Statistics.jain(round.sections())));
  }

  private double[] perRound(ToDoubleFunction<Round.Result> figure) {
    return rounds.stream().mapToDouble(figure).toArray();
  }

  Latency acquire() {
    Histogram all = new Histogram(3);
    rounds.forEach(round -> all.add(round.acquire()));
    return Latency.of(all);
  }

  /** Returns the server's commands a section, by name, also those within scripts. */
  Map<String, Double> commandsPerSection() {
    Map<String, Double> perSection = new TreeMap<>();
    effort.commands().forEach((name, calls) -> perSection.put(name, calls / allSections()));
    return perSection;
  }

  /** Returns this JVM's CPU time for a section, in microseconds. */
  double clientCpuPerSection() {
    return effort.clientCpuMicros() / allSections();
  }

  /** Returns the server's CPU time for a section, in microseconds; null if it does not tell. */
  @Nullable
  Double serverCpuPerSection() {
    OptionalLong micros = effort.serverCpuMicros();
    return micros.isPresent() ? micros.getAsLong() / allSections() : null;
  }

  private double allSections() {
    return rounds.stream().mapToLong(Round.Result::allSections).sum();
  }

  long overlaps() {
    return rounds.stream().mapToLong(Round.Result::overlaps).sum();
  }

  long lostUpdates() {
    return rounds.stream().mapToLong(Round.Result::lostUpdates).sum();
  }
}
