package dev.interlock.tck.internal.rules;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * What several rules say of attempts that are not one step on the server: another client acts
 * between their requests, at each gap in turn.
 */
public final class AttemptInterleavingRules {
  private static final long LEFT_LEASE = 150;
  private static final long LONG = 60_000;

  private AttemptInterleavingRules() {}

  /** Two leases on one lock, if both calls gave one. */
  private static final class Rivals implements Gaps.Act<Optional<Lease>> {
    private final RuleRun run;
    private final LockClient slow;
    private final LockRequest first;
    private final LockClient quick;
    private final LockRequest rival;
    private final String state;
    private Optional<Lease> second = Optional.empty();

    Rivals(
        RuleRun run,
        LockClient slow,
        UnaryOperator<LockRequest> kind,
        LockClient quick,
        String name,
        String state) {
      this(
          run,
          slow,
          kind.apply(Leases.once(run, name, LONG)),
          quick,
          Leases.once(run, name, LONG),
          state);
    }

    Rivals(
        RuleRun run,
        LockClient slow,
        LockRequest first,
        LockClient quick,
        LockRequest rival,
        String state) {
      this.run = run;
      this.slow = slow;
      this.first = first;
      this.quick = quick;
      this.rival = rival;
      this.state = state;
    }

    @Override
    public Optional<Lease> call() {
      return slow.tryAcquire(first);
    }

    @Override
    public void meanwhile() {
      second = quick.tryAcquire(rival);
    }

    @Override
    public void judge(Optional<Optional<Lease>> answer) {
      Optional<Lease> first = answer.flatMap(lease -> lease);
      boolean both = first.isPresent() && second.isPresent();
      run.expect(
          !both || !(first.get().isValid() && second.get().isValid()),
          "of two attempts on a lock that " + state + " one is granted, also when the second comes"
              + " between the requests of the first",
          "both were");
      first.ifPresent(Leases::drop);
      second.ifPresent(Leases::drop);
    }
  }

  @Rule(value = "X1", check = "that an attempt looks and takes in one step, also after an expiry")
  public static void anAttemptIsOneStep(RuleRun run) throws Exception {
    if (!Gaps.canBeTried(run)) {
      return;
    }
    FaultProxy proxy = run.proxy();
    LockClient slow = run.client(proxy);
    LockClient quick = run.client();
    for (Map.Entry<String, UnaryOperator<LockRequest>> kind : Leases.wholes(run).entrySet()) {
      String what = "an attempt of " + kind.getKey();
      Gaps.each(run, proxy, what, () -> {
        return new Rivals(run, slow, kind.getValue(), quick, run.name(), "nobody used before");
      });
      Gaps.each(run, proxy, what, () -> {
        String name = run.name();
        quick.acquire(Leases.fixed(run, name, 20_000)).release();
        return new Rivals(run, slow, kind.getValue(), quick, name, "was released");
      });
      Gaps.each(run, proxy, what, () -> {
        String name = run.name();
        quick.acquire(Leases.fixed(run, name, LEFT_LEASE));
        RuleRun.pause(run.expiry(2 * LEFT_LEASE));
        return new Rivals(run, slow, kind.getValue(), quick, name, "has expired");
      });
    }
  }

  @Rule(value = "R1", check = "that readers and writers look and enter in one step")
  public static void readersAndWritersEnterInOneStep(RuleRun run) throws Exception {
    countAndTake(run, "a reader's attempt", name -> {
      LockRequest request = Leases.once(run, name, LONG);
      return List.of(request.shared(), request);
    });
    countAndTake(run, "a writer's attempt", name -> {
      LockRequest request = Leases.once(run, name, LONG);
      return List.of(request, request.shared());
    });
  }

  @Rule(value = "C1", check = "that an attempt counts and takes its permits in one step")
  public static void anAttemptForPermitsIsOneStep(RuleRun run) throws Exception {
    countAndTake(run, "an attempt for permits", name -> {
      LockRequest request = Leases.once(run, name, LONG);
      return List.of(request.permits(3, 4), request.permits(2, 4));
    });
  }

