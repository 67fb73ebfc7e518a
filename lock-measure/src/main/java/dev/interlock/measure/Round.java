package dev.interlock.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** One subject at work for a second or so. */
public final class Round {
  /** The longest that a thread may still wait for its lock when the round is over. */
  private static final Duration DRAIN = Duration.ofSeconds(15);

  private final Scenario scenario;
  private final RoundClock clock;
  private final Duration length;
  private final List<ExclusionGuard> guards;
  private final List<Worker> workers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final CountDownLatch ready;

  private Round(Scenario scenario, List<SectionClient> clients, String names, Duration length) {
    this.scenario = scenario;
    this.length = length;
    this.clock = new RoundClock(length);
    this.guards =
        IntStream.range(0, scenario.locks()).mapToObj(i -> new ExclusionGuard()).toList();
    this.ready = new CountDownLatch(scenario.threads());
    for (int i = 0; i < scenario.threads(); i++) {
      int lock = i % scenario.locks();
      start(clients.get(i % clients.size()), names + lock, guards.get(lock), i);
    }
  }

  private void start(SectionClient client, String name, ExclusionGuard guard, int number) {
    Worker worker = new Worker(client.lock(name), guard, clock, ready);
    Thread thread = new Thread(worker, "round-worker-" + number);
    // A lock that never comes must not keep the command from ending.
    thread.setDaemon(true);
    workers.add(worker);
    threads.add(thread);
    thread.start();
  }

  /**
   * Runs a round and waits for all its threads.
   *
   * @param names what the locks' names begin with
   * @throws MeasurementFailedException if the subject threw, or let a thread wait without end
   */
  public static Result run(
      Scenario scenario, List<SectionClient> clients, String names, Duration length)
      throws InterruptedException {
    return new Round(scenario, clients, names, length).run();
  }

  private Result run() throws InterruptedException {
    ready.await();
    clock.start();
    join();
    for (Worker worker : workers) {
      Throwable failure = worker.failure();
      if (failure != null) {
        throw new MeasurementFailedException("a section failed with " + failure, failure);
      }
    }
    Histogram acquire = new Histogram(3);
    workers.forEach(worker -> acquire.add(worker.acquire()));
    long all = workers.stream().mapToLong(Worker::all).sum();
    long counted = guards.stream().mapToLong(ExclusionGuard::sections).sum();
    return new Result(
        workers.stream().mapToLong(Worker::inTime).toArray(),
        length,
        all,
        acquire,
        guards.stream().mapToLong(ExclusionGuard::overlaps).sum(),
        all - counted);
  }

  private void join() throws InterruptedException {
    long deadline = System.nanoTime() + length.plus(DRAIN).toNanos();
    for (Thread thread : threads) {
      long millis = Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
      thread.join(millis);
    }
    long waiting = threads.stream().filter(Thread::isAlive).count();
    if (waiting > 0) {
      clock.stop();
      threads.forEach(Thread::interrupt);
      throw new MeasurementFailedException(
          waiting
              + " of "
              + scenario.threads()
              + " threads still waited "
              + DRAIN.toSeconds()
              + " s after the others had stopped",
          null);
    }
  }

  /**
   * What a round showed.
   *
   * @param sections those that ended in time, for each thread
   * @param length of the round
   * @param allSections with those that ended after the round
   * @param acquire how long acquiring took, in nanoseconds
   * @param overlaps how often two holders were seen at once
   * @param lostUpdates how many sections undid another one's update
   */
  @SuppressWarnings("ArrayRecordComponent") // Only read, never compared.
  public record Result(
      long[] sections,
      Duration length,
      long allSections,
      Histogram acquire,
      long overlaps,
      long lostUpdates) {

    public double sectionsPerSecond() {
      long sum = 0;
      for (long count : sections) {
        sum += count;
      }
      return sum / (length.toNanos() / 1e9);
    }

    public boolean excluded() {
      return overlaps == 0 && lostUpdates == 0;
    }
  }
}
