package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/**
 * What several rules say of calls after an attempt that are not one step on the server: another
 * client acts between the requests of a call, at each gap in turn.
 */
public final class InterleavingRules {
  private static final long CRASH_LEASE = 500;
  private static final long LONG = 60_000;

  private InterleavingRules() {}

  /** A call through the API by a holder who is forced out meanwhile. */
  private static Gaps.Act<Boolean> forcedOut(
      RuleRun run,
      LockClient holder,
      LockClient other,
      UnaryOperator<LockRequest> kind,
      String what,
      Command command)
      throws InterruptedException {
    String name = run.name();
    Lease lease = holder.acquire(kind.apply(Leases.fixed(run, name, LONG)));
    return new Succession(run, other, name, what) {
      @Override
      void end() {
        other.forceRelease(name);
      }

      @Override
      public Boolean call() {
        command.send(lease);
        return true;
      }
    };
  }

  private interface Command {
    void send(Lease lease);
  }

  @Rule(value = "O2", check = "that a release compares the hold in the step that frees the lock")
  public static void aReleaseIsOneStep(RuleRun run) throws Exception {
    if (!Gaps.canBeTried(run)) {
      return;
    }
    FaultProxy proxy = run.proxy();
    LockClient holder = run.client(proxy);
    LockClient other = run.client();
    for (Map.Entry<String, UnaryOperator<LockRequest>> kind : Leases.kinds(run).entrySet()) {
      String what = "a release of " + kind.getKey();
      Gaps.each(
          run,
          proxy,
          what,
          () -> forcedOut(run, holder, other, kind.getValue(), what, Lease::release));
    }
    if (run.has(Capability.RENEWABLE)) {
      Duration longer = run.ms(10 * LONG);
      Gaps.each(
          run,
          proxy,
          "an extension",
          () -> forcedOut(
              run,
              holder,
              other,
              request -> request,
              "an extension",
              lease -> lease.extend(longer)));
    }
  }

  @Rule(value = "E2", check = "that an abandonment compares the hold in the step that frees it")
  public static void anAbandonmentIsOneStep(RuleRun run) throws Exception {
    if (!Gaps.canBeTried(run)) {
      return;
    }
    FaultProxy proxy = run.proxy();
    DirectBackend holder = run.direct(proxy);
    succeed(run, proxy, holder, "an abandonment", held -> holder.abandon(held.name(), held.id()));
  }

  private interface Step {
    void take(Attempt held);
  }

  /** The holder of each kind is forced out, and followed, while its step is under way. */
  private static void succeed(
      RuleRun run, FaultProxy proxy, DirectBackend holder, String step, Step command)
      throws Exception {
    LockClient other = run.client();
    for (Map.Entry<String, UnaryOperator<Attempt>> kind : Leases.attempts(run).entrySet()) {
      String what = step + " of " + kind.getKey();
      Gaps.each(run, proxy, what, () -> {
        Attempt held =
            kind.getValue().apply(Attempt.of(run.name(), holder.newId(), "tck", run.ms(LONG)));
        holder.acquire(held, run.limit(3_000));
        return new Succession(run, other, held.name(), what) {
          @Override
          void end() {
            other.forceRelease(held.name());
          }

          @Override
          public Boolean call() {
            command.take(held);
            return true;
          }
        };
      });
    }
  }

  @Rule(value = "N3", check = "that a renewal looks for the hold in the step that prolongs it")
  public static void aRenewalIsOneStep(RuleRun run) throws Exception {
    if (!Gaps.canBeTried(run)) {
      return;
    }
    FaultProxy proxy = run.proxy();
    DirectBackend holder = run.direct(proxy);
    LockClient other = run.client();
    succeed(
        run,
        proxy,
        holder,
        "a renewal",
        held -> holder.renew(held.name(), held.id(), run.ms(10 * LONG)));
    Gaps.each(run, proxy, "a renewal", () -> {
      String name = run.name();
      HoldId id = holder.newId();
      holder.acquire(name, id, run.ms(LONG), run.limit(3_000));
      return new Gaps.Act<Boolean>() {
        @Override
        public Boolean call() {
          holder.renew(name, id, run.ms(10 * LONG));
          return true;
        }

        @Override
        public void meanwhile() {
          other.forceRelease(name);
        }

        @Override
        public void judge(Optional<Boolean> answer) throws Exception {
          run.expectFree(
              other,
              name,
              run.limit(1_000),
              "after a hold was ended between requests of its renewal");
        }
      };
    });
  }

  @Rule(value = "M2", check = "that forceRelease compares the token in the step that frees")
  public static void aForcedReleaseIsOneStep(RuleRun run) throws Exception {
    if (!Gaps.canBeTried(run) || !run.has(Capability.FENCED)) {
      return;
    }
    FaultProxy proxy = run.proxy();
    LockClient operator = run.client(proxy);
    LockClient other = run.client();
    Gaps.each(run, proxy, "a forced release", () -> {
      String name = run.name();
      Lease victim = other.acquire(Leases.fixed(run, name, LONG));
      long token = victim.fencingToken();
      return new ForcedInTheGap(run, operator, other, name, victim, token);
    });
  }

