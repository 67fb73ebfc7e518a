package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckServer;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Rules E4 and E5, and what W4 and L7 say about a server that stalls or forgets. */
public final class FaultRules {
  /** A client waits for an answer for some seconds before it gives up; each provider its own. */
  static final long LONGEST_ANSWER = 8_000;

  /** More calls than a usual pool has places. */
  static final int MANY = 80;

  private FaultRules() {}

  private static LockRequest fixed(RuleRun run, String name) {
    return LockRequest.of(name).withLease(run.ms(30_000));
  }

  @Rule(
      value = "E4",
      check = "which answers of the server mean \"again\", and that each operation retries them",
      neighbours = Neighbours.NONE,
      limit = 120,
      needs = TckFault.DISTURB)
  public static void transientAnswersAreRetried(RuleRun run) throws Exception {
    TckServer server = run.server();
    LockClient client = run.client();
    LockClient other = run.client();
    String name = run.name();
    List<UnaryOperator<LockRequest>> kinds = List.copyOf(Leases.kinds(run).values());
    int disturbed = 0;
    for (int i = 0; i < run.amount(20, 100, 500); i++) {
      LockRequest request = kinds.get(i / 2 % kinds.size()).apply(fixed(run, name));
      disturbed += server.disturb() ? 1 : 0;
      Optional<Lease> lease = client.tryAcquire(request);
      run.expect(
          lease.isPresent(), "tryAcquire of a free lock gives a lease", "empty in round " + i);
      disturbed += server.disturb() ? 1 : 0;
      run.expectHeld(other, name, "while one client holds");
      disturbed += server.disturb() ? 1 : 0;
      run.expect(other.inspect(name).isPresent(), "inspect finds the hold", "it says free");
      CompletableFuture<Lease> next = other.acquireAsync(fixed(run, name).withWait(run.ms(10_000)));
      if (run.has(Capability.RENEWABLE)) {
        disturbed += server.disturb() ? 1 : 0;
        run.expectWhileHeld(
            name,
            () -> lease.orElseThrow().extend(run.ms(30_000)),
            "extend of a held lease answers true",
            "false");
      }
      disturbed += server.disturb() ? 1 : 0;
      lease.orElseThrow().release();
      Lease after = next.get(run.limit(10_000).toMillis(), TimeUnit.MILLISECONDS);
      disturbed += server.disturb() ? 1 : 0;
      if (i % 2 == 0) {
        after.release();
      } else {
        Leases.force(run, client, name);
        Leases.drop(after);
      }
    }
    run.requireHit(disturbed, "transient answers of the server");
    run.note("no operation failed or was refused for an answer that says \"again\"");
  }

  @Rule(
      value = "E5",
      check = "that connections and subscriptions that failed are replaced",
      neighbours = Neighbours.NONE,
      timed = true,
      limit = 150,
      needs = TckFault.CONNECTION)
  public static void theSameClientWorksAgain(RuleRun run) throws Exception {
    FaultProxy proxy = run.proxy();
    LockClient client = run.client(proxy);
    LockClient other = run.client();
    List<TransientFault> faults = new ArrayList<>(TransientFault.brief(run, proxy));
    faults.addAll(TransientFault.lasting(run, proxy));
    int hit = 0;
    long failed = 0;
    long slowest = 0;
    for (TransientFault fault : faults) {
      useManyConnections(run, client);
      if (fault.begin().act() == 0) {
        continue; // there was nothing to harm: a provider without scripts has none to forget
      }
      hit++;
      run.fault(fault.words());
      // Many use the client meanwhile, and it is left with what that brings.
      var unused = TimedAnswer.of("tryAcquire", () -> client.tryAcquire(fixed(run, run.name())));
      List<CompletableFuture<TimedAnswer>> calls = inspect(run, client, MANY);
      RuleRun.pause(run.ms(400));
      failed += calls.stream()
          .filter(call -> call.isDone() && call.join().error() != null)
          .count();
      fault.end().act();
      String when = "after " + fault.words();
      long start = System.nanoTime();
      run.expectWorking(client, run.limit(5_000), when);
      slowest = Math.max(slowest, System.nanoTime() - start);
      handOver(run, client, other, when);
    }
    run.note(("after %d kinds of faults, by which %d calls failed at once, the same client worked"
            + " again, at the latest %d ms later")
        .formatted(hit, failed, slowest / 1_000_000));
  }

