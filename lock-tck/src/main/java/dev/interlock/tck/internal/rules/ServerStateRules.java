package dev.interlock.tck.internal.rules;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckServer;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Rules E9 and E10: a server that works, with something in it or no room in it. */
public final class ServerStateRules {
  private static final int SHORT = 1_200;

  private ServerStateRules() {}

  @Rule(
      value = "E9",
      check = "that a batch has an answer for each of its locks, whatever the others meet",
      timed = true,
      neighbours = Neighbours.NONE,
      needs = TckFault.SPOIL)
  public static void oneLockThatFailsDoesNoHarmToOthers(RuleRun run) throws Exception {
    TckServer server = run.server();
    LockClient client = run.client();
    LockClient other = run.client();
    List<Lease> leases = acquireTogether(run, client, run.amount(10, 50, 200));
    Lease spoilt = leases.remove(leases.size() / 2);
    server.spoil(spoilt.name());
    run.fault("a lock whose state cannot be read");
    RuleRun.pause(run.ms(3 * SHORT));
    for (Lease lease : leases) {
      run.expect(
          lease.isValid() && !lease.lost().toCompletableFuture().isDone(),
          "each lease but that of the lock whose state cannot be read is renewed",
          "one is lost: " + RuleRun.inspection(other, lease.name()));
    }
    Leases.drop(spoilt);
    expectOthersGranted(run, client, spoilt.name());
    for (Lease lease : leases) {
      lease.release();
      run.expectFree(other, lease.name(), run.limit(1_000), "after its release");
    }
    run.expect(
        other.forceRelease(spoilt.name()),
        "forceRelease removes whatever is in the lock's place",
        "it says that nothing is there");
    run.expectFree(other, spoilt.name(), run.limit(3_000), "after forceRelease");
    run.note(leases.size() + " leases outlived a lock of their client that could not be renewed");
  }

