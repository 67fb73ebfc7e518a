package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** Rule L6 for requests of each kind, which may go ways of their own. */
public final class ExpiryRules {
  private static final long BRIEF = 900;
  private static final long LONG = 30_000;

  /**
   * A lease that began while a waiter waited is not told to it. Some look again every ten seconds.
   */
  private static final long LOOKS_AGAIN = 12_000;

  private ExpiryRules() {}

  @Rule(
      value = "L6",
      check = "that a waiter looks again before the lease is over that it found first, for another"
          + " one may have come meanwhile, and be over sooner",
      timed = true)
  public static void aWaiterOutlastsWhoeverComesBeforeIt(RuleRun run) throws Exception {
    LockClient holder = run.client();
    List<LockClient> clients = List.of(run.client(), run.client());
    Map<String, List<CompletableFuture<Lease>>> waits = new LinkedHashMap<>();
    List<Lease> leaving = new ArrayList<>();
    for (Map.Entry<String, UnaryOperator<LockRequest>> kind : Leases.wholes(run).entrySet()) {
      String name = run.name();
      leaving.add(holder.acquire(Leases.fixed(run, name, LONG)));
      List<CompletableFuture<Lease>> two = new ArrayList<>();
      for (LockClient client : clients) {
        LockRequest request = kind.getValue().apply(Leases.once(run, name, BRIEF));
        // An owner of its own each.
        request = request.owner().isEmpty() ? request : request.withOwner("tck-" + two.size());
        two.add(client.acquireAsync(request.withWait(run.ms(LONG))));
      }
      waits.put("the second of two who wait for " + kind.getKey(), two);
      if (run.has(Capability.RENEWABLE)) {
        waits.put(
            kind.getKey() + " whose holder's lease was made longer",
            List.of(behindAnExtension(run, holder, clients.get(0), kind.getValue())));
      }
    }
    RuleRun.pause(run.ms(300));
    leaving.forEach(Lease::release);
    for (Map.Entry<String, List<CompletableFuture<Lease>>> wait : waits.entrySet()) {
      Duration limit = run.pastLease(BRIEF, LOOKS_AGAIN);
      run.await(
          limit,
          wait.getKey() + " has it",
          () -> wait.getValue().stream().allMatch(CompletableFuture::isDone));
      wait.getValue().forEach(CompletableFuture::join);
    }
    run.note("waiters came in after leases that began while they waited");
  }

  /** It finds the lease over that it found first, and another one. */
  private static CompletableFuture<Lease> behindAnExtension(
      RuleRun run, LockClient holder, LockClient client, UnaryOperator<LockRequest> kind)
      throws Exception {
    String name = run.name();
    Lease held = holder.acquire(Leases.fixed(run, name, BRIEF));
    CompletableFuture<Lease> waiting =
        client.acquireAsync(kind.apply(Leases.once(run, name, BRIEF)).withWait(run.ms(LONG)));
    RuleRun.pause(run.ms(100));
    run.expectWhileHeld(
        name, () -> held.extend(run.ms(2 * BRIEF)), "a held lease is extended", "it is not");
    return waiting;
  }

  @Rule(
      value = "L6",
      check = "that one who waits for several looks again when the first of their leases is over",
      timed = true)
  public static void aPermitIsFreeWhenItsLeaseIsOverWhicheverItIs(RuleRun run) throws Exception {
    if (!run.has(Capability.PERMITS)) {
      return;
    }
    LockClient holder = run.client();
    LockRequest half = Leases.fixed(run, run.name(), LONG).permits(1, 2);
    holder.acquire(half);
    holder.acquire(half.withLease(run.ms(BRIEF)));
    long held = System.nanoTime();
    CompletableFuture<Lease> waiter = run.client().acquireAsync(half.withWait(run.ms(LONG)));
    run.await(
        run.pastLease(BRIEF, 1_000).minus(RuleRun.since(held)),
        "one who waits for a permit has the one whose lease is over first",
        waiter::isDone);
    waiter.join();
  }

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
          "one who waits for " + wait.getKey() + " has it soon after the lease",
          wait.getValue()::isDone);
      wait.getValue().join();
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
