package dev.interlock.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** One subject at work for some seconds, whose lock is held in parts. */
public final class CountedRound {
  /** The longest that a thread may still wait for its lock when the round is over. */
  private static final Duration DRAIN = Duration.ofSeconds(30);

  private final CountedScenario scenario;
  private final Duration length;
  private final RoundClock clock;
  private final UnitsGuard guard;
  private final CountDownLatch ready;

  private CountedRound(CountedScenario scenario, Duration length) {
    this.scenario = scenario;
    this.length = length;
    this.clock = new RoundClock(length);
    this.guard = new UnitsGuard(scenario.capacity());
    this.ready = new CountDownLatch(scenario.threads());
  }

  /**
   * Runs a round and waits for all its threads.
   *
   * @param name the lock
   * @throws MeasurementFailedException if the subject threw, or let a thread wait without end
   */
  public static Result run(
      CountedScenario scenario, List<CountedClient> clients, String name, Duration length)
      throws InterruptedException {
    return new CountedRound(scenario, length).run(clients, name);
  }

  private Result run(List<CountedClient> clients, String name) throws InterruptedException {
    List<Member> members = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < scenario.threads(); i++) {
      Member member = new Member(i, clients.get(i % clients.size()).ways(name));
      Thread thread = new Thread(member, "counted-round-" + i);
      // A lock that never comes must not keep the command from ending.
      thread.setDaemon(true);
      members.add(member);
      threads.add(thread);
    }
    threads.forEach(Thread::start);
    ready.await();
    clock.start();
    join(threads);
    for (Member member : members) {
      if (member.failure != null) {
        throw new MeasurementFailedException(
            "a section failed with " + member.failure, member.failure);
      }
    }
    List<Histogram> acquire = new ArrayList<>();
    for (int way = 0; way < scenario.ways().size(); way++) {
      Histogram all = new Histogram(3);
      for (Member member : members) {
        all.add(member.acquire.get(way));
      }
      acquire.add(all);
    }
    long inTime = members.stream().mapToLong(member -> member.inTime).sum();
    return new Result(inTime / (length.toNanos() / 1e9), acquire, guard.excesses());
  }

  private void join(List<Thread> threads) throws InterruptedException {
    long deadline = System.nanoTime() + length.plus(DRAIN).toNanos();
    for (Thread thread : threads) {
      thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
    }
    long waiting = threads.stream().filter(Thread::isAlive).count();
    if (waiting > 0) {
      clock.stop();
      threads.forEach(Thread::interrupt);
      throw new MeasurementFailedException(
          "%d of %d threads still waited %d s after the others had stopped"
              .formatted(waiting, threads.size(), DRAIN.toSeconds()),
          null);
    }
  }

  /** One thread. What it measured may be read once it has ended. */
  private final class Member implements Runnable {
    private final int number;
    private final List<SectionLock> ways;
    private final List<Histogram> acquire;
    private long inTime;
    private @Nullable Throwable failure;

    Member(int number, List<SectionLock> ways) {
      this.number = number;
      this.ways = ways;
      this.acquire =
          IntStream.range(0, ways.size()).mapToObj(way -> new Histogram(3)).toList();
    }

    @Override
    public void run() {
      try {
        ready.countDown();
        clock.awaitStart();
        for (long section = 0; clock.isRunning(); section++) {
          section(section);
        }
      } catch (Throwable e) {
        // Whatever it is, the round is not worth reporting, and the report must say why.
        failure = e;
        clock.stop();
      }
    }

    private void section(long section) throws InterruptedException {
      int way = scenario.way(number, section);
      SectionLock lock = ways.get(way);
      long asked = System.nanoTime();
      lock.lock();
      acquire.get(way).recordValue(System.nanoTime() - asked);
      guard.enter(scenario.ways().get(way).units(), section);
      lock.unlock();
      if (clock.isRunning()) {
        inTime++;
      }
    }
  }

  /**
   * What a round showed.
   *
   * @param sectionsPerSecond those that ended in time, of all threads
   * @param acquire how long acquiring took, in nanoseconds, for each way to hold the lock
   * @param excesses how often more was held than there is
   */
  public record Result(double sectionsPerSecond, List<Histogram> acquire, long excesses) {}
}
