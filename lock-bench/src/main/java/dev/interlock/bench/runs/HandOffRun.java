package dev.interlock.bench.runs;

import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.HandOff;
import dev.interlock.measure.Latency;
import dev.interlock.measure.SectionClient;
import dev.interlock.measure.Statistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * How long a lock takes from the client that releases it to another one that already waits for it:
 * short blocks of each subject in turns. The contended scenarios do not tell, for there a lock that
 * is not fair mostly stays with the client that has it.
 */
public final class HandOffRun {
  private static final int BLOCK = 10;

  /**
   * How long the holder keeps the lock once the other has asked for it, so that it surely waits:
   * other libraries do not tell when it does.
   */
  private static final Duration UNTIL_IT_WAITS = Duration.ofMillis(10);

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(15);

  private final OpenSubjects open;
  private final BenchPlan plan;
  private final String names;
  private final Progress progress;
  private final Duration longestWait;

  public HandOffRun(OpenSubjects open, BenchPlan plan, String names, Progress progress) {
    this(open, plan, names, progress, LONGEST_WAIT);
  }

  public HandOffRun(
      OpenSubjects open, BenchPlan plan, String names, Progress progress, Duration longestWait) {
    this.open = open;
    this.plan = plan;
    this.names = names;
    this.progress = progress;
    this.longestWait = longestWait;
  }

  public List<HandOffResult> measure() throws InterruptedException {
    progress.note("hand-off: from the release to a waiting client, in turns of " + BLOCK);
    Map<Subject, Blocks> blocks = new LinkedHashMap<>();
    try {
      for (Subject subject : open.subjects()) {
        List<SectionClient> clients = open.clients(subject, 2);
        String name = names + subject.id() + ":hand-off";
        HandOff handOff = new HandOff(
            clients.get(0).lock(name),
            clients.get(1).lock(name),
            () -> Thread.sleep(UNTIL_IT_WAITS.toMillis()),
            longestWait);
        blocks.put(subject, new Blocks(subject, handOff));
      }
      turn(blocks, 0);
      blocks.values().forEach(Blocks::reset);
      long end = System.nanoTime() + plan.handOff().toNanos();
      for (int turn = 0; turn == 0 || System.nanoTime() - end < 0; turn++) {
        turn(blocks, turn);
      }
      List<Subject> measured = open.subjects();
      return results(
          blocks.values().stream().filter(one -> measured.contains(one.subject)).toList());
    } finally {
      blocks.values().forEach(Blocks::close);
    }
  }

  private void turn(Map<Subject, Blocks> blocks, int turn) throws InterruptedException {
    open.takeTurn(
        turn, "hand-off", subject -> Objects.requireNonNull(blocks.get(subject)).run());
  }

  private static List<HandOffResult> results(List<Blocks> all) {
    double[] best = all.stream()
        .filter(one -> one.subject.kind() == Subject.Kind.PEER)
        .map(Blocks::medians)
        .min(Comparator.comparingDouble(Statistics::median))
        .orElse(null);
    return all.stream().map(one -> one.result(best)).toList();
  }

  /** The blocks of one subject. */
  private static final class Blocks implements AutoCloseable {
    private final Subject subject;
    private final HandOff handOff;
    private final Histogram latency = new Histogram(3);
    private final List<Double> medians = new ArrayList<>();

    Blocks(Subject subject, HandOff handOff) {
      this.subject = subject;
      this.handOff = handOff;
    }

    void run() throws InterruptedException {
      double[] nanos = new double[BLOCK];
      for (int i = 0; i < BLOCK; i++) {
        long took = handOff.run();
        latency.recordValue(took);
        nanos[i] = took;
      }
      medians.add(Statistics.median(nanos));
    }

    @Override
    public void close() {
      handOff.close();
    }

    void reset() {
      latency.reset();
      medians.clear();
    }

    double[] medians() {
      return medians.stream().mapToDouble(Double::doubleValue).toArray();
    }

    HandOffResult result(double @Nullable [] bestPeer) {
      return new HandOffResult(
          subject.id(),
          subject.label(),
          subject.kind(),
          subject.library(),
          medians.size() * (long) BLOCK,
          Latency.of(latency),
          bestPeer == null ? null : Statistics.ratio(medians(), bestPeer));
    }
  }
}