  private static final class ForcedInTheGap implements Gaps.Act<Boolean> {
    private final RuleRun run;
    private final LockClient operator;
    private final LockClient other;
    private final String name;
    private final Lease victim;
    private final long token;
    private Optional<Lease> successor = Optional.empty();

    ForcedInTheGap(
        RuleRun run, LockClient operator, LockClient other, String name, Lease victim, long token) {
      this.run = run;
      this.operator = operator;
      this.other = other;
      this.name = name;
      this.victim = victim;
      this.token = token;
    }

    @Override
    public Boolean call() {
      return operator.forceRelease(name, token);
    }

    @Override
    public void meanwhile() throws Exception {
      Leases.drop(victim);
      successor =
          Optional.of(other.acquire(Leases.fixed(run, name, LONG).withWait(run.ms(15_000))));
    }

    @Override
    public void judge(Optional<Boolean> answer) {
      run.expectHeld(other, name, "after its predecessor was forced, which left meanwhile");
      run.expectWhileHeld(
          name,
          successor.orElseThrow()::isValid,
          "a successor that came between the requests of forceRelease is spared",
          "its lease is not valid");
      successor.ifPresent(Leases::drop);
    }
  }

  @Rule(
      value = "W3",
      check = "that a waiter is noted in the step that finds the lock held, or looks once more",
      timed = true)
  public static void aReleaseBetweenLookingAndWaitingIsNotMissed(RuleRun run) throws Exception {
    if (!Gaps.canBeTried(run)) {
      return;
    }
    FaultProxy proxy = run.proxy();
    LockClient waiter = run.client(proxy);
    LockClient holder = run.client();
    for (int turn = 0; turn < (run.has(Capability.FAIR) ? 2 : 1); turn++) {
      int round = turn;
      Gaps.each(run, proxy, "a wait", () -> new Missed(run, waiter, holder, round));
    }
  }

  private static final class Missed implements Gaps.Act<Lease> {
    private final RuleRun run;
    private final LockClient waiter;
    private final String name;
    private final int round;
    private final Lease held;
    private volatile long released;
    private volatile long acquired;

    Missed(RuleRun run, LockClient waiter, LockClient holder, int round)
        throws InterruptedException {
      this.run = run;
      this.waiter = waiter;
      this.round = round;
      this.name = run.name();
      this.held = holder.acquire(Leases.fixed(run, name, 30_000));
    }

    @Override
    public Lease call() throws Exception {
      Lease lease = waiter.acquire(
          Leases.fairInTurns(run, Leases.fixed(run, name, 20_000).withWait(run.ms(5_000)), round));
      acquired = System.nanoTime();
      return lease;
    }

    @Override
    public void meanwhile() {
      released = System.nanoTime();
      held.release();
    }

    @Override
    public void judge(Optional<Lease> answer) {
      String expected =
          "a waiter acquires within 3 s of a release that comes between two of its requests";
      if (answer.isEmpty()) {
        throw new RuleViolation(expected, "it did not acquire", List.of());
      }
      long took = acquired - released;
      run.expect(took <= run.limit(3_000).toNanos(), expected, "after " + took / 1_000_000 + " ms");
      answer.get().release();
    }
  }

  /** A client that is cut off for good is as good as dead. */
  @Rule(value = "W1", check = "that the lease is set in the step that takes the lock", timed = true)
  public static void aDeathBetweenTwoRequestsCostsOneLease(RuleRun run) throws Exception {
    if (!Gaps.canBeTried(run)) {
      return;
    }
    LockClient observer = run.client();
    boolean reached = true;
    for (int nth = 1; reached && nth <= Gaps.MOST_REQUESTS; nth++) {
      FaultProxy proxy = run.proxy();
      LockClient dying = run.client(proxy);
      String name = run.name();
      Gaps.Act<Optional<Lease>> act = new Gaps.Act<>() {
        @Override
        public Optional<Lease> call() {
          return dying.tryAcquire(Leases.once(run, name, CRASH_LEASE));
        }

        @Override
        public void meanwhile() {
          proxy.refuse(true);
          proxy.cut();
        }

        @Override
        public void judge(Optional<Optional<Lease>> answer) {}
      };
      reached = Gaps.begin(run, proxy, nth, act, new CompletableFuture<>());
      run.expectFree(
          observer,
          name,
          run.pastLease(CRASH_LEASE, 1_000),
          "after its client was cut off between two requests of an attempt");
      run.fault("a client cut off for good in each gap of an attempt");
    }
  }
}