  /** Of two requests that do not fit together one is granted. */
  private static void countAndTake(
      RuleRun run, String what, Function<String, List<LockRequest>> requests) throws Exception {
    if (!Gaps.canBeTried(run)) {
      return;
    }
    FaultProxy proxy = run.proxy();
    LockClient slow = run.client(proxy);
    LockClient quick = run.client();
    Gaps.each(run, proxy, what, () -> {
      List<LockRequest> two = requests.apply(run.name());
      return new Rivals(run, slow, two.get(0), quick, two.get(1), "nobody used before");
    });
    Queue<String> expired = expired(run, quick);
    Gaps.each(run, proxy, what, () -> {
      List<LockRequest> two = requests.apply(expired.remove());
      return new Rivals(run, slow, two.get(0), quick, two.get(1), "has expired");
    });
  }

  /** One for each gap, at once, for that they are over takes its time. */
  private static Queue<String> expired(RuleRun run, LockClient holder) throws Exception {
    Queue<String> names = new ArrayDeque<>();
    for (int i = 0; i < Gaps.MOST_REQUESTS; i++) {
      String name = run.name();
      holder.acquire(Leases.fixed(run, name, LEFT_LEASE));
      names.add(name);
    }
    RuleRun.pause(run.expiry(2 * LEFT_LEASE));
    return names;
  }

  /** The first call draws its token before or after the other's hold. */
  private static final class Drawers implements Gaps.Act<Optional<Lease>> {
    private final RuleRun run;
    private final LockClient slow;
    private final LockClient quick;
    private final UnaryOperator<LockRequest> kind;
    private final String name;
    private long between;

    Drawers(RuleRun run, LockClient slow, LockClient quick, UnaryOperator<LockRequest> kind) {
      this.run = run;
      this.slow = slow;
      this.quick = quick;
      this.kind = kind;
      this.name = run.name();
    }

    @Override
    public Optional<Lease> call() {
      return slow.tryAcquire(kind.apply(Leases.once(run, name, LONG)));
    }

    @Override
    public void meanwhile() {
      quick.tryAcquire(Leases.once(run, name, LONG)).ifPresent(lease -> {
        between = lease.fencingToken();
        lease.release();
      });
    }

    @Override
    public void judge(Optional<Optional<Lease>> answer) {
      answer.flatMap(lease -> lease).ifPresent(lease -> {
        run.expect(
            lease.fencingToken() > between,
            "a hold that begins after another one has the larger token, though its attempt was"
                + " begun before",
            lease.fencingToken() + " after " + between);
        lease.release();
      });
    }
  }

  @Rule(value = "T1", check = "that the token is drawn in the step that grants the lock")
  public static void aTokenIsDrawnWithTheLock(RuleRun run) throws Exception {
    if (!Gaps.canBeTried(run)) {
      return;
    }
    FaultProxy proxy = run.proxy();
    LockClient slow = run.client(proxy);
    LockClient quick = run.client();
    for (Map.Entry<String, UnaryOperator<LockRequest>> kind : Leases.kinds(run).entrySet()) {
      Gaps.each(
          run,
          proxy,
          "an attempt of " + kind.getKey(),
          () -> new Drawers(run, slow, quick, kind.getValue()));
    }
  }

  /** An owner's hold ends, and a stranger comes, while that owner enters from another client. */
  private static final class Followed implements Gaps.Act<Optional<Lease>> {
    private final RuleRun run;
    private final LockClient slow;
    private final LockClient stranger;
    private final LockRequest request;
    private final Lease outer;
    private Optional<Lease> second = Optional.empty();

    Followed(RuleRun run, LockClient slow, LockClient holder, LockClient stranger)
        throws InterruptedException {
      this.run = run;
      this.slow = slow;
      this.stranger = stranger;
      this.request = Leases.once(run, run.name(), LONG).withOwner(SharedOwnerRules.OWNER);
      this.outer = holder.acquire(request.withWait(run.limit(3_000)));
    }

    @Override
    public Optional<Lease> call() {
      return slow.tryAcquire(request);
    }

