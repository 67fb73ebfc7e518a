package dev.interlock.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** One subject at work for a second or so. */
public final class Round {
  private Round() {}

  /**
   * Runs a round and waits for all its threads.
   *
   * @param names what the locks' names begin with
   * @throws HangException if the subject let a thread wait without end
   * @throws MeasurementFailedException if the subject threw
   */
  public static Result run(
      Scenario scenario, List<SectionClient> clients, String names, Duration length)
      throws InterruptedException {
    RoundClock clock = new RoundClock(length, scenario.threads());
    List<ExclusionGuard> guards =
        IntStream.range(0, scenario.locks()).mapToObj(i -> new ExclusionGuard()).toList();
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < scenario.threads(); i++) {
      int lock = i % scenario.locks();
      SectionClient client = clients.get(i % clients.size());
      workers.add(new Worker(client.lock(names + lock), guards.get(lock), clock, i));
    }
    RoundThread.runAll(workers, clock, length);
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
