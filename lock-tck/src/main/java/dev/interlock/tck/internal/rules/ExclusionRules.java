package dev.interlock.tck.internal.rules;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.history.History;
import dev.interlock.tck.internal.history.Hold;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.NotReached;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.worker.Worker;
import dev.interlock.tck.internal.worker.WorkerPool;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/** Group X. */
public final class ExclusionRules {
  private static final int RACERS = 3;
  private static final int LEAST_HOLDS = 20;
  // With fewer a fault may not have met a hold that somebody else wants.
  private static final int ENOUGH_HOLDS = 60;
  // A slow server has few holds between the faults of one round.
  private static final int MOST_ROUNDS = 5;

  private ExclusionRules() {}

  @Rule(
      value = "X1",
      check = "that an attempt looks and takes in one atomic step on the server",
      neighbours = Neighbours.FEW,
      limit = 120)
  public static void holdsOfDifferentOwnersNeverOverlap(RuleRun run) throws Exception {
    Duration time = Duration.ofMillis(run.amount(2_000, 8_000, 60_000));
    Contention contention = Contention.run(run, 2, time);
    run.judge(History.ofOverlaps(contention.holds()), "holds of different owners never overlap");
    contention.expectNoLostUpdate(run);
    contention.expectNoTrouble();
    contention.expectLinearizable(run, false);
    contention.expectEnough();
    run.note(contention.holds().size()
        + " holds by 9 threads in "
        + (run.oneJvm() ? "3 clients" : "3 JVMs")
        + ", none overlapped, no addition was lost");
  }

  @Rule(
      value = "X2",
      check =
          "what the history shows: whose hold began before the other's end, and after which fault",
      neighbours = Neighbours.NONE,
      limit = 150,
      needs = TckFault.CONNECTION)
  public static void holdsNeverOverlapWhenClientsFail(RuleRun run) throws Exception {
    Duration time = Duration.ofMillis(run.amount(3_500, 15_000, 45_000));
    List<Hold> holds = new ArrayList<>();
    for (int round = 0; round < MOST_ROUNDS && holds.size() < ENOUGH_HOLDS; round++) {
      holds.addAll(FaultyContention.run(run, time));
    }
    run.judge(
        History.ofOverlaps(holds), "holds of different owners never overlap when clients fail");
    RuleRun.requireEnough(holds.size(), LEAST_HOLDS, "holds came about between the faults");
    run.note(holds.size() + " holds amid faults, none overlapped");
  }

  @Rule(
      value = "X2",
      check = "that the end of a connection ends no hold",
      neighbours = Neighbours.NONE,
      needs = TckFault.CONNECTION)
  public static void aCutConnectionFreesNothing(RuleRun run) throws Exception {
    FaultProxy proxy = run.proxy();
    LockClient client = run.client(proxy);
    LockClient other = run.client();
    List<Lease> leases = new ArrayList<>();
    for (UnaryOperator<LockRequest> kind : Leases.kinds(run).values()) {
      leases.add(client.acquire(kind.apply(Leases.fixed(run, run.name(), 60_000))));
    }
    if (run.has(Capability.RENEWABLE)) {
      leases.add(client.acquire(Leases.lasting(run, run.name(), 20_000)));
    }
    run.requireHit(proxy.cut(), "all connections cut");
    RuleRun.pause(run.ms(500)); // the server has noticed
    for (Lease lease : leases) {
      run.expectHeld(other, lease.name(), "after all connections of its holder were cut");
    }
    leases.forEach(Lease::release);
  }

  @Rule(value = "X3", check = "that no error, aborted transaction or retry is answered as Busy")
  public static void aFreeLockIsNeverRefused(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockClient other = run.client();
    String name = run.name();
    int rounds = run.amount(300, 2_000, 10_000);
    for (int i = 0; i < rounds; i++) {
      LockRequest request = LockRequest.of(name).withLease(run.ms(20_000));
      var lease = client.tryAcquire(request);
      run.expect(
          lease.isPresent(), "tryAcquire of a free lock gives a lease", "empty in round " + i);
      if (i % 50 == 0) {
        run.expectHeld(other, name, "while one client holds");
        run.ifOffered(() -> run.expect(
            other.inspect(name).isPresent(), "the server knows of the hold", "inspect says free"));
      }
      lease.orElseThrow().release();
    }
    run.note(rounds + " attempts on a free lock, none refused");
  }

  @Rule(value = "X3", check = "that a backend that cannot be asked throws, and never answers Busy")
  public static void aClosedClientDoesNotSayHeldByAnother(RuleRun run) {
    LockClient client = run.client();
    client.close();
    run.expectThrows(
        BackendUnavailableException.class,
        "tryAcquire of a closed client",
        () -> client.tryAcquire(LockRequest.of(run.name()).withLease(run.ms(1_000))));
  }

  @Rule(value = "X3", check = "that tryLock and tryAcquire go the same way to the server")
  public static void tryLockOfAFreeLockSucceeds(RuleRun run) throws Exception {
    DistributedLock lock = run.client().lock(run.name());
    int rounds = run.amount(100, 500, 2_000);
    for (int i = 0; i < rounds; i++) {
      boolean locked = run.has(Capability.RENEWABLE)
          ? lock.tryLock()
          : lock.tryLock(Duration.ZERO, run.ms(20_000));
      run.expect(locked, "tryLock of a free lock locks", "it answered false in round " + i);
      lock.unlock();
    }
  }

