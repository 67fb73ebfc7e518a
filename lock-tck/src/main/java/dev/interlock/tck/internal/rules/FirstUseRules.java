package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckServer;
import dev.interlock.tck.internal.fault.Waves;
import dev.interlock.tck.internal.history.History;
import dev.interlock.tck.internal.history.Hold;
import dev.interlock.tck.internal.run.MemberLinks;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import dev.interlock.tck.internal.worker.Worker;
import dev.interlock.tck.internal.worker.WorkerPool;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Rule Q5: members that nobody has used, and that several clients begin to use at once. */
public final class FirstUseRules {
  private static final int THREADS = 2;
  private static final long BOUND = 10_000;

  /** Until all clients know of the moment at which they are to begin. */
  private static final Duration SOON = Duration.ofMillis(200);

  /** For how long the clients open and fight, if each does so at its own pace, and if not. */
  private static final Duration FIGHT = Duration.ofMillis(700);

  private static final Duration SLOW_FIGHT = Duration.ofSeconds(3);

  private static final Duration STEP = Duration.ofMillis(5);

  private FirstUseRules() {}

  /** What a thread of a worker gets to know. */
  public record Plan(
      String name, long start, Duration time, Duration lease, Duration bound, boolean fenced)
      implements Serializable {}

  /** What it answers. */
  public record Outcome(List<Hold> holds, @Nullable RuleViolation trouble)
      implements Serializable {}

  @Rule(
      value = "Q5",
      check = "that what the members begin with is the same to all clients, whoever was first",
      neighbours = Neighbours.NONE,
      limit = 120,
      needs = {TckFault.CONNECTION, TckFault.LOSE_STATE})
  public static void firstUseByManyMakesOneQuorum(RuleRun run) throws Exception {
    List<MemberLinks> links = new ArrayList<>();
    List<Worker> workers = new ArrayList<>();
    for (int client = 0; client < WorkerPool.SHARED; client++) {
      links.add(run.links());
      workers.add(run.worker(links.get(client)));
    }
    TckServer members = run.server();
    int rounds = run.amount(4, 10, 60);
    int holds = 0;
    int together = 0;
    for (int round = 0; round < rounds; round++) {
      for (Worker worker : workers) {
        worker.run(WorkerSpace::closeClient);
      }
      members.loseState();
      boolean inStep = round % 2 == 0;
      Waves waves = inStep ? waves(run, links, round / 2) : null;
      holds += fight(run, workers, links, waves);
      together += waves == null ? 0 : waves.full();
    }
    run.requireHit(together, "clients that are kept in step");
    run.note(holds + " holds in " + rounds + " first uses of all members by " + workers.size()
        + " clients at once");
  }

  /**
   * Has all clients look at all members before any of them writes to one that is not its own. Each
   * has one of its own, to which it writes first.
   */
  private static Waves waves(RuleRun run, List<MemberLinks> links, int turn) {
    int members = run.members().all().size();
    int[] own = IntStream.range(0, links.size())
        .map(client -> (client + turn) % members)
        .toArray();
    return MemberLinks.waves(links, own);
  }

  /** Answers how many holds there were. */
  private static int fight(
      RuleRun run, List<Worker> workers, List<MemberLinks> links, @Nullable Waves waves)
      throws Exception {
    Duration time = waves == null ? FIGHT : SLOW_FIGHT;
    Plan plan = new Plan(
        run.name(),
        System.nanoTime() + SOON.toNanos(),
        time,
        run.ms(5_000),
        run.limit(BOUND),
        run.has(Capability.FENCED));
    List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
    for (int i = 0; i < THREADS * workers.size(); i++) {
      long seed = run.random().nextLong();
      outcomes.add(workers
          .get(i % workers.size())
          .start(i / workers.size(), space -> use(space, plan, seed)));
    }
    if (waves != null) {
      awaitBeginning(plan, waves);
      links.forEach(MemberLinks::heal);
    }
    List<Hold> holds = new ArrayList<>();
    List<RuleViolation> troubles = new ArrayList<>();
    for (int i = 0; i < outcomes.size(); i++) {
      Outcome outcome = workers.get(i % workers.size()).result(outcomes.get(i));
      holds.addAll(outcome.holds());
      if (outcome.trouble() != null) {
        troubles.add(outcome.trouble());
      }
    }
    run.count(2L * holds.size());
    run.judge(
        History.ofOverlaps(holds), "holds never overlap when clients begin to use members at once");
    if (plan.fenced()) {
      run.judge(History.ofTokens(holds), "tokens grow when clients begin to use members at once");
    }
    if (!troubles.isEmpty()) {
      throw troubles.get(0);
    }
    return holds.size();
  }

  /**
   * Until the clients have gone on in step for some time, and do different things by now. Those of
   * a broken backend may do the same for ever. A client may be late on a busy machine.
   */
  private static void awaitBeginning(Plan plan, Waves waves) throws InterruptedException {
    Leases.until(plan.start());
    Duration limit = plan.bound().dividedBy(2);
    while (waves.full() == 0 && RuleRun.since(plan.start()).compareTo(limit) < 0) {
      RuleRun.pause(STEP);
    }
    RuleRun.pause(plan.time().dividedBy(2));
    while (waves.isInStep() && RuleRun.since(plan.start()).compareTo(limit) < 0) {
      RuleRun.pause(STEP);
    }
  }

  public static Outcome use(WorkerSpace space, Plan plan, long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    List<Hold> holds = new ArrayList<>();
    long end = plan.start() + plan.time().toNanos();
    Leases.until(plan.start());
    try {
      do {
        Lease lease = acquire(space, plan);
        Hold hold = Hold.begin(Thread.currentThread().getName(), lease, plan.fenced());
        RuleRun.pause(Duration.ofNanos(random.nextLong(5_000_000)));
        holds.add(hold.end(lease));
        // The members' answers may be kept back for longer than a release waits for them.
        Leases.release(lease);
      } while (System.nanoTime() - end < 0);
    } catch (RuleViolation e) {
      return new Outcome(holds, e);
    } catch (LockException e) {
      // What was seen up to here is worth more than the error that it led to.
      return new Outcome(holds, RuleViolation.unexpected(e));
    }
    return new Outcome(holds, null);
  }

  /** Opens the client if it is not open. Both may be refused until the members have begun. */
  private static Lease acquire(WorkerSpace space, Plan plan) throws InterruptedException {
    long start = System.nanoTime();
    while (true) {
      Duration left = plan.bound().minus(RuleRun.since(start));
      Duration wait = left.isNegative() ? Duration.ZERO : left;
      try {
        return space
            .client()
            .acquire(LockRequest.of(plan.name()).withLease(plan.lease()).withWait(wait));
      } catch (LockException e) {
        if (RuleRun.since(start).compareTo(plan.bound()) >= 0) {
          throw RuleViolation.late(
              "each client gets the lock of members that nobody has used within "
                  + plan.bound().toMillis() + " ms",
              "it did not: " + e,
              List.of());
        }
        RuleRun.pause(Duration.ofMillis(20));
      }
    }
  }
}
