package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.internal.rules.CountedContention.Part;
import dev.interlock.tck.internal.run.NotReached;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import dev.interlock.tck.internal.worker.SkewAgent;
import dev.interlock.tck.internal.worker.SkewedClock;
import dev.interlock.tck.internal.worker.Worker;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Rules L5 and L8: clients' wall clocks that are wrong, and that jump. */
public final class ClockRules {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final long LEASE = 1_500;
  private static final long DRIFT_LEASE = 8_000;

  private static final List<Duration> DRIFTS = List.of(
      Duration.ofSeconds(1),
      Duration.ofSeconds(-1),
      Duration.ofMinutes(3),
      Duration.ofMinutes(-3),
      Duration.ofHours(2),
      Duration.ofHours(-2));

  /** Forward by less than the lease, for validity also ends by the wall clock. */
  private static final List<Duration> DRIFTS_DURING_A_HOLD =
      List.of(Duration.ofSeconds(1), Duration.ofSeconds(-1), HOUR.negated());

  private ClockRules() {}

  @Rule(
      value = "L5",
      check =
          "that no time of a client's wall clock is sent to the server or compared with its own",
      limit = 90,
      timed = true)
  public static void skewedClocksChangeNothing(RuleRun run) throws Exception {
    if (run.oneJvm()) {
      aClockThatJumpsChangesNothing(run);
      return;
    }
    Worker ahead = run.freshWorker(SkewAgent.argument(HOUR), "-Duser.timezone=Pacific/Kiritimati");
    Worker behind =
        run.freshWorker(SkewAgent.argument(HOUR.negated()), "-Duser.timezone=Pacific/Pago_Pago");
    expectSkewed(ahead);
    expectSkewed(behind);
    run.fault("wall clocks an hour ahead and an hour behind");
    expectLeaseHonoured(run, ahead, behind);
    expectLeaseHonoured(run, behind, ahead);
    expectLeaseHonoured(run, ahead, run.worker());
    expectLeaseHonoured(run, run.worker(), ahead);
    expectDriftChangesNothing(run, ahead, behind, HOUR);
    expectSinceByTheServer(run, List.of(ahead, run.worker(), behind));
    if (run.has(Capability.FAIR)) {
      expectArrivalCounts(run, ahead, behind);
      expectArrivalCounts(run, behind, ahead);
    }
    run.note("clients whose clocks differ by two hours excluded one another, each for its lease");
  }

  private static void expectLeaseHonoured(RuleRun run, Worker holder, Worker other)
      throws Exception {
    String name = run.name();
    long lease = run.ms(LEASE).toNanos();
    long wait = run.limit(3_000).toNanos();
    long called = System.nanoTime();
    holder.run(space -> space.acquire(name, Duration.ofNanos(lease), Duration.ofNanos(wait)));
    long returned = System.nanoTime();
    Duration remaining = other.call(space -> remaining(space, name));
    run.expect(
        remaining.compareTo(run.expiry(LEASE)) <= 0,
        "at most the lease of 1.5 s remains, seen from another client",
        remaining + " remain");
    Leases.until(called + lease * 2 / 3);
    boolean entered = other.call(space -> enters(space, name, 100_000_000));
    boolean stillDue = System.nanoTime() - called < lease;
    run.expect(!entered || !stillDue, "the lease keeps another client out", "it entered");
    long limit = run.pastLease(LEASE, 1_000).toNanos() - (System.nanoTime() - returned);
    long at = other.call(space -> ValidityRules.timeToAcquire(space, name, wait, limit));
    run.expect(at >= 0, "the lease ends in time for another client", "it did not");
  }

