package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockRequest;
import dev.interlock.tck.internal.history.Hold;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.worker.Worker;
import dev.interlock.tck.internal.worker.WorkerPool;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Threads in several JVMs that ask for parts of one lock. */
public final class CountedContention {
  private static final int THREADS = 3;
  private static final int LEAST_HOLDS = 20;
  private static final int MOST_HOLDS = 3_000;

  /** One part of a lock that a thread may ask for; of a capacity of 1 it is the whole. */
  public record Part(int units, int capacity) implements Serializable {
    static final Part WHOLE = new Part(1, 1);
    static final Part READER = new Part(1, Integer.MAX_VALUE);

    LockRequest of(String name) {
      LockRequest request = LockRequest.of(name);
      if (capacity == 1) {
        return request;
      }
      return capacity == Integer.MAX_VALUE ? request.shared() : request.permits(units, capacity);
    }
  }

  /** What a thread of a worker gets to know. */
  public record Plan(
      String name,
      List<Part> parts,
      long nanos,
      long seed,
      boolean renewable,
      boolean fenced,
      boolean fair)
      implements Serializable {}

  private CountedContention() {}

  /** Lets them ask, each for one of the parts at a time, and returns what everybody held. */
  static List<Hold> run(RuleRun run, List<Part> parts, Duration time) throws Exception {
    String name = run.name();
    List<Worker> workers = new ArrayList<>();
    for (int w = 0; w < WorkerPool.SHARED; w++) {
      workers.add(run.worker());
    }
    // Only now that all are there: a JVM that starts late would meet nobody.
    List<Hold> holds = new ArrayList<>();
    for (int i = 0; i < Contention.MOST_ROUNDS && holds.size() < LEAST_HOLDS; i++) {
      holds.addAll(fight(run, workers, name, parts, time));
    }
    run.count(holds.size() * 2L);
    // Their leases are longer: no part may be left with one who does not hold it.
    run.expectFree(run.client(), name, run.limit(5_000), "when all have released their parts,");
    RuleRun.requireEnough(holds.size(), LEAST_HOLDS, "holds came about");
    return holds;
  }

  private static List<Hold> fight(
      RuleRun run, List<Worker> workers, String name, List<Part> parts, Duration time)
      throws Exception {
    List<CompletableFuture<List<Hold>>> started = new ArrayList<>();
    for (int t = 0; t < THREADS * workers.size(); t++) {
      Plan plan = new Plan(
          name,
          parts,
          time.toNanos(),
          run.random().nextLong(),
          run.has(Capability.RENEWABLE),
          run.has(Capability.FENCED),
          run.has(Capability.FAIR));
      Worker worker = workers.get(t % workers.size());
      started.add(worker.start(t / workers.size(), space -> work(space, plan)));
    }
    List<Hold> holds = new ArrayList<>();
    for (int i = 0; i < started.size(); i++) {
      holds.addAll(workers.get(i % workers.size()).result(started.get(i)));
    }
    return holds;
  }

  public static List<Hold> work(WorkerSpace space, Plan plan) throws Exception {
    SplittableRandom random = new SplittableRandom(plan.seed());
    long deadline = System.nanoTime() + plan.nanos();
    List<Hold> holds = new ArrayList<>();
    while (System.nanoTime() - deadline < 0 && holds.size() < MOST_HOLDS) {
      Part part = plan.parts().get(random.nextInt(plan.parts().size()));
      Lease lease = acquire(space, plan, part, random);
      if (lease == null) {
        LockSupport.parkNanos(200_000);
        continue;
      }
      String owner = Thread.currentThread().getName() + " hold " + holds.size();
      Hold hold = Hold.begin(owner, lease, plan.fenced()).withUnits(part.units(), part.capacity());
      LockSupport.parkNanos(random.nextInt(1_000, 500_000));
      holds.add(hold.end(lease));
      lease.release();
    }
    return holds;
  }

  private static @Nullable Lease acquire(
      WorkerSpace space, Plan plan, Part part, SplittableRandom random) throws Exception {
    LockRequest request = part.of(plan.name());
    if (plan.fair()) {
      request = request.fair(random.nextBoolean());
    }
    if (!plan.renewable() || random.nextBoolean()) {
      request = request.withLease(Duration.ofSeconds(30));
    }
    return switch (random.nextInt(3)) {
      case 0 -> space.client().tryAcquire(request).orElse(null);
      case 1 -> space.client().acquire(request.withWait(Duration.ofSeconds(20)));
      default -> space.client().acquireAsync(request).get(40, TimeUnit.SECONDS);
    };
  }
}
