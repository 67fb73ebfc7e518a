package dev.interlock.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** One subject at work for some seconds, whose lock is held in parts. */
public final class CountedRound {
  private CountedRound() {}

  /**
   * Runs a round and waits for all its threads.
   *
   * @param name the lock
   * @throws HangException if the subject let a thread wait without end
   * @throws MeasurementFailedException if the subject threw
   */
  public static Result run(
      CountedScenario scenario, List<CountedClient> clients, String name, Duration length)
      throws InterruptedException {
    RoundClock clock = new RoundClock(length, scenario.threads());
    UnitsGuard guard = new UnitsGuard(scenario.capacity());
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < scenario.threads(); i++) {
      List<SectionLock> ways = clients.get(i % clients.size()).ways(name);
      members.add(new Member(scenario, ways, guard, clock, i));
    }
    RoundThread.runAll(members, clock, length);
    List<Histogram> acquire = new ArrayList<>();
    for (int way = 0; way < scenario.ways().size(); way++) {
      Histogram all = new Histogram(3);
      for (Member member : members) {
        all.add(member.acquire.get(way));
      }
      acquire.add(all);
    }
    long inTime = members.stream().mapToLong(Member::inTime).sum();
    return new Result(inTime / (length.toNanos() / 1e9), acquire, guard.excesses());
  }

  /** One thread, which takes the lock in one way or another. */
  private static final class Member extends RoundThread {
    private final CountedScenario scenario;
    private final List<SectionLock> ways;
    private final UnitsGuard guard;
    private final int number;
    private final List<Histogram> acquire;

    Member(
        CountedScenario scenario,
        List<SectionLock> ways,
        UnitsGuard guard,
        RoundClock clock,
        int number) {
      super(clock, number);
      this.scenario = scenario;
      this.ways = ways;
      this.guard = guard;
      this.number = number;
      this.acquire =
          IntStream.range(0, ways.size()).mapToObj(way -> new Histogram(3)).toList();
    }

    @Override
    void section(long section) throws InterruptedException {
      int way = scenario.way(number, section);
      SectionLock lock = ways.get(way);
      long asked = System.nanoTime();
      lock.lock();
      acquire.get(way).recordValue(System.nanoTime() - asked);
      guard.enter(scenario.ways().get(way).units(), section);
      lock.unlock();
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
