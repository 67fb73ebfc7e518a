package dev.interlock.tck.internal.rules;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.DistributedLock;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LostReason;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.history.History;
import dev.interlock.tck.internal.history.Hold;
import dev.interlock.tck.internal.run.FaultyReplies;
import dev.interlock.tck.internal.run.NotReached;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import dev.interlock.tck.internal.worker.ProcessWorker;
import dev.interlock.tck.internal.worker.Worker;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** Group L, except how requests' leases are honoured. */
public final class ValidityRules {
  /** Fewer tell of a JVM that has just begun, or of a machine that stood still. */
  private static final int LEAST_LOOKS = 500;

  /** On three names: each that follows another one has waited for its expiry. */
  private static final int LEAST_EXPIRED = 10;

  private static final int MOST_ROUNDS = 2;

  /** In nanoseconds. A round trip to a server on the same machine takes longer. */
  private static final long LONGEST_LOOK = 5_000;

  /** In nanoseconds, when there were too few looks to say more. Memory is never so slow. */
  private static final long LONGEST_COLD_LOOK = 1_000_000;

  /** How long those who do not wait pause between their tries. */
  private static final Duration TRY = Duration.ofMillis(10);

  private ValidityRules() {}

  @Rule(
      value = "L1",
      check = "that validity counts from before the request was sent, and the lease on the server"
          + " from when it is granted")
  public static void expiryFollowsValidUntil(RuleRun run) throws Exception {
    List<String> names = new ArrayList<>(List.of(run.name(), run.name(), run.name()));
    long time = Duration.ofMillis(run.amount(2_500, 8_000, 30_000)).toNanos();
    boolean fenced = run.has(Capability.FENCED);
    List<Worker> workers = new ArrayList<>(List.of(run.worker(), run.worker()));
    if (!run.oneJvm()) {
      workers.add(run.ownWorker());
    }
    List<Hold> holds = new ArrayList<>();
    // A slow server lets few expire in one round.
    for (int i = 0; i < MOST_ROUNDS && holds.size() < LEAST_EXPIRED; i++) {
      holds.addAll(letExpire(run, workers, names, time, fenced));
    }
    run.count(holds.size());
    run.judge(History.ofOverlaps(holds), "no hold begins before the validUntil of the one before");
    RuleRun.requireEnough(holds.size(), LEAST_EXPIRED, "leases were left to expire");
    run.note(holds.size() + " leases left to expire, none taken over too early");
  }

  private static List<Hold> letExpire(
      RuleRun run, List<Worker> workers, List<String> names, long time, boolean fenced)
      throws Exception {
    List<CompletableFuture<List<Hold>>> histories = new ArrayList<>();
    for (Worker worker : workers) {
      long seed = run.random().nextLong();
      long lease = run.ms(150).toNanos();
      histories.add(worker.start(1, space -> letExpire(space, names, time, seed, lease, fenced)));
    }
    if (workers.get(workers.size() - 1) instanceof ProcessWorker own) {
      stopNowAndThen(run, own, time);
    }
    List<Hold> holds = new ArrayList<>();
    for (int i = 0; i < workers.size(); i++) {
      holds.addAll(workers.get(i).result(histories.get(i)));
    }
    return holds;
  }

  private static void stopNowAndThen(RuleRun run, ProcessWorker own, long time) throws Exception {
    long deadline = System.nanoTime() + time;
    while (System.nanoTime() - deadline < 0) {
      RuleRun.pause(Duration.ofMillis(run.random().nextInt(50, 250)));
      own.pause();
      RuleRun.pause(Duration.ofMillis(run.random().nextInt(20, 300)));
      own.resume();
      run.fault("SIGSTOP and SIGCONT of a client");
    }
  }