  private static void useManyConnections(RuleRun run, LockClient client) throws Exception {
    for (CompletableFuture<TimedAnswer> call : inspect(run, client, 6)) {
      call.get(run.limit(LONGEST_ANSWER).toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** Inspects so many locks at once. */
  static List<CompletableFuture<TimedAnswer>> inspect(RuleRun run, LockClient client, int locks) {
    List<CompletableFuture<TimedAnswer>> calls = new ArrayList<>();
    for (int i = 0; i < locks; i++) {
      calls.add(TimedAnswer.of("inspect", () -> client.inspect(run.name())));
    }
    return calls;
  }

  /** Both ways: from the client that met the fault, and to it. */
  private static void handOver(RuleRun run, LockClient client, LockClient other, String when)
      throws Exception {
    String name = run.name();
    Lease held = client.acquire(fixed(run, name).withWait(run.ms(5_000)));
    CompletableFuture<Lease> next = other.acquireAsync(fixed(run, name).withWait(run.ms(10_000)));
    RuleRun.pause(run.ms(50));
    held.release();
    Lease there = next.get(run.limit(10_000).toMillis(), TimeUnit.MILLISECONDS);
    CompletableFuture<Lease> back = client.acquireAsync(fixed(run, name).withWait(run.ms(10_000)));
    RuleRun.pause(run.ms(50));
    there.release();
    try {
      back.orTimeout(run.limit(3_000).toMillis(), TimeUnit.MILLISECONDS).join().release();
    } catch (CompletionException e) {
      throw new RuleViolation(
          when + " the same client is handed a lock", "it was not: " + e, List.of());
    }
    run.count(3);
  }

  @Rule(
      value = "W4",
      check = "that no step of a wait blocks for longer than an answer may take",
      neighbours = Neighbours.NONE,
      timed = true,
      needs = TckFault.PAUSE)
  public static void aWaitEndsInTimeThoughTheServerStalls(RuleRun run) throws Exception {
    TckServer server = run.server();
    LockClient client = run.client();
    run.expectFree(client, run.name(), run.limit(2_000), "before the stall");
    LockRequest request = LockRequest.of(run.name()).withLease(run.ms(1_000)).withWait(run.ms(300));
    server.pause();
    run.fault("a stalled server");
    List<CompletableFuture<TimedAnswer>> calls = List.of(
        TimedAnswer.of("acquire", () -> client.acquire(request)),
        TimedAnswer.of("acquireAsync", () -> client.acquireAsync(request).get()),
        TimedAnswer.of("acquireAll", () -> client.acquireAll(List.of(request))),
        TimedAnswer.of(
            "tryLock", () -> client.lock(run.name()).tryLock(run.ms(300), run.ms(1_000))));
    long limit = 300 + LONGEST_ANSWER;
    for (CompletableFuture<TimedAnswer> call : calls) {
      TimedAnswer answer = call.get(run.limit(2 * limit).toMillis(), TimeUnit.MILLISECONDS);
      run.expect(
          answer.error() != null && answer.took() <= run.limit(limit).toNanos(),
          answer.call() + " with a wait of 300 ms and a stalled server fails within " + limit
              + " ms",
          "after " + answer.took() / 1_000_000 + " ms: "
              + (answer.error() == null ? answer.value() : answer.error()));
    }
    server.resume();
    run.expectWorking(client, run.limit(5_000), "after the stall");
  }

  @Rule(
      value = "L7",
      check = "what a renewal and a release make of a hold that the server does not know",
      timed = true,
      neighbours = Neighbours.NONE,
      needs = TckFault.LOSE_STATE)
  public static void aHoldLostWithTheServersStateIsReported(RuleRun run) throws Exception {
    TckServer server = run.server();
    LockClient client = run.client();
    LockClient other = run.client();
    String renewed = run.name();
    String fixed = run.name();
    Lease renewing = client.acquire(Leases.lasting(run, renewed, 1_200));
    Lease lasting = client.acquire(Leases.fixed(run, fixed, 30_000));
    server.loseState();
    run.fault("loss of the server's state");
    if (run.has(Capability.RENEWABLE)) {
      Leases.expectLost(
          run, renewing, run.within(1_200, 100), "after the loss of the server's state");
      run.expect(!renewing.isValid(), "a lost lease is not valid", "it is");
    }
    Duration took = run.expectFree(other, renewed, run.limit(1_500), "after the loss of the state");
    run.expectThrows(LeaseLostException.class, "release of a hold that was lost", () -> {
      lasting.release();
      return "released";
    });
    run.note("a hold lost with the server's state was reported; the lock was free after "
        + took.toMillis() + " ms");
  }
}
