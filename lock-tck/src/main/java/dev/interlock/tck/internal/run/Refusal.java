package dev.interlock.tck.internal.run;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.UnsupportedCapabilityException;
import dev.interlock.tck.internal.worker.Worker;
import java.time.Duration;
import java.util.concurrent.Callable;

/** Checks that what a provider does not declare is refused, not silently done by halves. */
final class Refusal {
  private Refusal() {}

  static void expectRefused(Capability capability, RuleRun run) throws Exception {
    switch (capability) {
      case RENEWABLE -> renewable(run);
      case FENCED -> fenced(run);
      case FAIR -> fair(run);
      case SHARED_OWNER -> sharedOwner(run);
      case SHARED -> shared(run);
      case PERMITS -> permits(run);
      case PUSH, DURABLE ->
        run.note(
            capability + " is not declared; no call asks for it, so there is nothing to refuse");
    }
  }

  private static void renewable(RuleRun run) throws Exception {
    LockClient client = run.client();
    refused(run, "acquire without a lease", () -> client.tryAcquire(LockRequest.of(run.name())));
    refused(
        run,
        "acquire with a lease that is to be renewed",
        () -> client.tryAcquire(once(run).renewing()));
    try (Lease lease = client.acquire(fixed(run))) {
      refused(run, "extend", () -> lease.extend(run.ms(20_000)));
    }
    run.note("RENEWABLE is not declared, and renewal and extension are refused");
  }

  private static void fenced(RuleRun run) throws Exception {
    try (Lease lease = run.client().acquire(fixed(run))) {
      refused(run, "fencingToken", lease::fencingToken);
    }
    run.note("FENCED is not declared, and fencingToken is refused");
  }

  private static void fair(RuleRun run) {
    LockClient client = run.client();
    refused(run, "acquire with fair(true)", () -> client.acquire(fixed(run).fair(true)));
    refused(run, "tryAcquire with fair(true)", () -> client.tryAcquire(once(run).fair(true)));
    run.note("FAIR is not declared, and fair(true) is refused");
  }

  private static void sharedOwner(RuleRun run) throws Exception {
    String name = run.name();
    Duration length = run.ms(10_000);
    // Before the lock is held: a JVM may take longer to start than the lease lasts.
    Worker other = run.worker();
    LockRequest request = LockRequest.of(name).withOwner("tck-owner").withLease(length);
    try (Lease lease = run.client().acquire(request)) {
      run.expectWhileHeld(
          name,
          () -> other.call(space -> space
              .client()
              .tryAcquire(LockRequest.of(name).withOwner("tck-owner").withLease(length))
              .isEmpty()),
          "where SHARED_OWNER is not declared, the owner does not enter from another client",
          "it entered a lock that " + lease.name() + " holds here");
    }
    run.note("SHARED_OWNER is not declared, and an owner's second client is kept out");
  }

  private static void shared(RuleRun run) throws Exception {
    LockClient client = run.client();
    refused(run, "tryAcquire of a reader", () -> client.tryAcquire(once(run).shared()));
    refused(run, "acquire of a reader", () -> client.acquire(fixed(run).shared()));
    run.ifOffered(() -> refused(run, "readWriteLock", () -> client.readWriteLock(run.name())));
    run.note("SHARED is not declared, and readers are refused");
  }

  private static void permits(RuleRun run) throws Exception {
    LockClient client = run.client();
    refused(run, "tryAcquire of a permit", () -> client.tryAcquire(once(run).permits(1, 2)));
    refused(run, "acquire of a permit", () -> client.acquire(fixed(run).permits(1, 2)));
    run.ifOffered(() -> refused(run, "semaphore", () -> client.semaphore(run.name(), 2)));
    run.note("PERMITS is not declared, and permits are refused");
  }

  private static LockRequest fixed(RuleRun run) {
    return once(run).withWait(run.ms(5_000));
  }

  private static LockRequest once(RuleRun run) {
    return LockRequest.of(run.name()).withLease(run.ms(10_000));
  }

  private static void refused(RuleRun run, String call, Callable<?> action) {
    run.expectThrows(UnsupportedCapabilityException.class, call, action);
  }
}
