package dev.interlock.tck.internal.rules;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** Rule L6 for requests of each kind, which may go ways of their own. */
public final class ExpiryRules {
  private static final long BRIEF = 900;
  private static final long LONG = 30_000;

  private ExpiryRules() {}

  @Rule(
      value = "L6",
      check = "that each kind of waiter looks again when the lease is over that it waits for, and"
          + " each kind of attempt whether what is in its way is over",
      timed = true)
  public static void whateverIsAskedForAnExpiredLeaseIsNoObstacle(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    LockClient holder = run.client();
    LockClient other = run.client();
    UnaryOperator<LockRequest> plain = request -> request;
    Map<String, CompletableFuture<Lease>> waits = new LinkedHashMap<>();
    Map<String, LockRequest> tries = new LinkedHashMap<>();
    for (Map.Entry<String, UnaryOperator<LockRequest>> kind : Leases.kinds(run).entrySet()) {
      for (boolean expires : new boolean[] {true, false}) {
        UnaryOperator<LockRequest> first = expires ? kind.getValue() : plain;
        UnaryOperator<LockRequest> next = expires ? plain : kind.getValue();
        String who = expires ? "a lock after " + kind.getKey() : kind.getKey() + " after a lock";
        String awaited = run.name();
        holder.acquire(first.apply(Leases.fixed(run, awaited, BRIEF)));
        LockRequest patient = next.apply(Leases.once(run, awaited, LONG));
        waits.put(who, other.acquireAsync(patient.withWait(run.ms(LONG))));
        String tried = run.name();
        holder.acquire(first.apply(Leases.fixed(run, tried, BRIEF)));
        tries.put(who, next.apply(Leases.once(run, tried, LONG)));
      }
    }
    long held = System.nanoTime();
    for (Map.Entry<String, CompletableFuture<Lease>> wait : waits.entrySet()) {
      Duration limit = run.pastLease(BRIEF, 1_000);
      run.await(
          limit.minus(RuleRun.since(held)),
          "one who waits for " + wait.getKey() + " has it within the lease and 1 s",
          wait.getValue()::isDone);
    }
    Leases.until(held + run.expiry(BRIEF).toNanos());
    for (Map.Entry<String, LockRequest> attempt : tries.entrySet()) {
      run.await(
          run.pastLease(0, 1_000),
          "after the lease tryAcquire gives " + attempt.getKey(),
          () -> other.tryAcquire(attempt.getValue()).isPresent());
    }
    run.note(List.copyOf(waits.keySet()) + " came in when the lease before them was over");
  }
}