  public static List<Hold> letExpire(
      WorkerSpace space, List<String> names, long time, long seed, long lease, boolean fenced)
      throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    List<Hold> holds = new ArrayList<>();
    String owner = Thread.currentThread().getName();
    long deadline = System.nanoTime() + time;
    while (System.nanoTime() - deadline < 0) {
      String name = names.get(random.nextInt(names.size()));
      Duration asked = Duration.ofNanos(random.nextLong(lease / 2, lease * 2));
      Lease held = random.nextBoolean()
          ? space.acquire(name, asked, Duration.ofSeconds(20))
          : taken(space, name, asked, 2 * lease);
      // Each request is an owner of its own.
      holds.add(Hold.begin(owner + " hold " + holds.size(), held, fenced));
      RuleRun.pause(Duration.ofNanos(random.nextLong(lease)));
    }
    return holds;
  }

  /** Tries without a wait, then waits: a store may tell a waiter later, and count from then. */
  private static Lease taken(WorkerSpace space, String name, Duration lease, long patience)
      throws InterruptedException {
    long end = System.nanoTime() + patience;
    while (System.nanoTime() - end < 0) {
      try {
        Optional<Lease> found = space.client().tryAcquire(LockRequest.of(name).withLease(lease));
        if (found.isPresent()) {
          return found.get();
        }
      } catch (BackendUnavailableException e) {
        // The answer took longer than the lease, as where a client was stopped meanwhile.
      }
      RuleRun.pause(TRY);
    }
    return space.acquire(name, lease, Duration.ofSeconds(20));
  }

  @Rule(value = "L1", check = "that the reply's delay is taken off the validity", timed = true)
  public static void aLateReplyShortensTheValidity(RuleRun run) throws Exception {
    Duration lease = run.ms(2_500);
    Duration delay = run.ms(800);
    // Each of them: one that takes longer than the lease is repeated.
    AtomicInteger late = new AtomicInteger(Integer.MAX_VALUE);
    LockClient client = run.client(backend -> FaultyReplies.late(backend, late, delay));
    Lease held = client.acquire(Leases.fixed(run, run.name(), 2_500).withWait(run.ms(10_000)));
    run.expect(
        held.remaining().compareTo(lease.minus(delay)) <= 0,
        "a lease of " + lease + " whose grant took " + delay + " is valid for the rest at most",
        "it is valid for " + held.remaining());
    run.fault("a late reply to an attempt");
    Leases.drop(held);
  }

  @Rule(
      value = "L1",
      check = "that the lease of a grant which comes as a message does not count from its arrival",
      timed = true)
  public static void aLateMessageLengthensNoValidity(RuleRun run) throws Exception {
    if (run.isForeign() || !run.offers(TckFault.CONNECTION)) {
      return;
    }
    FaultProxy proxy = run.proxy();
    LockClient waiting = run.client(proxy);
    LockClient holding = run.client();
    List<Lease> before = new ArrayList<>();
    List<CompletableFuture<Lease>> waits = new ArrayList<>();
    for (UnaryOperator<LockRequest> kind : Leases.kinds(run).values()) {
      LockRequest request = Leases.once(run, run.name(), 5_000).withWait(run.ms(20_000));
      before.add(holding.acquire(Leases.fixed(run, request.name(), 30_000)));
      waits.add(waiting.acquireAsync(kind.apply(request)));
    }
    RuleRun.pause(run.ms(200));
    proxy.holdReplies(true);
    run.fault("messages that come late");
    before.forEach(Lease::release);
    RuleRun.pause(run.ms(600));
    proxy.holdReplies(false);
    for (CompletableFuture<Lease> wait : waits) {
      Lease lease = wait.get(run.limit(10_000).toMillis(), TimeUnit.MILLISECONDS);
      Duration left = holding.inspect(lease.name()).map(HoldInfo::remaining).orElse(Duration.ZERO);
      // Asked for afterwards, so that all that takes time makes it less.
      Duration valid = lease.remaining();
      run.expect(
          valid.compareTo(left.plus(Leases.ROUNDED)) <= 0,
          "a lease that was granted while messages came late is valid for no longer than the server"
              + " holds it, " + left,
          "it is valid for " + valid);
      Leases.drop(lease);
    }
    run.note("messages of grants came 600 ms late, and lengthened no validity");
  }

  @Rule(
      value = "L2",
      check = "what is done with a grant whose lease is over when it arrives",
      timed = true)
  public static void anExpiredGrantIsNeverReturned(RuleRun run) throws Exception {
    LockClient other = run.client();
    int rounds = run.amount(1, 3, 10);
    for (int i = 0; i < rounds; i++) {
      AtomicInteger late = new AtomicInteger(1);
      LockClient client = run.client(backend -> FaultyReplies.late(backend, late, run.ms(800)));
      Lease held = client.acquire(Leases.fixed(run, run.name(), 500).withWait(run.ms(10_000)));
      run.expect(held.isValid(), "acquire returns a valid lease", "it had expired");
      expectHeldWhileValid(run, other, held);
      Leases.drop(held);
      late.set(1);
      Optional<Lease> tried = tryOnce(run, client);
      run.expect(
          tried.map(Lease::isValid).orElse(true),
          "tryAcquire returns a valid lease or none",
          "it returned one that had expired");
      tried.ifPresent(lease -> {
        expectHeldWhileValid(run, other, lease);
        Leases.drop(lease);
      });
      run.fault("a reply that comes after the lease");
    }
    run.note("replies came later than the leases they granted; none was returned");
  }

  /** What is valid to its holder is held on the server, too: there it may be over already. */
  private static void expectHeldWhileValid(RuleRun run, LockClient other, Lease held) {
    Optional<Lease> entered = other.tryAcquire(Leases.once(run, held.name(), 20_000));
    run.expect(
        entered.isEmpty() || !held.isValid(),
        "while the returned lease is valid nobody else gets the lock",
        "another client got it");
    entered.ifPresent(Leases::drop);
  }

  private static Optional<Lease> tryOnce(RuleRun run, LockClient client) {
    try {
      return client.tryAcquire(Leases.once(run, run.name(), 500));
    } catch (LockException e) {
      return Optional.empty();
    }
  }

  @Rule(
      value = "L3",
      check = "that validity is counted on the monotonic clock, without I/O",
      timed = true)
  public static void validityEndsByItself(RuleRun run) throws Exception {
    LockClient client = run.client();
    // What is done once for a client is not to be taken off the lease.
    client.acquire(Leases.fixed(run, run.name(), 1_000)).release();
    long called = System.nanoTime();
    Lease lease = client.acquire(Leases.fixed(run, run.name(), 1_000));
    DistributedLock lock = client.lock(run.name());
    run.expect(lock.tryLock(run.ms(2_000), run.ms(1_000)), "a free lock is locked", "it was not");
    long returned = System.nanoTime();
    List<Long> looks = new ArrayList<>();
    List<Long> plain = new ArrayList<>();
    // Once the lease has ended, isValid() says so, and isHeldByCurrentThread() is not called any
    // more.
    boolean valid = true;
    while (valid && System.nanoTime() - called < run.ms(800).toNanos()) {
      long before = System.nanoTime();
      valid = lease.isValid() && lock.isHeldByCurrentThread();
      long between = System.nanoTime();
      looks.add(between - before);
      // The kit's own part of each call, which grows with a machine that is slow.
      var unused = lease.name();
      var unusedAgain = lease.name();
      plain.add(System.nanoTime() - between);
      boolean early = System.nanoTime() - called < run.ms(900).toNanos();
      run.expect(valid || !early, "a fresh lease is valid", "isValid() is false");
    }
    Leases.until(returned + run.ms(1_000).toNanos());
    run.expect(!lease.isValid(), "isValid() is false after validUntil", "it is true");
    run.expect(lease.remaining().isZero(), "remaining() is zero", "it is " + lease.remaining());
    run.expect(!lock.isHeldByCurrentThread(), "the thread does not hold the lock", "it does");
    run.expect(lock.holdCount() == 0, "holdCount() is 0", "it is " + lock.holdCount());
    run.expectThrows(LeaseLostException.class, "ensureValid() of an expired lease", () -> {
      lease.ensureValid();
      return 0;
    });
    boolean few = looks.size() < LEAST_LOOKS;
    long more = looks.isEmpty() ? 0 : lateMedian(looks) - lateMedian(plain);
    long longest = few ? LONGEST_COLD_LOOK : LONGEST_LOOK;
    run.expect(
        more <= longest,
        "isValid() and isHeldByCurrentThread() ask memory: within %d ns at the median"
            .formatted(longest),
        "they took " + more + " ns more than two calls of name()");
    if (few) {
      throw NotReached.tooLate("for the lease was looked at only %d times".formatted(looks.size()));
    }
    run.note("asked " + looks.size() + " times before the end, and at the end");
  }

  /** Of the second half, when the code is warm. */
  private static long lateMedian(List<Long> times) {
    List<Long> late = new ArrayList<>(times.subList(times.size() / 2, times.size()));
    late.sort(null);
    return late.get(late.size() / 2);
  }

  @Rule(
      value = "L6",
      check = "that the server ends a lease by itself and lets the next one in",
      timed = true)
  public static void anExpiredLeaseFreesTheLock(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockClient latecomer = run.client();
    Worker waiter = run.worker();
    for (int i = 0; i < run.amount(2, 4, 10); i++) {
      String awaited = run.name();
      String later = run.name();
      String tried = run.name();
      client.acquire(Leases.fixed(run, awaited, 600));
      client.acquire(Leases.fixed(run, tried, 600));
      client.acquire(Leases.fixed(run, later, 600));
      long held = System.nanoTime();
      long lease = run.ms(10_000).toNanos();
      long limit = run.pastLease(600, 1_000).toNanos();
      long acquired = waiter.call(space -> timeToAcquire(space, awaited, lease, limit));
      run.expect(
          acquired >= 0 && acquired - held <= limit,
          "a waiter acquires within the lease of 600 ms and the bound",
          acquired < 0 ? "it did not" : "after " + (acquired - held) / 1_000_000 + " ms");
      run.expectFree(latecomer, later, run.pastLease(0, 1_000), "after the lease");
      LockRequest once = Leases.once(run, tried, 20_000);
      run.await(
          run.pastLease(0, 1_000),
          "after the lease tryAcquire gives the lock",
          () -> latecomer.tryAcquire(once).isPresent());
    }
    run.note("expired leases were taken over by waiters and by latecomers");
  }

  public static long timeToAcquire(WorkerSpace space, String name, long lease, long limit)
      throws InterruptedException {
    try {
      space.acquire(name, Duration.ofNanos(lease), Duration.ofNanos(limit));
      return System.nanoTime();
    } catch (dev.interlock.LockTimeoutException e) {
      return -1;
    }
  }

  @Rule(value = "L7", check = "that the end of the validity is watched by a timer", timed = true)
  public static void expiryIsReportedInTime(RuleRun run) throws Exception {
    LockClient client = run.client();
    Lease lease = client.acquire(Leases.fixed(run, run.name(), 600));
    long until = Leases.validUntil(lease);
    CompletableFuture<Long> reported = new CompletableFuture<>();
    var unused = lease.lost().thenAccept(reason -> reported.complete(System.nanoTime()));
    LostReason reason = Leases.expectLost(run, lease, run.within(600, 600), "after the lease");
    run.expect(reason == LostReason.EXPIRED, "the reason is EXPIRED", "it is " + reason);
    long late = reported.get() - until;
    // What the callback's thread needs to wake up is not the provider's doing.
    run.expect(
        late <= run.limit(100).toNanos(),
        "lost() completes before the validity ends",
        "it completed " + late / 1_000_000 + " ms after it");
    run.note("reported " + -late / 1_000 + " us before validUntil");
  }

  @Rule(
      value = "L7",
      check = "that a renewal which finds the hold gone ends the lease",
      timed = true)
  public static void aForcedReleaseIsReported(RuleRun run) throws Exception {
    String name = run.name();
    LockClient operator = run.client();
    Lease lease = run.client().acquire(Leases.lasting(run, name, 1_500));
    if (!run.has(Capability.RENEWABLE)) {
      return;
    }
    Leases.force(run, operator, name);
    Leases.expectLost(run, lease, run.within(1_500, 200), "after a forced release");
    run.expect(!lease.isValid(), "a lost lease is not valid", "it is");
  }

  @Rule(value = "L7", check = "that a release is not reported as a loss", timed = true)
  public static void anOrderlyReleaseIsNoLoss(RuleRun run) throws Exception {
    Lease lease = run.client().acquire(Leases.fixed(run, run.name(), 400));
    lease.release();
    RuleRun.pause(run.ms(600));
    if (lease.lost().toCompletableFuture().isDone()) {
      throw new RuleViolation(
          "lost() of a released lease never completes", "it completed", List.of());
    }
  }
}
