package dev.interlock.bench.runs;

import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.MeasurementFailedException;
import dev.interlock.measure.Round;
import dev.interlock.measure.Scenario;
import dev.interlock.measure.server.ServerProbe;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Runs the subjects in turns: every round has each of them once, beginning with another one each
 * time, so that whatever the machine does meanwhile hits all alike.
 */
public final class ContentionRun {
  private final OpenSubjects open;
  private final ServerProbe server;
  private final BenchPlan plan;
  private final String names;
  private final Progress progress;

  /**
   * Prepares a run.
   *
   * @param names what the names of this run's locks begin with
   */
  public ContentionRun(
      OpenSubjects open, ServerProbe server, BenchPlan plan, String names, Progress progress) {
    this.open = open;
    this.server = server;
    this.plan = plan;
    this.names = names;
    this.progress = progress;
  }

  public ScenarioResult measure(Scenario scenario) throws InterruptedException {
    progress.note(scenario.id() + ": " + scenario.description());
    for (Subject subject : open.subjects()) {
      attempt(scenario, subject, () -> round(scenario, subject, plan.warmUp()));
    }
    Map<Subject, Series> series = new LinkedHashMap<>();
    open.subjects().forEach(subject -> series.put(subject, new Series(subject)));
    for (int round = 0; round < plan.rounds(); round++) {
      progress.begin(scenario.id() + " round " + (round + 1) + "/" + plan.rounds() + ":");
      for (Subject subject : open.subjects(round)) {
        Series mine = Objects.requireNonNull(series.get(subject));
        attempt(scenario, subject, () -> measure(scenario, subject, mine));
      }
      progress.end();
    }
    series.keySet().retainAll(open.subjects());
    return ScenarioResult.of(scenario, List.copyOf(series.values()));
  }

  private void measure(Scenario scenario, Subject subject, Series series)
      throws InterruptedException {
    Effort before = Effort.upToNow(server);
    Round.Result result = round(scenario, subject, plan.round());
    series.add(result, Effort.upToNow(server).since(before));
    progress.part(subject.id(), result.sectionsPerSecond());
    if (!result.excluded()) {
      progress.end();
      progress.violated(subject.id(), scenario.id(), result);
    }
  }

  private Round.Result round(Scenario scenario, Subject subject, Duration length)
      throws InterruptedException {
    String prefix = names + subject.id() + ":" + scenario.id() + ":";
    return Round.run(scenario, open.clients(subject, scenario.clients()), prefix, length);
  }

  private void attempt(Scenario scenario, Subject subject, Step step) throws InterruptedException {
    try {
      step.run();
    } catch (MeasurementFailedException e) {
      progress.end();
      open.fail(subject, scenario.id(), e);
    }
  }

  private interface Step {
    void run() throws InterruptedException;
  }
}
