package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.worker.EventCounter;
import dev.interlock.tck.internal.worker.ProcessWorker;
import dev.interlock.tck.internal.worker.Worker;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Rules W1, W2, W4, W7 and W8. */
public final class LivenessRules {
  /** So many rounds of single attempts in a row are late if each of them waits. */
  private static final int MOST_LATE = 3;

  private static final int BUSY_THREADS = 6;
  private static final int NAMES_PER_THREAD = 4;
  private static final long CRASH_LEASE = 1_500;
  private static final int DEAD_WAITERS = 3;

  private LivenessRules() {}

  @Rule(
      value = "W1",
      check = "that the lease is set in the same atomic step as the lock",
      limit = 90,
      timed = true)
  public static void aCrashCostsOneLease(RuleRun run) throws Exception {
    if (run.oneJvm()) {
      anAbandonedHoldCostsOneLease(run);
      return;
    }
    // Each crash hits a step that is half done only by chance.
    for (int i = 0; i < run.amount(4, 6, 20); i++) {
      ProcessWorker victim = run.ownWorker();
      List<String> names = startWork(run, victim);
      RuleRun.pause(Duration.ofMillis(run.random().nextInt(700, 1_000)));
      victim.kill();
      run.fault("kill -9 of a client at work");
      expectAllFree(run, names, run.pastLease(CRASH_LEASE, 1_000));
    }
    run.note("after each crash all names were free within a lease of 1.5 s and 1 s");
  }

  /** One thread holds, one renews, the others acquire and release as fast as they can. */
  private static List<String> startWork(RuleRun run, Worker victim) throws Exception {
    List<String> all = new ArrayList<>();
    long lease = run.ms(CRASH_LEASE).toNanos();
    boolean renewable = run.has(Capability.RENEWABLE);
    String held = run.name();
    String renewed = run.name();
    all.add(held);
    all.add(renewed);
    victim.run(space -> {
      Duration asked = Duration.ofNanos(lease);
      LockRequest second = LockRequest.of(renewed).withLease(asked);
      space.keep("renewed", space.client().acquire(renewable ? second.renewing() : second));
      space.keep("held", space.acquire(held, asked, asked));
    });
    for (int t = 1; t <= BUSY_THREADS; t++) {
      List<String> names = new ArrayList<>();
      for (int n = 0; n < NAMES_PER_THREAD; n++) {
        names.add(run.name());
      }
      all.addAll(names);
      var unused = victim.start(t, space -> acquireAndReleaseForEver(space, names, lease));
    }
    return all;
  }

  public static int acquireAndReleaseForEver(WorkerSpace space, List<String> names, long lease)
      throws InterruptedException {
    Duration asked = Duration.ofNanos(lease);
    for (int i = 0; !Thread.interrupted(); i++) {
      space.acquire(names.get(i % names.size()), asked, Duration.ofSeconds(20)).release();
    }
    return 0;
  }

  private static void expectAllFree(RuleRun run, List<String> names, Duration limit)
      throws Exception {
    long deadline = System.nanoTime() + limit.toNanos();
    LockClient client = run.client();
    for (String name : names) {
      Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      try {
        client
            .acquire(LockRequest.of(name).withLease(run.ms(10_000)).withWait(left))
            .release();
        run.count(1);
      } catch (LockTimeoutException e) {
        run.expect(
            false,
            "a dead holder's lock is free within " + limit.toMillis() + " ms",
            "it was not; inspect says " + RuleRun.inspection(client, name));
      }
    }
  }