    @Override
    public void meanwhile() {
      Leases.drop(outer);
      second = stranger.tryAcquire(Leases.once(run, request.name(), LONG));
    }

    @Override
    public void judge(Optional<Optional<Lease>> answer) {
      Optional<Lease> inner = answer.flatMap(lease -> lease);
      boolean both = inner.isPresent() && second.isPresent();
      run.expect(
          !both || !(inner.get().isValid() && second.get().isValid()),
          "an owner whose hold ends between the requests of its further entry does not enter"
              + " beside a stranger",
          "it did");
      inner.ifPresent(Leases::drop);
      second.ifPresent(Leases::drop);
    }
  }

  @Rule(
      value = "S1",
      check = "that an owner's hold is looked for in the step that enters beside it")
  public static void anOwnerEntersInOneStep(RuleRun run) throws Exception {
    if (!Gaps.canBeTried(run)) {
      return;
    }
    FaultProxy proxy = run.proxy();
    LockClient slow = run.client(proxy);
    LockClient holder = run.client();
    LockClient stranger = run.client();
    Gaps.each(run, proxy, "an owner's entry", () -> new Followed(run, slow, holder, stranger));
  }

  /** Begins a hold, and tells how it is ended. */
  private interface Begin {
    End begin(LockRequest request) throws Exception;
  }

  private interface End {
    void end();
  }

  /** A newcomer asks while the end of a hold is under way that lets a waiter in. */
  private static final class Newcomer implements Gaps.Act<Boolean> {
    private final RuleRun run;
    private final LockClient quick;
    private final LockRequest request;
    private final End end;
    private final CompletableFuture<Lease> waiter;
    private Optional<Lease> entered = Optional.empty();

    Newcomer(RuleRun run, Begin begin, LockClient waiting, LockClient quick) throws Exception {
      this.run = run;
      this.quick = quick;
      this.request = Leases.once(run, run.name(), LONG).fair(true);
      this.end = begin.begin(request.withWait(run.limit(3_000)));
      this.waiter = waiting.acquireAsync(request.withWait(run.ms(LONG)));
      Queues.awaitQueued(run, quick, request.name(), 1);
    }

    @Override
    public Boolean call() {
      end.end();
      return true;
    }

    @Override
    public void meanwhile() {
      entered = quick.tryAcquire(request);
    }

    @Override
    public void judge(Optional<Boolean> answer) throws Exception {
      run.expect(
          entered.isEmpty() || waiter.isDone(),
          "who asks while a lock is freed is kept out by who stands in the queue",
          "it got the lock");
      entered.ifPresent(Leases::drop);
      Queues.expectServed(run, waiter, "one who stood in the queue when a lock was freed");
      waiter.get().release();
    }
  }

  @Rule(
      value = "F2",
      check = "that the next in the queue gets the lock in the step that releases it",
      timed = true)
  public static void aReleaseServesInOneStep(RuleRun run) throws Exception {
    if (!Gaps.canBeTried(run)) {
      return;
    }
    FaultProxy proxy = run.proxy();
    LockClient holder = run.client(proxy);
    LockClient waiting = run.client();
    LockClient quick = run.client();
    Map<String, Begin> endings = new LinkedHashMap<>();
    endings.put("a release", request -> holder.acquire(request)::release);
    LockClient victim = run.client();
    endings.put("a forced release", request -> {
      victim.acquire(request);
      return () -> holder.forceRelease(request.name());
    });
    if (!run.isForeign()) {
      DirectBackend direct = run.direct(proxy);
      endings.put("an abandonment", request -> {
        HoldId id = direct.newId();
        Attempt attempt = Attempt.of(request.name(), id, "tck", run.ms(LONG)).withFair(true);
        run.expect(direct.attempt(attempt) instanceof Grant, "a free lock is granted", "it is not");
        return () -> direct.abandon(request.name(), id);
      });
    }
    for (Map.Entry<String, Begin> ending : endings.entrySet()) {
      Begin begin = ending.getValue();
      Gaps.each(run, proxy, ending.getKey(), () -> new Newcomer(run, begin, waiting, quick));
    }
  }
}
