package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.tck.NotOfferedException;
import dev.interlock.tck.internal.history.History;
import dev.interlock.tck.internal.history.Hold;
import dev.interlock.tck.internal.history.Operation;
import dev.interlock.tck.internal.history.Operation.Kind;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import dev.interlock.tck.internal.worker.Worker;
import dev.interlock.tck.internal.worker.WorkerPool;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Threads in several JVMs that fight for the same locks in every way the API has. */
public final class Contention {
  private static final int THREADS = 3;
  // Bounds what a fast provider makes the kit remember.
  private static final int MOST_HOLDS = 10_000;
  // A slow server has few holds in so short a time.
  private static final int LEAST_HOLDS = 20;
  static final int MOST_ROUNDS = 5;

  /** What a thread of a worker gets to know. */
  public record Plan(
      List<String> names,
      long nanos,
      long seed,
      String counters,
      boolean renewable,
      boolean fenced,
      boolean fair)
      implements Serializable {}

  /** What it answers. */
  public record Outcome(
      List<Hold> holds,
      List<Long> additions,
      List<Operation> calls,
      @Nullable RuleViolation trouble)
      implements Serializable {}

  private final List<Hold> holds = new ArrayList<>();
  private final List<List<Operation>> calls = new ArrayList<>();
  private final List<String> lostUpdates = new ArrayList<>();
  private final List<RuleViolation> troubles = new ArrayList<>();

  private Contention() {}

  static Contention run(RuleRun run, int names, Duration time) throws Exception {
    Contention contention = new Contention();
    Path counters = Files.createTempFile("interlock-tck-", ".counters");
    try {
      List<String> chosen = new ArrayList<>();
      for (int i = 0; i < names; i++) {
        chosen.add(run.name());
      }
      for (int i = 0; i < MOST_ROUNDS && contention.holds.size() < LEAST_HOLDS; i++) {
        contention.fight(run, chosen, time, counters);
      }
    } finally {
      Files.deleteIfExists(counters);
    }
    run.count(contention.holds.size() * 2L);
    return contention;
  }

  /** Ends the test if there were too few holds to meet one another. */
  void expectEnough() {
    RuleRun.requireEnough(holds.size(), LEAST_HOLDS, "holds came about");
  }

  List<Hold> holds() {
    return holds;
  }

  /** Fails the rule unless one mutex could have answered as the provider did. */
  void expectLinearizable(RuleRun run, boolean withTokens) {
    List<Operation> merged = CallLog.merged(calls).stream()
        .map(call -> withTokens ? call : call.withoutToken())
        .toList();
    run.count(merged.size());
    run.judge(
        History.ofCalls(merged),
        "the calls can be put in an order in which a re-entrant, fenced mutex answers so");
    run.note("an order of the first " + merged.size() + " calls explains them");
  }

  /** Fails the rule if a thread met an error. What the history shows says more, if it does. */
  void expectNoTrouble() {
    if (!troubles.isEmpty()) {
      throw troubles.get(0);
    }
  }

  void expectNoLostUpdate(RuleRun run) {
    run.count(1);
    if (!lostUpdates.isEmpty()) {
      throw new RuleViolation(
          "a counter that only the lock guards loses no addition",
          "additions were lost: two holders worked at once",
          lostUpdates);
    }
  }

  private void fight(RuleRun run, List<String> names, Duration time, Path counters)
      throws Exception {
    try (SharedCounters zeroed = SharedCounters.create(counters, names.size())) {
      List<Worker> workers = new ArrayList<>();
      for (int w = 0; w < WorkerPool.SHARED; w++) {
        workers.add(run.worker());
      }
      // Only now that all are there: a JVM that starts late would meet nobody.
      List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
      for (int t = 0; t < THREADS * workers.size(); t++) {
        Plan plan = new Plan(
            names,
            time.toNanos(),
            run.random().nextLong(),
            counters.toString(),
            run.has(Capability.RENEWABLE),
            run.has(Capability.FENCED),
            run.has(Capability.FAIR));
        Worker worker = workers.get(t % workers.size());
        outcomes.add(worker.start(t / workers.size(), space -> work(space, plan)));
      }
      long[] additions = new long[names.size()];
      for (int i = 0; i < outcomes.size(); i++) {
        Outcome outcome = workers.get(i % workers.size()).result(outcomes.get(i));
        holds.addAll(outcome.holds());
        calls.add(outcome.calls());
        if (outcome.trouble() != null) {
          troubles.add(outcome.trouble());
        }
        for (int name = 0; name < additions.length; name++) {
          additions[name] += outcome.additions().get(name);
        }
      }
      for (int name = 0; name < additions.length; name++) {
        long counted = zeroed.read(name);
        if (counted != additions[name]) {
          lostUpdates.add("\"%s\": %d additions were made, the counter stands at %d"
              .formatted(names.get(name), additions[name], counted));
        }
      }
    }
  }