  private static void anAbandonedHoldCostsOneLease(RuleRun run) throws Exception {
    String name = run.name();
    long lease = run.ms(CRASH_LEASE).toNanos();
    Thread holder = new Thread(() -> {
      try {
        run.client().lock(name).tryLock(Duration.ZERO, Duration.ofNanos(lease));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    });
    holder.start();
    holder.join();
    run.fault("the end of a holder's thread");
    run.expectFree(run.client(), name, run.pastLease(CRASH_LEASE, 1_000), "after its thread's end");
    run.note("the state is private to this JVM: the holder's thread ended without a release");
  }

  @Rule(value = "W2", check = "how a waiter that does not answer is passed over", timed = true)
  public static void aDeadWaiterBlocksNobody(RuleRun run) throws Exception {
    String name = run.name();
    LockClient client = run.client();
    // Before the lock is held: a JVM may take longer to start than the lease lasts.
    Worker dying = run.oneJvm() ? run.worker() : run.ownWorker();
    Worker living = run.worker();
    Lease held = client.acquire(Leases.fixed(run, name, 30_000));
    long wait = run.ms(25_000).toNanos();
    int dead = DEAD_WAITERS;
    dying.run(space -> waitInBackground(space, name, dead, wait));
    awaitWaiting(run, dying, dead);
    CompletableFuture<Long> acquired =
        living.start(1, space -> ValidityRules.timeToAcquire(space, name, wait, wait));
    awaitWaiting(run, living, 1);
    List<DeadHeads.Head> heads = DeadHeads.before(run, dying, dead);
    Queues.kill(run, dying, "a waiting client");
    long released = System.nanoTime();
    held.release();
    long forced = DeadHeads.force(run, client, heads);
    long at = living.result(acquired);
    run.expect(
        at >= 0 && at - released <= run.limit(3_000).toNanos(),
        "a living waiter acquires within 3 s of the release",
        at < 0 ? "it never did" : "it took " + (at - released) / 1_000_000 + " ms");
    run.note("the living waiter had it after " + (at - released) / 1_000_000 + " ms");
    DeadHeads.expectPassed(run, heads, released, forced);
  }

  public static void waitInBackground(WorkerSpace space, String name, int waiters, long wait) {
    for (int i = 0; i < waiters; i++) {
      LockRequest request = LockRequest.of(name).withLease(Duration.ofNanos(wait));
      space.keep(
          "waiter-" + i, space.client().acquireAsync(request.withWait(Duration.ofNanos(wait))));
    }
  }

  /** Waits until a worker's requests wait, and the server has had time to hear of it. */
  static void awaitWaiting(RuleRun run, Worker worker, int requests) throws Exception {
    if (run.isForeign()) {
      // Nothing tells that they wait.
      RuleRun.pause(run.ms(1_500));
      return;
    }
    run.await(
        run.limit(5_000),
        "requests wait for a lock that is held",
        () -> worker.callOn(worker.label() + "-look", space -> space.events().waitingCount())
            >= requests);
    RuleRun.pause(run.ms(50));
  }

  @Rule(
      value = "W4",
      check = "that the wait's limit bounds everything, also the last attempt",
      timed = true)
  public static void aWaitEndsInTime(RuleRun run) throws Exception {
    String name = run.name();
    Worker holder = run.worker();
    LockClient client = run.client();
    long lease = run.willBeHeld(name, run.ms(30_000));
    holder.run(space -> space.acquire(name, Duration.ofNanos(lease), Duration.ofNanos(lease)));
    Duration wait = run.ms(300);
    LockRequest request = LockRequest.of(name).withLease(run.ms(1_000)).withWait(wait);
    expectTimely(
        run,
        "acquire",
        () ->
            run.expectThrows(LockTimeoutException.class, "acquire", () -> client.acquire(request)));
    run.ifOffered(() -> expectTimely(run, "acquireAsync", () -> {
      var failure = run.expectThrows(
          ExecutionException.class,
          "acquireAsync(...).get()",
          () -> client
              .acquireAsync(request)
              .get(run.limit(10_000).toMillis(), TimeUnit.MILLISECONDS));
      run.expect(
          failure.getCause() instanceof LockTimeoutException,
          "it fails with LockTimeoutException",
          "with " + failure.getCause());
      return 0;
    }));
    run.ifOffered(() -> expectTimely(
        run,
        "acquireAll",
        () -> run.expectThrows(
            LockTimeoutException.class, "acquireAll", () -> client.acquireAll(List.of(request)))));
    expectTimely(run, "tryLock", () -> {
      run.expectWhileHeld(
          name,
          () -> !client.lock(name).tryLock(wait, run.ms(1_000)),
          "tryLock answers false",
          "it answered true");
      return 0;
    });
    run.note("all ways to wait ended in time");
  }

  private static void expectTimely(RuleRun run, String what, Callable<?> wait) throws Exception {
    long start = System.nanoTime();
    wait.call();
    long took = System.nanoTime() - start;
    run.expect(
        took >= run.ms(290).toNanos() && took <= run.within(300, 1_000).toNanos(),
        what + " with a wait of 300 ms ends after 300 to 1,300 ms",
        "after " + took / 1_000_000 + " ms");
  }

  @Rule(
      value = "W7",
      check = "that waiters hold no connection and no thread that release and renewal need",
      neighbours = Neighbours.NONE,
      timed = true)
  public static void waitersDoNotStarveTheHolder(RuleRun run) throws Exception {
    int waiters = 200;
    String name = run.name();
    EventCounter events = new EventCounter();
    LockClient client = run.client(events);
    Lease held = client.acquire(Leases.lasting(run, name, 900));
    List<CompletableFuture<Void>> done = new ArrayList<>();
    for (int i = 0; i < waiters; i++) {
      LockRequest request = LockRequest.of(name).withLease(run.ms(20_000)).withWait(run.ms(30_000));
      done.add(client.acquireAsync(request).thenAccept(Lease::release));
    }
    long end = System.nanoTime() + run.ms(2_200).toNanos();
    while (System.nanoTime() - end < 0) {
      run.expect(held.isValid(), "a renewed lease stays valid beside 200 waiters", "it was lost");
      RuleRun.pause(Duration.ofMillis(20));
    }
    long start = System.nanoTime();
    held.release();
    long took = System.nanoTime() - start;
    run.expect(
        took <= run.limit(1_000).toNanos(),
        "release beside 200 waiters takes at most 1 s",
        "it took " + took / 1_000_000 + " ms");
    CompletableFuture.allOf(done.toArray(new CompletableFuture<?>[0]))
        .get(run.limit(30_000).toMillis(), TimeUnit.MILLISECONDS);
    run.count(waiters);
    run.note(
        "release took " + took / 1_000 + " us beside 200 waiters, and all of them were served");
  }

  @Rule(value = "W8", check = "that a single attempt neither waits nor queues", timed = true)
  public static void aSingleAttemptNeverWaits(RuleRun run) throws Exception {
    String name = run.name();
    Worker holder = run.worker();
    LockClient client = run.client();
    long lease = run.willBeHeld(name, run.ms(30_000));
    holder.run(space -> space.acquire(name, Duration.ofNanos(lease), Duration.ofNanos(lease)));
    for (int i = 0; i < 10; i++) {
      var unused = client.acquireAsync(LockRequest.of(name).withLease(Duration.ofNanos(lease)));
    }
    LockRequest once = Leases.once(run, name, 1_000);
    long slowest = 0;
    int lateInARow = 0;
    for (int i = 0; i < run.amount(20, 100, 500); i++) {
      long start = System.nanoTime();
      run.expectWhileHeld(
          name, () -> !enters(run, client, once), "a held lock is not entered", "it was");
      long took = System.nanoTime() - start;
      slowest = Math.max(slowest, took);
      // A disk or a network may make one round late; a backend that waits makes each late.
      lateInARow = took > run.limit(500).toNanos() ? lateInARow + 1 : 0;
      run.expect(
          lateInARow < MOST_LATE && took <= run.limit(5_000).toNanos(),
          "single attempts answer within half a second",
          "they took " + took / 1_000_000 + " ms, after " + (lateInARow - 1)
              + " rounds in a row that were late, too");
    }
    run.note("the slowest attempts took " + slowest / 1_000 + " us");
  }

  /** Tries each way that does not wait. */
  private static boolean enters(RuleRun run, LockClient client, LockRequest once)
      throws InterruptedException {
    String name = once.name();
    boolean entered = false;
    for (UnaryOperator<LockRequest> kind : Leases.kinds(run).values()) {
      entered |= client.tryAcquire(kind.apply(once)).isPresent();
    }
    entered |= client.lock(name).tryLock(Duration.ZERO, run.ms(1_000));
    if (run.has(Capability.RENEWABLE)) {
      entered |= client.lock(name).tryLock();
      entered |= client.tryAcquire(LockRequest.of(name)).isPresent();
    }
    return entered;
  }

  @Rule(value = "W8", check = "that an attempt without patience is noted nowhere", timed = true)
  public static void aSingleAttemptLeavesNoPlace(RuleRun run) throws Exception {
    LockClient holder = run.client();
    LockClient client = run.client();
    LockClient observer = run.client();
    List<UnaryOperator<LockRequest>> kinds = new ArrayList<>(List.of(request -> request));
    if (run.has(Capability.FAIR)) {
      kinds.add(request -> request.fair(true));
    }
    if (run.has(Capability.SHARED)) {
      kinds.add(LockRequest::shared);
    }
    if (run.has(Capability.PERMITS)) {
      kinds.add(request -> request.permits(1, 2));
    }
    for (UnaryOperator<LockRequest> kind : kinds) {
      Lease held = holder.acquire(Leases.fixed(run, run.name(), 30_000));
      LockRequest request = kind.apply(Leases.once(run, held.name(), 10_000));
      run.expectWhileHeld(
          held.name(),
          () -> client.tryAcquire(request).isEmpty(),
          "a held lock is not entered",
          "it was");
      run.ifOffered(() -> {
        int waiters = Queues.waiters(observer, held.name());
        run.expect(waiters == 0, "nobody waits after a single attempt", waiters + " wait");
      });
      held.release();
      Leases.expectGiven(run, observer, request, "what a single attempt did not get")
          .release();
    }
  }
}
