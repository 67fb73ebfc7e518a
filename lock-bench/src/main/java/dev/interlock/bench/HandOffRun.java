package dev.interlock.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * How long a lock takes from the client that releases it to another one that already waits for it:
 * short blocks of each subject in turns. The contended scenarios do not tell, for there a lock that
 * is not fair mostly stays with the client that has it. Both clients are in this JVM, so that one
 * clock tells both moments.
 */
final class HandOffRun {
  private static final int BLOCK = 10;

  /**
   * How long the holder keeps the lock once the other has asked for it, so that it surely waits.
   */
  private static final Duration UNTIL_IT_WAITS = Duration.ofMillis(10);

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(15);

  private final OpenSubjects open;
  private final BenchPlan plan;
  private final String names;
  private final Progress progress;
  private final Duration longestWait;

  HandOffRun(OpenSubjects open, BenchPlan plan, String names, Progress progress) {
    this(open, plan, names, progress, LONGEST_WAIT);
  }

  HandOffRun(
      OpenSubjects open, BenchPlan plan, String names, Progress progress, Duration longestWait) {
    this.open = open;
    this.plan = plan;
    this.names = names;
    this.progress = progress;
    this.longestWait = longestWait;
  }

  List<HandOffResult> measure() throws InterruptedException {
    progress.note("hand-off: from the release to a waiting client, in turns of " + BLOCK);
    Map<Subject, Blocks> blocks = new LinkedHashMap<>();
    try {
      for (Subject subject : open.subjects()) {
        List<SubjectClient> clients = open.clients(subject, 2);
        String name = names + subject.id() + ":hand-off";
        SectionLock holders = clients.get(0).lock(name);
        SectionLock waiters = clients.get(1).lock(name);
        blocks.put(subject, new Blocks(subject, holders, waiters, longestWait));
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

  /** The blocks of one subject, with a thread that waits: it may wait for ever if a lock fails. */
  private static final class Blocks implements AutoCloseable {
    private final Subject subject;
    private final SectionLock holders;
    private final SectionLock waiters;
    private final Duration longestWait;
    private final ExecutorService waiter = Executors.newSingleThreadExecutor(Blocks::daemon);
    private final Histogram latency = new Histogram(3);
    private final List<Double> medians = new ArrayList<>();

    Blocks(Subject subject, SectionLock holders, SectionLock waiters, Duration longestWait) {
      this.subject = subject;
      this.holders = holders;
      this.waiters = waiters;
      this.longestWait = longestWait;
    }

    /** A lock that never comes must not keep the command from ending. */
    private static Thread daemon(Runnable task) {
      Thread thread = new Thread(task, "bench-waiter");
      thread.setDaemon(true);
      return thread;
    }

    void run() throws InterruptedException {
      double[] nanos = new double[BLOCK];
      for (int i = 0; i < BLOCK; i++) {
        long took = handOff();
        latency.recordValue(took);
        nanos[i] = took;
      }
      medians.add(Statistics.median(nanos));
    }

    private long handOff() throws InterruptedException {
      CountDownLatch asking = new CountDownLatch(1);
      holders.lock();
      Future<Long> had = waiter.submit(() -> {
        asking.countDown();
        waiters.lock();
        long at = System.nanoTime();
        waiters.unlock();
        return at;
      });
      asking.await();
      Thread.sleep(UNTIL_IT_WAITS.toMillis());
      long released = System.nanoTime();
      holders.unlock();
      long took = moment(had) - released;
      if (took < 0) {
        throw new SubjectFailedException("the waiter had the lock before it was released", null);
      }
      return took;
    }

    private long moment(Future<Long> had) throws InterruptedException {
      try {
        return had.get(longestWait.toMillis(), TimeUnit.MILLISECONDS);
      } catch (ExecutionException e) {
        throw new SubjectFailedException("the waiter failed: " + e.getCause(), e.getCause());
      } catch (TimeoutException e) {
        throw new SubjectFailedException(
            "the waiter did not have the lock " + longestWait.toMillis() + " ms after its release",
            e);
      }
    }

    @Override
    public void close() {
      waiter.shutdownNow();
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
