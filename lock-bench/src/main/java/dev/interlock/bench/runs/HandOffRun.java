package dev.interlock.bench.runs;

import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.HandOff;
import dev.interlock.measure.HoldTimes;
import dev.interlock.measure.Latency;
import dev.interlock.measure.SectionClient;
import dev.interlock.measure.SectionLock;
import dev.interlock.measure.Statistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * How long a lock takes from the client that releases it to another one that already waits for it:
 * short blocks of each subject in turns. The contended scenarios do not tell, for there a lock that
 * is not fair mostly stays with the client that has it.
 */
public final class HandOffRun {
  private static final int BLOCK = 10;

  /** Of each subject, unmeasured, without keeping the lock for long. */
  private static final int WARM_UP = 20;

  private static final Duration KEPT_IN_WARM_UP = Duration.ofMillis(1);

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
        blocks.put(
            subject,
            new Blocks(subject, clients.get(0).lock(name), clients.get(1).lock(name), longestWait));
      }
      turn(blocks, 0, Blocks::warmUp);
      long end = System.nanoTime() + plan.handOff().toNanos();
      for (int turn = 0; turn == 0 || System.nanoTime() - end < 0; turn++) {
        turn(blocks, turn, Blocks::run);
      }
      List<Subject> measured = open.subjects();
      return results(
          blocks.values().stream().filter(one -> measured.contains(one.subject)).toList());
    } finally {
      blocks.values().forEach(Blocks::close);
    }
  }

  private interface Part {
    void of(Blocks blocks) throws InterruptedException;
  }

  private void turn(Map<Subject, Blocks> blocks, int turn, Part part) throws InterruptedException {
    open.takeTurn(
        turn, "hand-off", subject -> part.of(Objects.requireNonNull(blocks.get(subject))));
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
    private final HoldTimes times = new HoldTimes();
    private final Histogram latency = new Histogram(3);
    private final List<Double> medians = new ArrayList<>();
    private Duration kept = KEPT_IN_WARM_UP;

    Blocks(Subject subject, SectionLock holder, SectionLock waiter, Duration longestWait) {
      this.subject = subject;
      this.handOff = new HandOff(
          holder, waiter, () -> TimeUnit.NANOSECONDS.sleep(kept.toNanos()), longestWait);
    }

    void warmUp() throws InterruptedException {
      for (int i = 0; i < WARM_UP; i++) {
        handOff.run();
      }
    }

    void run() throws InterruptedException {
      double[] nanos = new double[BLOCK];
      for (int i = 0; i < BLOCK; i++) {
        kept = times.next();
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