  /** When a hold began is told by the server's clock, whoever holds and whoever asks. */
  private static void expectSinceByTheServer(RuleRun run, List<Worker> workers) throws Exception {
    long lease = run.ms(20_000).toNanos();
    List<Long> begins = new ArrayList<>();
    for (Worker holder : workers) {
      String name = run.name();
      holder.run(space -> space.acquire(name, Duration.ofNanos(lease), Duration.ofNanos(lease)));
      for (Worker observer : workers) {
        begins.add(observer.call(space -> since(space, name)));
      }
    }
    if (begins.contains(0L)) {
      throw NotReached.tooLate("for a lease had run out before it was looked at");
    }
    Duration apart = Duration.ofMillis(Collections.max(begins) - Collections.min(begins));
    run.expect(
        apart.compareTo(HOUR.dividedBy(4)) < 0,
        "clients whose clocks differ by two hours are told by one clock since when a lock is held",
        "their answers for locks that were taken at once differ by " + apart);
  }

  public static long since(WorkerSpace space, String name) {
    return space.client().inspect(name).map(info -> info.since().toEpochMilli()).orElse(0L);
  }

  /** Whoever asks first is served first, whatever its clock says. */
  private static void expectArrivalCounts(RuleRun run, Worker first, Worker second)
      throws Exception {
    String name = run.name();
    LockClient observer = run.client();
    Lease held = observer.acquire(FairnessRules.fair(run, name));
    long wait = run.ms(20_000).toNanos();
    var one = first.start(1, space -> FairnessRules.takeTurn(space, name, wait));
    Queues.awaitQueued(run, observer, name, 1);
    var other = second.start(1, space -> FairnessRules.takeTurn(space, name, wait));
    Queues.awaitQueued(run, observer, name, 2);
    held.release();
    long oneAt = first.result(one);
    run.expect(
        oneAt < second.result(other),
        "of two waiters whose clocks differ by two hours the earlier one acquires first",
        "the later one did");
  }

  /** The clock moves while the client is open: it may know how far, and must not reckon with it. */
  private static void expectDriftChangesNothing(
      RuleRun run, Worker drifting, Worker observer, Duration from) throws Exception {
    for (Duration drift : DRIFTS) {
      Duration offset = from.plus(drift);
      drifting.run(space -> SkewedClock.setOffset(offset));
      for (Kind kind : kinds(run)) {
        expectLease(
            run,
            drifting,
            observer,
            kind,
            false,
            "granted by a client whose clock moved by ",
            drift);
        if (run.has(Capability.RENEWABLE)) {
          expectLease(
              run,
              drifting,
              observer,
              kind,
              true,
              "extended by a client whose clock moved by ",
              drift);
        }
      }
      expectLease(
          run,
          observer,
          drifting,
          Kind.PLAIN,
          false,
          "looked at by a client whose clock moved by ",
          drift);
    }
    drifting.run(space -> SkewedClock.setOffset(from));
    if (run.has(Capability.RENEWABLE)) {
      expectDriftDuringAHoldChangesNothing(run, drifting, observer, from);
    }
    run.fault("wall clocks that move by a second to two hours while a client is open");
  }

  /** A request that may go a way of its own; the worker's JVM is told of it. */
  public record Kind(String what, boolean fair, boolean owned, int units, int capacity)
      implements Serializable {
    static final Kind PLAIN = new Kind("a lock", false, false, 1, 1);

    LockRequest of(String name) {
      LockRequest request = new Part(units, capacity).of(name);
      request = fair ? request.fair(true) : request;
      return owned ? request.withOwner(SharedOwnerRules.OWNER) : request;
    }
  }

  static List<Kind> kinds(RuleRun run) {
    return Leases.kinds(run).entrySet().stream()
        .map(kind -> {
          LockRequest request = kind.getValue().apply(LockRequest.of("kind"));
          return new Kind(
              kind.getKey(),
              request.fairness().orElse(false),
              request.owner().isPresent(),
              request.units(),
              request.capacity());
        })
        .toList();
  }

