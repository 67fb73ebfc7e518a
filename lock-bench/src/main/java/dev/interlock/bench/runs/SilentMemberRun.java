package dev.interlock.bench.runs;

import dev.interlock.bench.subjects.QuorumSubjects;
import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.MeasurementFailedException;
import dev.interlock.measure.Round;
import dev.interlock.measure.Scenario;
import dev.interlock.measure.SectionClient;
import dev.interlock.measure.Statistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * Quorums at work while their first server falls silent, as one behind a broken network does: it
 * takes what it is sent, and answers nothing. The first one, since all requests begin there.
 */
public final class SilentMemberRun {
  /** As many clients as there are: one. */
  public static final Scenario SCENARIO = new Scenario(16, 16, 1);

  private static final Duration FIRST = Duration.ofSeconds(1);

  private final OpenSubjects open;
  private final BenchPlan plan;
  private final String names;
  private final Progress progress;
  private final Member first;

  /** A server that can be made silent. */
  public interface Member {
    void pause();

    void resume();
  }

  public SilentMemberRun(
      OpenSubjects open, BenchPlan plan, String names, Progress progress, Member first) {
    this.open = open;
    this.plan = plan;
    this.names = names;
    this.progress = progress;
    this.first = first;
  }

  /** Measures one quorum after the other, for each makes the server silent anew. */
  public List<SilentMemberResult> measure() throws InterruptedException {
    progress.note("silent-member: " + SCENARIO.description() + ", before and after");
    List<SilentMemberResult> results = new ArrayList<>();
    for (Subject subject : open.subjects()) {
      if (QuorumSubjects.isQuorum(subject)) {
        try {
          results.add(measure(subject));
        } catch (MeasurementFailedException e) {
          open.fail(subject, "silent-member", e);
        }
      }
    }
    return results;
  }

  private SilentMemberResult measure(Subject subject) throws InterruptedException {
    List<SectionClient> client = open.clients(subject, SCENARIO.clients());
    round(subject, client, plan.warmUp());
    double before = median(subject, client);
    first.pause();
    try {
      double firstSecond = round(subject, client, FIRST);
      return new SilentMemberResult(
          subject.id(), subject.label(), before, firstSecond, median(subject, client));
    } finally {
      first.resume();
    }
  }

  private double median(Subject subject, List<SectionClient> client) throws InterruptedException {
    DoubleStream.Builder rounds = DoubleStream.builder();
    for (int i = 0; i < plan.rounds(); i++) {
      rounds.add(round(subject, client, plan.round()));
    }
    return Statistics.median(rounds.build().toArray());
  }

  private double round(Subject subject, List<SectionClient> client, Duration length)
      throws InterruptedException {
    String prefix = names + subject.id() + ":silent:";
    return Round.run(SCENARIO, client, prefix, length).sectionsPerSecond();
  }
}
