package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LostReason;
import dev.interlock.spi.Attempt;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;

/** What many tests do with leases. */
final class Leases {
  private static final int MANY_PERMITS = 8;

  /** What a server may round: it keeps milliseconds. */
  static final Duration ROUNDED = Duration.ofMillis(10);

  private Leases() {}

  /** A request with a fixed lease, that waits for as long as a sound backend can need. */
  static LockRequest fixed(RuleRun run, String name, long leaseMillis) {
    return LockRequest.of(name).withLease(run.ms(leaseMillis)).withWait(run.limit(3_000));
  }

  /** A request for a fixed lease without a word on waiting, as a single attempt wants it. */
  static LockRequest once(RuleRun run, String name, long leaseMillis) {
    return LockRequest.of(name).withLease(run.ms(leaseMillis));
  }

  /** A request that is renewed if the backend can, and otherwise holds for long. */
  static LockRequest lasting(RuleRun run, String name, long leaseMillis) {
    return run.has(Capability.RENEWABLE)
        ? fixed(run, name, leaseMillis).renewing()
        : fixed(run, name, 30_000);
  }

  /** Requests that may go a way of their own, by what they ask for. */
  static Map<String, UnaryOperator<LockRequest>> kinds(RuleRun run) {
    Map<String, UnaryOperator<LockRequest>> kinds = new LinkedHashMap<>(wholes(run));
    if (run.has(Capability.SHARED)) {
      kinds.put("a reader", LockRequest::shared);
    }
    if (run.has(Capability.PERMITS)) {
      kinds.put("permits", request -> request.permits(2, 3));
    }
    return kinds;
  }

  /** Those of them that let nobody else in. */
  static Map<String, UnaryOperator<LockRequest>> wholes(RuleRun run) {
    Map<String, UnaryOperator<LockRequest>> wholes = new LinkedHashMap<>();
    wholes.put("a lock", request -> request);
    if (run.has(Capability.FAIR)) {
      wholes.put("one who keeps the order", request -> request.fair(true));
    }
    if (run.has(Capability.SHARED_OWNER)) {
      wholes.put("a named owner", request -> request.withOwner(SharedOwnerRules.OWNER));
    }
    return wholes;
  }

  /** The same of attempts without the engine, which may go a way of their own. */
  static Map<String, UnaryOperator<Attempt>> attempts(RuleRun run) {
    Map<String, UnaryOperator<Attempt>> attempts = new LinkedHashMap<>();
    kinds(run).forEach((what, kind) -> {
      LockRequest request = kind.apply(LockRequest.of("kind"));
      attempts.put(
          what,
          attempt -> attempt
              .withFair(request.fairness().orElse(false) || request.capacity() != 1)
              .withUnits(request.units(), request.capacity())
              .withSharedOwner(request.owner().isPresent()));
    });
    return attempts;
  }

  /** Attempts that hold a lock beside others of their kind, by what they hold. */
  static Map<String, UnaryOperator<Attempt>> sharing(RuleRun run) {
    Map<String, UnaryOperator<Attempt>> sharing = new LinkedHashMap<>();
    if (run.has(Capability.SHARED)) {
      sharing.put("a reader", attempt -> attempt.withFair(true).withUnits(1, Integer.MAX_VALUE));
    }
    if (run.has(Capability.PERMITS)) {
      sharing.put("a permit", attempt -> attempt.withFair(true).withUnits(1, MANY_PERMITS));
    }
    if (run.has(Capability.SHARED_OWNER)) {
      sharing.put("an owner's entry", attempt -> attempt.withSharedOwner(true));
    }
    return sharing;
  }

  /** Lets a request stand in the server's queue in every other round, where there is one. */
  static LockRequest fairInTurns(RuleRun run, LockRequest request, int round) {
    return run.has(Capability.FAIR) ? request.fair(round % 2 == 0) : request;
  }

  /** When the validity ends, reckoned rather too early than too late. */
  static long validUntil(Lease lease) {
    long now = System.nanoTime();
    return now + lease.remaining().toNanos();
  }

  /** Releases a lease that may be lost. */
  static void drop(Lease lease) {
    try {
      lease.close();
    } catch (LeaseLostException e) {
      // That is what the test did to it.
    }
  }

  /** Releases a lease while the connection or the server is not to be relied on. */
  static void release(Lease lease) {
    try {
      lease.release();
    } catch (LockException e) {
      // Not confirmed: the client goes on with it in the background.
    }
  }

  /** Fails the rule unless it is given at once. */
  static Lease expectGiven(RuleRun run, LockClient client, LockRequest request, String what) {
    Optional<Lease> lease = client.tryAcquire(request);
    run.expect(lease.isPresent(), what + " can be taken", "it cannot");
    run.count(1);
    return lease.orElseThrow();
  }

  /** Takes a lock from whoever holds it, and fails the rule unless there is somebody. */
  static void force(RuleRun run, LockClient operator, String name) {
    run.expectWhileHeld(
        name, () -> operator.forceRelease(name), "forceRelease answers true", "it answered false");
  }

  /** Fails the rule unless it is valid as long as it was granted for. */
  static void expectValid(RuleRun run, Lease lease, String what) {
    run.expectWhileHeld(lease.name(), lease::isValid, what + " is valid", "it is not");
  }

  /** Waits until a moment. */
  static void until(long nanoTime) throws InterruptedException {
    RuleRun.pause(Duration.ofNanos(Math.max(0, nanoTime - System.nanoTime())));
  }

  /** Fails the rule unless the loss is reported in time. */
  static LostReason expectLost(RuleRun run, Lease lease, Duration limit, String when)
      throws Exception {
    CompletableFuture<LostReason> lost = lease.lost().toCompletableFuture();
    try {
      LostReason reason = lost.get(limit.toNanos(), TimeUnit.NANOSECONDS);
      run.count(1);
      return reason;
    } catch (TimeoutException e) {
      throw RuleViolation.late(
          when + " lost() completes within " + limit.toMillis() + " ms",
          "it did not, and isValid() is " + lease.isValid(),
          List.of());
    }
  }

  /** Ends the test if the lock's API does not tell the validity of a hold without the server. */
  static void requireValidity(RuleRun run) throws InterruptedException {
    Lease lease = run.client().acquire(fixed(run, run.name(), 8_000));
    lease.ensureValid();
    lease.release();
  }
}