  /** So that they are renewed together, also where the machine stands still between attempts. */
  private static List<Lease> acquireTogether(RuleRun run, LockClient client, int count)
      throws Exception {
    List<CompletableFuture<Lease>> attempts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      attempts.add(client.acquireAsync(Leases.lasting(run, run.name(), SHORT)));
    }
    List<Lease> leases = new ArrayList<>();
    for (CompletableFuture<Lease> attempt : attempts) {
      leases.add(attempt.get(run.limit(5_000).toMillis(), TimeUnit.MILLISECONDS));
    }
    return leases;
  }

  /** Attempts of one client at the same time, some of them on the lock that fails. */
  private static void expectOthersGranted(RuleRun run, LockClient client, String spoilt)
      throws Exception {
    List<CompletableFuture<Lease>> failing = new ArrayList<>();
    List<CompletableFuture<Lease>> sound = new ArrayList<>();
    for (int i = 0; i < run.amount(8, 40, 160); i++) {
      failing.add(client.acquireAsync(Leases.fixed(run, spoilt, 10_000).withWait(run.ms(300))));
      sound.add(client.acquireAsync(Leases.fixed(run, run.name(), 10_000)));
    }
    for (CompletableFuture<Lease> attempt : sound) {
      attempt.get(run.limit(5_000).toMillis(), TimeUnit.MILLISECONDS).release();
    }
    for (CompletableFuture<Lease> attempt : failing) {
      expectRefused(run, attempt);
    }
    run.count(2L * sound.size());
  }

  private static void expectRefused(RuleRun run, CompletableFuture<Lease> attempt)
      throws Exception {
    try {
      attempt.get(run.limit(5_000).toMillis(), TimeUnit.MILLISECONDS);
      run.expect(false, "a lock whose state cannot be read is not granted", "it was");
    } catch (ExecutionException e) {
      run.expect(
          e.getCause() instanceof LockException,
          "a lock whose state cannot be read fails with a LockException",
          String.valueOf(e.getCause()));
    }
  }

  @Rule(
      value = "E10",
      check = "which writes of a renewal and of a release need room, and which of them comes first",
      timed = true,
      neighbours = Neighbours.NONE,
      needs = TckFault.FULL)
  public static void aFullServerStillRenewsAndReleases(RuleRun run) throws Exception {
    TckServer server = run.server();
    LockClient client = run.client();
    LockClient other = run.client();
    List<Lease> renewed = new ArrayList<>();
    List<Lease> ending = new ArrayList<>();
    for (UnaryOperator<LockRequest> kind : Leases.kinds(run).values()) {
      renewed.add(client.acquire(kind.apply(Leases.lasting(run, run.name(), SHORT))));
      ending.add(client.acquire(kind.apply(Leases.fixed(run, run.name(), 60_000))));
    }
    ending.addAll(renewed);
    Lease awaited = client.acquire(Leases.fixed(run, run.name(), 60_000));
    LockRequest next = Leases.fixed(run, awaited.name(), 60_000).withWait(run.ms(30_000));
    CompletableFuture<Lease> waiter = other.acquireAsync(next);
    if (run.has(Capability.FAIR)) {
      Queues.awaitQueued(run, other, awaited.name(), 1);
    } else {
      // A server without a queue need not know who waits.
      RuleRun.pause(run.ms(500));
    }
    server.full(true);
    expectRefusals(run, other);
    RuleRun.pause(run.ms(3 * SHORT));
    for (Lease lease : renewed) {
      run.expect(
          lease.isValid() && !lease.lost().toCompletableFuture().isDone(),
          "a full server renews a lease",
          "it is lost: " + RuleRun.inspection(other, lease.name()));
    }
    ending.forEach(ServerStateRules::release);
    release(awaited);
    for (Lease lease : ending) {
      run.expect(
          other.inspect(lease.name()).isEmpty(),
          "a full server frees a lock at its release",
          RuleRun.inspection(other, lease.name()));
    }
    server.full(false);
    try {
      waiter.get(run.limit(5_000).toMillis(), TimeUnit.MILLISECONDS).release();
    } catch (ExecutionException e) {
      // If it asked again while the server was full: an attempt needs room.
      run.expect(
          e.getCause() instanceof BackendUnavailableException,
          "a waiter gets the lock once it is released, or is refused for want of room",
          "it ended with " + e.getCause());
    }
    run.expectFree(other, awaited.name(), run.limit(1_000), "once nobody holds or awaits it");
    run.note("leases were renewed and released, also before a waiter");
  }

  private static void release(Lease lease) {
    try {
      lease.release();
    } catch (LockException e) {
      throw new RuleViolation("a full server takes a release", "it threw " + e, List.of());
    }
  }

  /** Of new locks, by their exception. An empty answer would say that somebody holds them. */
  private static void expectRefusals(RuleRun run, LockClient client) throws Exception {
    LockRequest request = Leases.once(run, run.name(), 1_000);
    List<CompletableFuture<TimedAnswer>> calls = new ArrayList<>();
    calls.add(TimedAnswer.of("tryAcquire", () -> client.tryAcquire(request)));
    if (run.has(Capability.SHARED)) {
      LockRequest reader = Leases.once(run, run.name(), 1_000).shared();
      calls.add(TimedAnswer.of("tryAcquire of a reader", () -> client.tryAcquire(reader)));
    }
    LockRequest patient = Leases.once(run, run.name(), 1_000).withWait(run.ms(300));
    calls.add(TimedAnswer.of("acquire", () -> Optional.of(client.acquire(patient))));
    int refused = 0;
    for (CompletableFuture<TimedAnswer> call : calls) {
      TimedAnswer answer = call.get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS);
      Throwable error = answer.error();
      boolean granted = answer.value() instanceof Optional<?> lease && lease.isPresent();
      boolean fits =
          error instanceof BackendUnavailableException || error instanceof OutcomeUnknownException;
      run.expect(
          fits || granted,
          answer.call() + " of a free lock on a full server throws BackendUnavailableException",
          error == null ? "it answered that another holds it" : "it threw " + error);
      refused += fits ? 1 : 0;
    }
    run.requireHit(refused, "a server without room");
  }
}