  /** Has one client hold something, and the other one look what is left of the lease. */
  private static void expectLease(
      RuleRun run,
      Worker holder,
      Worker observer,
      Kind kind,
      boolean extended,
      String how,
      Duration drift)
      throws Exception {
    Duration lease = run.ms(DRIFT_LEASE);
    long nanos = lease.toNanos();
    String name = run.name();
    long called = System.nanoTime();
    holder.run(space -> holdFor(space, kind, name, nanos, extended));
    Duration left = observer.call(space -> remaining(space, name));
    Duration least = lease.minusNanos(System.nanoTime() - called).minus(Leases.ROUNDED);
    run.expect(
        left.compareTo(least) >= 0
            && left.compareTo(run.expiry(DRIFT_LEASE).plus(Leases.ROUNDED)) <= 0,
        "a lease of %s, %s%s, of %s, has at least %s left and no more than the lease"
            .formatted(lease, how, drift, kind.what(), least),
        left + " remain");
  }

  /** The clock moves between a grant and an extension. */
  private static void expectDriftDuringAHoldChangesNothing(
      RuleRun run, Worker drifting, Worker observer, Duration from) throws Exception {
    long asked = run.ms(DRIFT_LEASE).toNanos() * 2;
    for (Duration drift : DRIFTS_DURING_A_HOLD) {
      String name = run.name();
      drifting.run(space -> {
        SkewedClock.setOffset(from);
        space.keep(name, space.acquire(name, Duration.ofNanos(asked / 2), Duration.ofNanos(asked)));
        SkewedClock.setOffset(from.plus(drift));
      });
      long called = System.nanoTime();
      boolean extended = drifting.call(space -> space.lease(name).extend(Duration.ofNanos(asked)));
      Duration left = observer.call(space -> remaining(space, name));
      Duration least = Duration.ofNanos(asked - (System.nanoTime() - called)).minus(Leases.ROUNDED);
      run.expect(
          extended
              && left.compareTo(least) >= 0
              && left.compareTo(run.expiry(2 * DRIFT_LEASE).plus(Leases.ROUNDED)) <= 0,
          "a lease is extended to what is asked for, by a client whose clock moved by %s since the"
                  .formatted(drift)
              + " grant: at least %s are left, and no more than that".formatted(least),
          "extend answered " + extended + ", " + left + " remain");
    }
    drifting.run(space -> SkewedClock.setOffset(from));
  }

  public static void holdFor(
      WorkerSpace space, Kind kind, String name, long lease, boolean extended)
      throws InterruptedException {
    Duration asked = Duration.ofNanos(lease);
    Duration first = extended ? asked.dividedBy(4) : asked;
    Lease held = space.client().acquire(kind.of(name).withLease(first).withWait(asked));
    if (extended && !held.extend(asked)) {
      throw new RuleViolation("extend of a held lease answers true", "false", List.of());
    }
  }

  public static Duration remaining(WorkerSpace space, String name) {
    return space.client().inspect(name).map(HoldInfo::remaining).orElse(Duration.ZERO);
  }

  public static boolean enters(WorkerSpace space, String name, long lease) {
    return space
        .client()
        .tryAcquire(LockRequest.of(name).withLease(Duration.ofNanos(lease)))
        .isPresent();
  }

  private static void expectSkewed(Worker worker) throws Exception {
    long there = worker.call(space -> System.currentTimeMillis());
    if (Math.abs(there - System.currentTimeMillis()) < HOUR.toMillis() / 2) {
      throw new NotReached("the wall clock of a worker JVM could not be moved");
    }
  }

  /** The state is in one JVM, so its only clock is moved while a lease runs. */
  private static void aClockThatJumpsChangesNothing(RuleRun run) throws Exception {
    Worker worker = run.freshWorker(SkewAgent.argument(Duration.ZERO));
    String name = run.name();
    long lease = run.ms(LEASE).toNanos();
    for (Duration jump : List.of(HOUR, HOUR.negated())) {
      worker.run(space -> expectJumpIsNothing(space, name + jump, lease, jump));
      run.count(4);
    }
    expectDriftChangesNothing(run, worker, worker, Duration.ZERO);
    run.fault("a wall clock that jumps by an hour either way");
    run.note("leases lasted as long as they should while the wall clock jumped");
  }

