package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.HoldId;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** How holds and waits of each kind end, on names that are never used again. */
final class Endings {
  private static final long LEFT_LEASE = 200;
  private static final long LONG = 60_000;

  /** What is done with a name. */
  interface Ending {
    void end(String name) throws Exception;
  }

  private Endings() {}

  /**
   * Returns them by what became of the locks.
   *
   * @param left clients that are closed afterwards
   */
  static Map<String, Ending> of(RuleRun run, LockClient client, List<LockClient> left) {
    Map<String, Ending> endings = new LinkedHashMap<>();
    // Nobody comes who would find them: each kind may have a way of its own to be cleared away.
    Leases.kinds(run)
        .forEach((what, kind) -> endings.put(
            "expired, held by " + what,
            name -> client.acquire(kind.apply(Leases.fixed(run, name, LEFT_LEASE)))));
    endings.put("were ended by force", name -> {
      client.acquire(Leases.fixed(run, name, LONG));
      client.forceRelease(name);
    });
    if (!run.isForeign()) {
      DirectBackend direct = run.direct();
      endings.put("were abandoned", name -> {
        HoldId id = direct.newId();
        direct.acquire(name, id, run.ms(LONG), run.limit(9_000));
        direct.abandon(name, id);
      });
    }
    putWaits(run, client, endings);
    putUses(run, client, endings);
    AtomicInteger turn = new AtomicInteger();
    endings.put(
        "ended with their client",
        name ->
            left.get(turn.getAndIncrement() % left.size()).acquire(Leases.fixed(run, name, LONG)));
    return endings;
  }

  /** Several things are done with each lock: a store on disk takes its time for each use. */
  private static void putWaits(RuleRun run, LockClient client, Map<String, Ending> endings) {
    LockClient waiter = run.client();
    endings.put(
        "were refused, and awaited in vain", name -> awaitInVain(run, client, waiter, name));
    endings.put("expired after an extension, held by one who had waited", name -> {
      Lease held = client.acquire(Leases.fixed(run, name, LONG));
      CompletableFuture<Lease> next =
          waiter.acquireAsync(Queues.request(run, name).withLease(run.ms(5 * LEFT_LEASE)));
      held.release();
      Lease left = next.get();
      if (run.has(Capability.RENEWABLE)) {
        left.extend(run.ms(5 * LEFT_LEASE));
      }
    });
    endings.put("were extended and handed on", name -> {
      Lease held = client.acquire(Leases.fixed(run, name, LONG / 2));
      CompletableFuture<Lease> next = waiter.acquireAsync(Queues.request(run, name));
      if (run.has(Capability.RENEWABLE)) {
        held.extend(run.ms(LONG));
      }
      held.release();
      next.get().release();
    });
  }

  /** By each kind of request: of a queue, and of each kind, there may be entries of its own. */
  private static void awaitInVain(RuleRun run, LockClient client, LockClient waiter, String name)
      throws Exception {
    Lease held = client.acquire(Leases.fixed(run, name, LONG));
    List<CompletableFuture<Integer>> waits = new ArrayList<>();
    for (UnaryOperator<LockRequest> kind : Leases.kinds(run).values()) {
      LockRequest request = kind.apply(Leases.fixed(run, name, LONG));
      waiter.tryAcquire(request.withWait(Duration.ZERO));
      waits.add(
          waiter.acquireAsync(request.withWait(Duration.ofMillis(20))).handle((lease, late) -> 0));
    }
    for (CompletableFuture<Integer> wait : waits) {
      wait.get();
    }
    held.release();
  }

  /** Uses of a kind of their own, which may have entries of their own. */
  private static void putUses(RuleRun run, LockClient client, Map<String, Ending> endings) {
    if (run.has(Capability.SHARED)) {
      endings.put("were read, also by one who was forced out", name -> {
        LockRequest reader = Leases.fixed(run, name, LONG).shared();
        client.acquire(reader).release();
        client.acquire(reader);
        client.forceRelease(name);
      });
    }
    if (run.has(Capability.PERMITS)) {
      endings.put(
          "gave permits",
          name -> client.acquire(Leases.fixed(run, name, LONG).permits(2, 3)).release());
    }
    endings.put(
        "had a named owner",
        name ->
            client.acquire(OwnershipRules.owned(run, name, "of " + name, LONG)).release());
    endings.put("were free when they were looked at", name -> {
      client.inspect(name);
      client.forceRelease(name);
    });
  }
}