  @Rule(
      value = "X5",
      check =
          "that a hold is known by the random id of the attempt, not by thread, host or process")
  public static void threadsOfTheSameNameAreDifferentOwners(RuleRun run) throws Exception {
    String name = run.name();
    long lease = run.ms(20_000).toNanos();
    long wait = run.limit(2_000).toNanos();
    Worker first = run.worker();
    Worker second = run.worker();
    run.willBeHeld(name, run.ms(20_000));
    boolean locked = first.callOn("tck-same", space -> tryLock(space, name, wait, lease));
    run.expect(locked, "a thread locks a free lock", "it did not");
    run.expectWhileHeld(
        name,
        () -> !second.callOn("tck-same", space -> tryLock(space, name, 0, lease)),
        "a thread of the same name in another JVM is kept out",
        "it locked too");
    boolean believes = second.callOn("tck-same", space -> space.lock(name).isHeldByCurrentThread());
    run.expect(!believes, "the second thread does not hold the lock", "it believes so");
    run.expectThrows(
        IllegalMonitorStateException.class,
        "unlock by the second thread",
        () -> second.callOn("tck-same", space -> {
          space.lock(name).unlock();
          return 0;
        }));
    run.expectHeld(run.client(), name, "after a stranger's unlock");
    first.runOn("tck-same", space -> space.lock(name).unlock());
  }

  @Rule(value = "X5", check = "that the identity of a dead thread is not used again")
  public static void aDeadThreadsNameOpensNothing(RuleRun run) throws Exception {
    String name = run.name();
    long lease = run.ms(20_000).toNanos();
    long wait = run.limit(2_000).toNanos();
    Worker worker = run.worker();
    // Before the lock is held: a JVM may take longer to start than the lease lasts.
    Worker other = run.worker();
    run.willBeHeld(name, run.ms(20_000));
    boolean locked = worker.call(space -> inNewThread(space, name, wait, lease));
    run.expect(locked, "a thread locks a free lock", "it did not");
    run.expectWhileHeld(
        name,
        () -> !worker.call(space -> inNewThread(space, name, 0, lease)),
        "a new thread with the name of a dead one is kept out",
        "it locked too");
    run.expectWhileHeld(
        name,
        () -> !other.call(space -> inNewThread(space, name, 0, lease)),
        "so is one in another JVM",
        "it locked too");
  }

  @Rule(value = "X5", check = "that a request without an owner is its own owner")
  public static void requestsOfOneThreadAreDifferentOwners(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockRequest request = LockRequest.of(run.name()).withLease(run.ms(20_000));
    try (Lease lease = client.acquire(request.withWait(run.ms(2_000)))) {
      run.expectWhileHeld(
          request.name(),
          () -> client.tryAcquire(request).isEmpty(),
          "a second request of the same thread is kept out",
          "it entered beside token " + lease);
    }
  }

  public static boolean tryLock(WorkerSpace space, String name, long wait, long lease)
      throws InterruptedException {
    return space.lock(name).tryLock(Duration.ofNanos(wait), Duration.ofNanos(lease));
  }

  public static boolean inNewThread(WorkerSpace space, String name, long wait, long lease)
      throws Exception {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    Thread thread = new Thread(
        () -> {
          try {
            answer.complete(tryLock(space, name, wait, lease));
          } catch (InterruptedException | RuntimeException e) {
            answer.completeExceptionally(e);
          }
        },
        "tck-reborn");
    thread.start();
    thread.join();
    return answer.get();
  }

  @Rule(value = "X6", check = "that creating the state of a lock is part of the atomic attempt")
  public static void aFreshNameHasOneHolder(RuleRun run) throws Exception {
    ArrayList<String> names = new ArrayList<>();
    int rounds = run.amount(15, 60, 300);
    for (int i = 0; i < rounds; i++) {
      names.add(run.name());
    }
    List<Worker> jvms = new ArrayList<>();
    for (int w = 0; w < WorkerPool.SHARED; w++) {
      jvms.add(run.worker());
    }
    // Only now that all are there: a JVM that starts late would meet nobody.
    List<Worker> workers = new ArrayList<>();
    List<CompletableFuture<boolean[]>> answers = new ArrayList<>();
    long start = System.nanoTime() + Duration.ofSeconds(1).toNanos();
    long lease = run.ms(40_000).toNanos();
    for (Worker worker : jvms) {
      for (int t = 0; t < RACERS; t++) {
        workers.add(worker);
        answers.add(worker.start(t, space -> race(space, names, start, lease)));
      }
    }
    int[] holders = new int[rounds];
    for (int i = 0; i < answers.size(); i++) {
      boolean[] got = workers.get(i).result(answers.get(i));
      for (int round = 0; round < rounds; round++) {
        holders[round] += got[round] ? 1 : 0;
      }
    }
    boolean someRanOut = System.nanoTime() - start > lease;
    for (int round = 0; round < rounds; round++) {
      if (holders[round] > 1 && someRanOut) {
        throw NotReached.tooLate("for the first holders' leases ran out before all had tried");
      }
      run.expect(
          holders[round] == 1,
          "a fresh name that is tried by " + answers.size() + " threads at once has one holder",
          "it has " + holders[round] + " in round " + round);
    }
    run.note(rounds + " fresh names, " + answers.size() + " threads each, one holder each");
  }

  public static boolean[] race(WorkerSpace space, List<String> names, long start, long lease) {
    boolean[] got = new boolean[names.size()];
    space.client();
    for (int round = 0; round < got.length; round++) {
      long at = start + Duration.ofMillis(20L * round).toNanos();
      while (at - System.nanoTime() > 100_000) {
        LockSupport.parkNanos(at - System.nanoTime() - 100_000);
      }
      while (at - System.nanoTime() > 0) {
        Thread.onSpinWait();
      }
      LockRequest request = LockRequest.of(names.get(round)).withLease(Duration.ofNanos(lease));
      // Nobody releases before all have tried: the lease ends with the client.
      got[round] = space.client().tryAcquire(request).isPresent();
    }
    return got;
  }
}