  public static void expectJumpIsNothing(WorkerSpace space, String name, long nanos, Duration jump)
      throws InterruptedException {
    Duration lease = Duration.ofNanos(nanos);
    long called = System.nanoTime();
    Lease held = space.acquire(name, lease, lease);
    SkewedClock.setOffset(jump);
    try {
      Leases.until(called + nanos * 2 / 3);
      boolean entered = enters(space, name, nanos);
      boolean valid = held.isValid();
      boolean stillDue = System.nanoTime() - called < nanos * 9 / 10;
      that(!stillDue || !entered || !valid, "a jump of the clock lets nobody in beside");
      if (jump.isNegative()) {
        that(!stillDue || (!entered && valid), "a step back of the clock ends no lease");
      }
      Lease next = space.acquire(name, lease, lease.multipliedBy(3));
      that(!held.isValid(), "a lease ends in time although the clock jumped");
      next.release();
    } finally {
      SkewedClock.setOffset(Duration.ZERO);
    }
  }

  @Rule(
      value = "L8",
      check = "that validity also ends by the wall clock, and only ends by it",
      limit = 90,
      timed = true)
  public static void theWallClockOnlyEndsValidity(RuleRun run) throws Exception {
    Leases.requireValidity(run);
    Worker worker = run.freshWorker(SkewAgent.argument(Duration.ZERO));
    String name = run.name();
    long lease = run.ms(LEASE).toNanos();
    worker.run(space -> expectForwardEnds(space, name));
    worker.run(space -> expectBackwardExtendsNothing(space, name + ":back", lease));
    run.count(4);
    run.fault("a wall clock that jumps against the monotonic one, as after a suspend");
    run.note(
        "leases were not valid after a jump by more than their time, nor longer after one back");
  }

  /** What a client sees that was suspended for a minute; the server's time is not moved. */
  public static void expectForwardEnds(WorkerSpace space, String name) throws InterruptedException {
    Duration lease = Duration.ofSeconds(40);
    Lease fixed = space.acquire(name, lease, lease);
    LockRequest another = LockRequest.of(name + ":renewed").withLease(lease).renewing();
    Lease renewed = space.client().acquire(another);
    that(fixed.isValid() && renewed.isValid(), "leases of 40 s are valid when granted");
    SkewedClock.setOffset(Duration.ofSeconds(20));
    that(
        fixed.remaining().compareTo(Duration.ofSeconds(20)) < 0,
        "a suspend of 20 s takes as much from what remains");
    SkewedClock.setOffset(Duration.ofSeconds(80));
    that(!fixed.isValid(), "a fixed lease of 40 s is not valid after a suspend of a minute");
    that(!renewed.isValid(), "nor is a renewed one");
    that(fixed.remaining().isZero(), "and nothing remains");
    SkewedClock.setOffset(Duration.ZERO);
  }

  public static void expectBackwardExtendsNothing(WorkerSpace space, String name, long nanos)
      throws InterruptedException {
    Duration lease = Duration.ofNanos(nanos);
    long called = System.nanoTime();
    Lease held = space.acquire(name, lease, lease);
    SkewedClock.setOffset(HOUR.negated());
    try {
      Duration remaining = held.remaining();
      that(remaining.compareTo(lease) <= 0, "a step back adds nothing to what remains");
      Leases.until(called + nanos * 11 / 10);
      that(!held.isValid(), "a lease ends in time although the clock was set back");
    } finally {
      SkewedClock.setOffset(Duration.ZERO);
    }
  }

  private static void that(boolean condition, String expected) {
    if (!condition) {
      throw new RuleViolation(expected, "it was not so", List.of());
    }
  }
}
