package dev.interlock.tck.internal.rules;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** Rule W12, and what E6 says about waits that end while the server is away. */
public final class EndedWaitRules {
  /** An end that takes so long, in nanoseconds, may have been left to the background. */
  private static final long LATE = 400_000_000;

  private static final int AWAITED = 8;

  private EndedWaitRules() {}

  @Rule(
      value = "W12",
      check = "that an abandonment returns only when the waiter is out of the queue",
      neighbours = Neighbours.FEW)
  public static void anEndedWaitStandsInNoQueue(RuleRun run) throws Exception {
    LockClient holder = run.client();
    LockClient client = run.client();
    LockClient observer = run.client();
    int judged = 0;
    int rounds = run.amount(40, 200, 1_000);
    for (int i = 0; i < rounds; i++) {
      String name = run.name();
      Lease held = holder.acquire(Leases.fixed(run, name, 30_000));
      LockRequest request = Leases.fairInTurns(run, Leases.lasting(run, name, 20_000), i);
      long took = i % 4 < 2
          ? timeOut(run, client, request)
          : interrupt(run, client, request.withWait(run.ms(20_000)));
      if (took < LATE) {
        judged++;
        run.ifOffered(() -> {
          int waiters = Queues.waiters(observer, name);
          run.expect(waiters == 0, "nobody waits once the only wait has ended", waiters + " wait");
        });
      }
      held.release();
      if (took < LATE) {
        expectNobodyInTheWay(run, observer, name);
      }
    }
    run.requireHit(judged, "waits that ended while the server was quick");
    run.note(judged + " waits that ended were in no queue when their calls returned");
  }

  @Rule(
      value = "W12",
      check = "that each abandonment is made, however many a client has made before",
      neighbours = Neighbours.FEW,
      timed = true)
  public static void whoLeavesIsGoneHoweverManyHaveLeft(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend leaving = run.direct();
    LockClient observer = run.client();
    List<Lease> awaited = new ArrayList<>();
    for (int i = 0; i < AWAITED; i++) {
      awaited.add(observer.acquire(Leases.fixed(run, run.name(), 60_000)));
    }
    List<Integer> leavers =
        IntStream.range(0, run.amount(120, 300, 1_100)).boxed().toList();
    SideBySide.each(leavers, i -> {
      Attempt wait = Attempt.of(
              awaited.get(i % AWAITED).name(), leaving.newId(), "tck", run.ms(60_000))
          .withPatience(run.ms(60_000));
      leaving.attempt(wait);
      leaving.abandon(wait.name(), wait.id());
      return i;
    });
    for (Lease lease : awaited) {
      run.ifOffered(() -> run.await(
          run.limit(1_000),
          "nobody waits once " + leavers.size() + " of a client have left",
          () -> Queues.waiters(observer, lease.name()) == 0));
      lease.release();
    }
    SideBySide.each(leavers, i -> {
      String name = run.name();
      HoldId left = leaving.newId();
      leaving.acquire(name, left, run.ms(60_000), run.limit(3_000));
      leaving.abandon(name, left);
      run.await(
          run.limit(1_000),
          "a lock is free once its hold was abandoned, as many before it were",
          () -> observer.inspect(name).isEmpty());
      return i;
    });
    run.count(2L * leavers.size());
    run.note(leavers.size() + " waits and as many holds of a client were abandoned");
  }

  @Rule(
      value = "E6",
      check = "that an abandonment which failed is reported as failed, so that it is sent again",
      neighbours = Neighbours.NONE,
      timed = true,
      needs = TckFault.CONNECTION)
  public static void aWaitThatEndedWhileTheServerWasAwayIsRemoved(RuleRun run) throws Exception {
    FaultProxy proxy = run.proxy();
    LockClient client = run.client(proxy);
    LockClient observer = run.client();
    List<Lease> held = new ArrayList<>();
    List<CompletableFuture<Lease>> waits = new ArrayList<>();
    for (int i = 0; i < (run.has(Capability.FAIR) ? 4 : 2); i++) {
      String name = run.name();
      held.add(observer.acquire(Leases.fixed(run, name, 60_000)));
      LockRequest request = Leases.fairInTurns(run, Leases.once(run, name, 20_000), i / 2);
      waits.add(client.acquireAsync(request.withWait(i % 2 == 0 ? run.ms(60_000) : run.ms(1_500))));
    }
    if (run.has(Capability.PUSH) || run.has(Capability.FAIR)) {
      for (Lease lease : held) {
        Queues.awaitQueued(run, observer, lease.name(), 1);
      }
    }
    proxy.refuse(true);
    run.requireHit(proxy.cut(), "a server that cannot be reached when a wait ends");
    for (int i = 0; i < waits.size(); i += 2) {
      waits.get(i).cancel(true);
      run.await(run.limit(10_000), "a wait of 1.5 s is over", waits.get(i + 1)::isDone);
    }
    RuleRun.pause(run.ms(100));
    proxy.heal();
    for (Lease lease : held) {
      run.ifOffered(() -> run.await(
          run.limit(3_000),
          "a wait that ended while the server could not be reached has no place any more",
          () -> Queues.waiters(observer, lease.name()) == 0));
      lease.release();
      run.expectFree(observer, lease.name(), run.limit(1_000), "after the end of its only wait");
    }
    run.note(waits.size() + " waits that ended while the server was away were removed later");
  }

  private static void expectNobodyInTheWay(RuleRun run, LockClient observer, String name) {
    run.count(1);
    var lease = observer.tryAcquire(LockRequest.of(name).withLease(run.ms(10_000)));
    run.expect(
        lease.isPresent(),
        "a lock that was released after the only wait had ended is free",
        "it was refused; inspect says: " + RuleRun.inspection(observer, name));
    lease.orElseThrow().release();
  }

  /** Waits in vain. Answers by how much the call outlasted its limit. */
  private static long timeOut(RuleRun run, LockClient client, LockRequest request)
      throws InterruptedException {
    Duration wait = Duration.ofNanos(run.random().nextInt(2_000_000, 30_000_000));
    long start = System.nanoTime();
    try {
      client.acquire(request.withWait(wait)).release();
    } catch (LockTimeoutException e) {
      run.count(1);
      return System.nanoTime() - start - wait.toNanos();
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      long late = System.nanoTime() - start - wait.toNanos();
      if (late < LATE) {
        throw e;
      }
      return late; // a server that stood still so long has not answered
    }
    throw new RuleViolation("acquire throws LockTimeoutException", "it acquired", List.of());
  }

  /** Waits until interrupted. Answers how long the call took from then on. */
  private static long interrupt(RuleRun run, LockClient client, LockRequest request)
      throws Exception {
    CompletableFuture<Throwable> ended = new CompletableFuture<>();
    Thread waiter = new Thread(() -> {
      try {
        client.acquire(request);
        ended.complete(new IllegalStateException("it acquired"));
      } catch (InterruptedException | RuntimeException e) {
        ended.complete(e);
      }
    });
    waiter.start();
    LockSupport.parkNanos(run.random().nextInt(1_000_000, 30_000_000));
    long start = System.nanoTime();
    waiter.interrupt();
    Throwable end = ended.get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS);
    run.expect(
        end instanceof InterruptedException, "the wait ends with InterruptedException", "" + end);
    return System.nanoTime() - start;
  }
}
