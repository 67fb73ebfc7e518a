package dev.interlock.bench.runs;

import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.Latency;
import dev.interlock.measure.SectionLock;
import dev.interlock.measure.Statistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * One thread that locks and unlocks what nobody else wants: short blocks of each subject in turns.
 * The ratio is taken within each turn, where all ran within a fraction of a second.
 */
public final class UncontendedRun {
  private static final int BLOCK = 100;

  /**
   * After so many turns the compiler is done with what a cycle runs. A count and not a time: the
   * compiler counts calls, and a subject that is slow makes few of them in a second.
   */
  private static final int TURNS_UNTIL_COMPILED = 200;

  private final OpenSubjects open;
  private final BenchPlan plan;
  private final String names;
  private final Progress progress;

  public UncontendedRun(OpenSubjects open, BenchPlan plan, String names, Progress progress) {
    this.open = open;
    this.plan = plan;
    this.names = names;
    this.progress = progress;
  }

  public List<UncontendedResult> measure() throws InterruptedException {
    progress.note("uncontended: acquire and release in turns of " + BLOCK);
    Map<Subject, Blocks> blocks = new LinkedHashMap<>();
    for (Subject subject : open.subjects()) {
      String name = names + subject.id() + ":uncontended";
      blocks.put(subject, new Blocks(subject, open.clients(subject, 1).get(0).lock(name)));
    }
    turns(blocks, plan.compiling(), TURNS_UNTIL_COMPILED);
    blocks.values().forEach(Blocks::reset);
    turns(blocks, plan.uncontended(), Integer.MAX_VALUE);
    blocks.keySet().retainAll(open.subjects());
    return results(List.copyOf(blocks.values()));
  }

  private void turns(Map<Subject, Blocks> blocks, Duration longest, int most)
      throws InterruptedException {
    long end = System.nanoTime() + longest.toNanos();
    for (int turn = 0; turn == 0 || (turn < most && System.nanoTime() - end < 0); turn++) {
      turn(blocks, turn);
    }
  }

  private void turn(Map<Subject, Blocks> blocks, int turn) throws InterruptedException {
    open.takeTurn(
        turn,
        "uncontended",
        subject -> Objects.requireNonNull(blocks.get(subject)).run());
  }

  private static List<UncontendedResult> results(List<Blocks> all) {
    double[] floor = all.stream()
        .filter(one -> one.subject.kind() == Subject.Kind.FLOOR)
        .map(Blocks::medians)
        .findFirst()
        .orElse(null);
    return all.stream().map(one -> one.result(floor)).toList();
  }

  /** The blocks of one subject. */
  private static final class Blocks {
    private final Subject subject;
    private final SectionLock lock;
    private final Histogram acquire = new Histogram(3);
    private final Histogram cycle = new Histogram(3);
    private final List<Double> medians = new ArrayList<>();

    Blocks(Subject subject, SectionLock lock) {
      this.subject = subject;
      this.lock = lock;
    }

    void run() throws InterruptedException {
      double[] cycles = new double[BLOCK];
      for (int i = 0; i < BLOCK; i++) {
        long asked = System.nanoTime();
        lock.lock();
        long acquired = System.nanoTime();
        lock.unlock();
        long released = System.nanoTime();
        acquire.recordValue(acquired - asked);
        cycle.recordValue(released - asked);
        cycles[i] = released - asked;
      }
      medians.add(Statistics.median(cycles));
    }

    void reset() {
      acquire.reset();
      cycle.reset();
      medians.clear();
    }

    double[] medians() {
      return medians.stream().mapToDouble(Double::doubleValue).toArray();
    }

    UncontendedResult result(double @Nullable [] floor) {
      return new UncontendedResult(
          subject.id(),
          subject.label(),
          subject.kind(),
          subject.library(),
          medians.size() * (long) BLOCK,
          Latency.of(acquire),
          Latency.of(cycle),
          floor == null ? null : Statistics.ratio(medians(), floor));
    }
  }
}
