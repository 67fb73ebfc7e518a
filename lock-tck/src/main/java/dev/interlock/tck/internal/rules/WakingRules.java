package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.FaultyReplies;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** Rule W3 for waiters of each kind, whoever frees the lock, and whoever waits beside them. */
public final class WakingRules {
  private static final long LEASE = 300_000;

  /** Not stretched: what takes it for none does not stretch either. */
  private static final Duration BRIEF = Duration.ofMillis(900);

  private WakingRules() {}

  /** A client that waits, of which is known when the server has answered that the lock is held. */
  record Waiter(LockClient client, AtomicInteger left) {
    static Waiter of(RuleRun run) {
      AtomicInteger left = new AtomicInteger();
      return new Waiter(
          run.client(backend -> FaultyReplies.late(backend, left, Duration.ZERO)), left);
    }

    CompletableFuture<Lease> begin(RuleRun run, LockRequest request) throws Exception {
      left.set(Integer.MAX_VALUE);
      CompletableFuture<Lease> waiter = client.acquireAsync(request);
      run.await(run.limit(10_000), "a wait asks the server", () -> left.get() < Integer.MAX_VALUE);
      return waiter;
    }
  }

  /** Something that ends a hold. */
  interface End {
    void run() throws Exception;
  }

  static void expectWoken(RuleRun run, CompletableFuture<Lease> waiter, End end, String what)
      throws Exception {
    end.run();
    Queues.expectServed(run, waiter, "one who waits after " + what);
    Leases.release(waiter.join());
  }

  @Rule(
      value = "W3",
      check = "that a waiter of each kind is woken in every step that frees the lock",
      timed = true)
  public static void howeverAHoldEndsAWaiterIsWoken(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    LockClient operator = run.client();
    LockClient holder = run.client();
    Waiter waiter = Waiter.of(run);
    DirectBackend direct = run.direct();
    for (Map.Entry<String, UnaryOperator<LockRequest>> kind : Leases.kinds(run).entrySet()) {
      String who = ", by one who asks for " + kind.getKey();
      LockRequest forced = request(run, kind.getValue());
      holder.acquire(whole(run, forced));
      expectWoken(
          run,
          waiter.begin(run, forced),
          () -> operator.forceRelease(forced.name()),
          "a forced release" + who);
      LockRequest closed = request(run, kind.getValue());
      LockClient closing = run.client();
      closing.acquire(whole(run, closed));
      expectWoken(
          run, waiter.begin(run, closed), closing::close, "the end of its holder's client" + who);
      LockRequest abandoned = request(run, kind.getValue());
      HoldId id = direct.newId();
      direct.acquire(abandoned.name(), id, run.ms(LEASE), run.limit(3_000));
      expectWoken(
          run,
          waiter.begin(run, abandoned),
          () -> direct.abandon(abandoned.name(), id),
          "an abandonment of the hold" + who);
      // Whoever brings it about is told like any other.
      LockRequest own = request(run, kind.getValue());
      holder.acquire(whole(run, own));
      expectWoken(
          run,
          waiter.begin(run, own),
          () -> waiter.client().forceRelease(own.name()),
          "a forced release by its own client" + who);
      LockRequest endless =
          kind.getValue().apply(LockRequest.of(run.name()).withLease(run.ms(LEASE)));
      Lease released = holder.acquire(whole(run, endless));
      expectWoken(
          run,
          waiter.begin(run, endless),
          released::release,
          "a release" + who + " and waits without a limit");
      expectWokenInTime(run, holder, waiter, request(run, kind.getValue()), who);
    }
  }

  /** One who waits for less than a second is noted, too. */
  private static void expectWokenInTime(
      RuleRun run, LockClient holder, Waiter waiter, LockRequest request, String who)
      throws Exception {
    if (!run.has(Capability.PUSH)) {
      return; // it looks again, but when is its own affair
    }
    Lease held = holder.acquire(whole(run, request));
    long start = System.nanoTime();
    CompletableFuture<Lease> brief = waiter.begin(run, request.withWait(BRIEF));
    held.release();
    boolean inTime = RuleRun.since(start).compareTo(BRIEF.dividedBy(2)) < 0;
    try {
      Leases.release(brief.get(run.limit(10_000).toMillis(), TimeUnit.MILLISECONDS));
    } catch (ExecutionException e) {
      if (inTime) {
        throw RuleViolation.late(
            "a release wakes one who waits for less than a second" + who,
            "its wait ended with " + e.getCause(),
            List.of());
      }
    }
  }

  @Rule(
      value = "W3",
      check = "that whoever waits in one way is not forgotten when another one is served",
      timed = true)
  public static void whoeverIsServedFirstTheOtherIsNotForgotten(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    LockClient holder = run.client();
    Waiter first = Waiter.of(run);
    Waiter second = Waiter.of(run);
    for (Map.Entry<String, UnaryOperator<LockRequest>> kind : Leases.kinds(run).entrySet()) {
      for (boolean plainFirst : new boolean[] {true, false}) {
        LockRequest other = request(run, kind.getValue());
        LockRequest lock = whole(run, other).withWait(run.ms(LEASE));
        Lease held = holder.acquire(whole(run, other));
        List<CompletableFuture<Lease>> waits = List.of(
            first.begin(run, plainFirst ? lock : other),
            second.begin(run, plainFirst ? other : lock));
        held.release();
        // Which of them comes first is no matter of this rule.
        CompletableFuture.anyOf(waits.get(0), waits.get(1))
            .get(run.limit(10_000).toMillis(), TimeUnit.MILLISECONDS);
        CompletableFuture<Lease> served = waits.get(0).isDone() ? waits.get(0) : waits.get(1);
        CompletableFuture<Lease> last = served == waits.get(0) ? waits.get(1) : waits.get(0);
        expectWoken(
            run,
            last,
            () -> served.join().release(),
            "the release of another one, of a lock that is awaited also by " + kind.getKey());
      }
    }
  }

  @Rule(
      value = "W3",
      check = "that who was woken, and leaves without the lock, wakes the next",
      timed = true)
  public static void whoLeavesWhenWokenWakesTheNext(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    LockClient holder = run.client();
    DirectBackend leaving = run.direct();
    Waiter waiter = Waiter.of(run);
    Map<String, UnaryOperator<Attempt>> attempts = Leases.attempts(run);
    for (Map.Entry<String, UnaryOperator<LockRequest>> kind : Leases.kinds(run).entrySet()) {
      LockRequest request = request(run, kind.getValue());
      Lease held = holder.acquire(whole(run, request));
      // Without the engine, which would ask for the lock when it is told.
      Attempt told = Attempt.of(request.name(), leaving.newId(), "tck-leaves", run.ms(LEASE))
          .withPatience(run.ms(LEASE));
      leaving.attempt(Objects.requireNonNull(attempts.get(kind.getKey())).apply(told));
      CompletableFuture<Lease> next = waiter.begin(run, request);
      held.release();
      RuleRun.pause(run.ms(50));
      expectWoken(
          run,
          next,
          () -> leaving.abandon(request.name(), told.id()),
          "the end of another wait for " + kind.getKey() + " that had been told of the release");
    }
  }

  private static LockRequest request(RuleRun run, UnaryOperator<LockRequest> kind) {
    return kind.apply(Leases.fixed(run, run.name(), LEASE).withWait(run.ms(LEASE)));
  }

  /** What keeps such a request out. */
  private static LockRequest whole(RuleRun run, LockRequest other) {
    return Leases.fixed(run, other.name(), LEASE);
  }
}