  public static Outcome work(WorkerSpace space, Plan plan) throws Exception {
    List<Hold> holds = new ArrayList<>();
    CallLog log = new CallLog();
    long[] additions = new long[plan.names().size()];
    RuleViolation trouble = null;
    try {
      work(space, plan, holds, log, additions);
    } catch (RuleViolation e) {
      trouble = e;
    } catch (LockException | IllegalMonitorStateException e) {
      // What was seen up to here is worth more than the error that it led to.
      trouble = RuleViolation.unexpected(e);
    }
    return new Outcome(
        holds, new ArrayList<>(Arrays.stream(additions).boxed().toList()), log.calls(), trouble);
  }

  private static void work(
      WorkerSpace space, Plan plan, List<Hold> holds, CallLog log, long[] additions)
      throws Exception {
    SplittableRandom random = new SplittableRandom(plan.seed());
    long deadline = System.nanoTime() + plan.nanos();
    try (SharedCounters counters =
        SharedCounters.open(Path.of(plan.counters()), plan.names().size())) {
      while (System.nanoTime() - deadline < 0 && holds.size() < MOST_HOLDS) {
        int name = random.nextInt(plan.names().size());
        String lock = plan.names().get(name);
        long called = System.nanoTime();
        Optional<Lease> acquired = acquireInTime(space, plan, lock, random, deadline);
        if (acquired.isEmpty()) {
          log.add(Kind.REFUSED, lock, 0, called);
          continue;
        }
        Lease lease = acquired.get();
        log.add(Kind.ACQUIRED, lock, plan.fenced() ? lease.fencingToken() : 0, called);
        Hold hold = Hold.begin(Thread.currentThread().getName(), lease, plan.fenced());
        long read = counters.read(name);
        LockSupport.parkNanos(random.nextInt(4) == 0 ? random.nextInt(1_000, 300_000) : 0);
        counters.write(name, read + 1);
        additions[name]++;
        reenter(space, plan, lock, log);
        holds.add(hold.end(lease));
        called = System.nanoTime();
        lease.release();
        log.add(Kind.RELEASED, lock, 0, called);
      }
    }
  }

  /** Where the thread is the owner, it enters once more. */
  private static void reenter(WorkerSpace space, Plan plan, String name, CallLog log)
      throws InterruptedException {
    DistributedLock lock = space.client().lock(name);
    try {
      if (!lock.isHeldByCurrentThread()) {
        return;
      }
    } catch (NotOfferedException e) {
      return;
    }
    long called = System.nanoTime();
    // To enter for longer than is left takes a renewal.
    boolean entered = lock.tryLock(Duration.ZERO, Duration.ofSeconds(plan.renewable() ? 30 : 1));
    if (!entered) {
      log.add(Kind.REFUSED, name, 0, called);
      return;
    }
    log.add(Kind.ACQUIRED, name, plan.fenced() ? lock.lease().fencingToken() : 0, called);
    called = System.nanoTime();
    lock.unlock();
    log.add(Kind.RELEASED, name, 0, called);
  }

  /** Holds are short here, so a wait that reaches its limit was forgotten. */
  private static Optional<Lease> acquireInTime(
      WorkerSpace space, Plan plan, String name, SplittableRandom random, long deadline)
      throws Exception {
    long asked = System.nanoTime();
    try {
      return acquire(space, plan, name, random, deadline);
    } catch (LockTimeoutException | ExecutionException e) {
      long waited = (System.nanoTime() - asked) / 1_000_000;
      throw RuleViolation.late(
          "a waiter acquires while the others hold for less than a millisecond each",
          "after %d ms: %s".formatted(waited, e),
          List.of("inspect says: " + RuleRun.inspection(space.client(), name)));
    }
  }

  private static Optional<Lease> acquire(
      WorkerSpace space, Plan plan, String name, SplittableRandom random, long deadline)
      throws Exception {
    LockClient client = space.client();
    DistributedLock lock = client.lock(name);
    Duration wait = Duration.ofSeconds(20);
    LockRequest request = LockRequest.of(name).withWait(wait);
    if (!plan.renewable() || random.nextBoolean()) {
      request = request.withLease(Duration.ofSeconds(30));
    }
    // Not those that do not wait: one that keeps the order may be refused for another who waits.
    LockRequest patient = plan.fair() ? request.fair(random.nextBoolean()) : request;
    return switch (random.nextInt(plan.renewable() ? 6 : 4)) {
      case 0 -> Optional.of(client.acquire(patient));
      case 1 -> Optional.of(client.acquireAsync(patient).get(40, TimeUnit.SECONDS));
      case 2 -> tryUntil(client, request.withWait(Duration.ZERO), deadline);
      case 3 -> leaseIf(lock.tryLock(wait, Duration.ofSeconds(30)), lock);
      case 4 -> leaseIf(lock.tryLock(20, TimeUnit.SECONDS), lock);
      default -> {
        lock.lock();
        yield Optional.of(lock.lease());
      }
    };
  }

  private static Optional<Lease> leaseIf(boolean locked, DistributedLock lock) {
    return locked ? Optional.of(lock.lease()) : Optional.empty();
  }

  private static Optional<Lease> tryUntil(LockClient client, LockRequest request, long deadline) {
    Optional<Lease> lease = client.tryAcquire(request);
    while (lease.isEmpty() && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(200_000);
      lease = client.tryAcquire(request);
    }
    return lease;
  }
}
