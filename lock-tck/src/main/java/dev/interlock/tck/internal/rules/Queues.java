package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import dev.interlock.tck.internal.worker.ProcessWorker;
import dev.interlock.tck.internal.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Those who wait for a lock, or for parts of it, one behind the other. */
final class Queues {
  private Queues() {}

  /** A request that keeps the order and waits for long. */
  static LockRequest request(RuleRun run, String name) {
    LockRequest request = Leases.fixed(run, name, 30_000).withWait(run.ms(20_000));
    return run.has(Capability.FAIR) ? request.fair(true) : request;
  }

  /** Enters a queue in which some stand already, in turn from one of several clients. */
  static CompletableFuture<Lease> enter(
      RuleRun run, List<LockClient> clients, LockClient observer, LockRequest request, int before)
      throws Exception {
    CompletableFuture<Lease> waiting = clients.get(before % clients.size()).acquireAsync(request);
    awaitQueued(run, observer, request.name(), before + 1);
    return waiting;
  }

  /** Waits until the server knows of so many who wait for a lock. */
  static void awaitQueued(RuleRun run, LockClient observer, String name, int waiters)
      throws Exception {
    run.await(
        run.limit(5_000),
        "the server knows of " + waiters + " waiting requests",
        () -> waiters(observer, name) >= waiters);
  }

  /** Returns how many wait for a lock; -1 if nobody holds it. */
  static int waiters(LockClient observer, String name) {
    return observer.inspect(name).map(HoldInfo::waiters).orElse(-1);
  }

  /** Ends a worker that waits, as a crash does where it is a JVM. */
  static void kill(RuleRun run, Worker dying, String who) {
    if (dying instanceof ProcessWorker process) {
      process.kill();
      run.fault("kill -9 of " + who);
    } else {
      dying.close();
      run.fault("closing of " + who);
    }
  }

  /** Returns how soon one who waits has what was given up. */
  static Duration servedWithin(RuleRun run) {
    return run.limit(run.has(Capability.PUSH) ? 1_000 : 3_000);
  }

  /** Fails the rule unless it has what it waits for soon. */
  static void expectServed(RuleRun run, CompletableFuture<Lease> waiting, String who)
      throws Exception {
    Duration limit = servedWithin(run);
    try {
      waiting.get(limit.toNanos(), TimeUnit.NANOSECONDS);
      run.count(1);
    } catch (TimeoutException e) {
      throw RuleViolation.late(
          who + " is served within " + limit.toMillis() + " ms", "it still waits", List.of());
    }
  }
}
