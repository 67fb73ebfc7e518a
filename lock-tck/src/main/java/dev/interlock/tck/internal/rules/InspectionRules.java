package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Rule M1. */
public final class InspectionRules {
  /** Less than what a wrong time zone makes. */
  private static final Duration CLOCKS_APART = Duration.ofMinutes(14);

  private static final long LONG = 60_000;
  private static final long BRIEF = 300;
  private static final int READERS = 3;

  private static final long A_SECOND = 1_000;

  private InspectionRules() {}

  @Rule(value = "M1", check = "what inspect reads, and in how many steps")
  public static void inspectTellsTheTruth(RuleRun run) throws Exception {
    String name = run.name();
    LockClient client = run.client();
    LockClient observer = run.client();
    expectFreeBy(run, observer, name, "before the first use");
    LockRequest request = Leases.fixed(run, name, 20_000).withOwner("tck-owner-7");
    Instant before = Instant.now();
    long called = System.nanoTime();
    Lease lease = client.acquire(request);
    HoldInfo info = expectHeldBy(run, observer, name);
    run.expect(info.name().equals(name), "the name is " + name, "it is " + info.name());
    run.expect(
        info.owner().equals("tck-owner-7"), "the owner is tck-owner-7", "it is " + info.owner());
    run.expect(!info.host().isBlank(), "the host is told", "it is blank");
    Duration off = Duration.between(before, info.since()).abs();
    run.expect(
        off.compareTo(CLOCKS_APART) < 0,
        "since is now, but for what the clocks of client and server differ",
        "it is " + info.since() + ", which is off by " + off);
    run.expect(
        info.remaining().compareTo(run.ms(15_000).minus(RuleRun.since(called))) > 0
            && info.remaining().compareTo(run.expiry(20_000)) <= 0,
        "of a fresh lease of 20 s nearly all remains",
        info.remaining() + " remain");
    if (run.has(Capability.FENCED)) {
      run.expect(
          info.fencingToken() == lease.fencingToken(),
          "the token is " + lease.fencingToken(),
          "it is " + info.fencingToken());
    }
    if (run.has(Capability.PUSH) || run.has(Capability.FAIR)) {
      expectWaiterIsSeen(run, observer, name);
    } else {
      run.note("Waiters only ask, so the server knows of none");
    }
    lease.release();
    RuleRun.pause(run.ms(50));
    run.expectFree(observer, name, run.limit(2_000), "after the release");
    run.await(
        run.limit(2_000), "inspect says free", () -> observer.inspect(name).isEmpty());
    expectFreeBy(run, observer, name, "after the release");
    expectNothingOld(run, client, observer);
    run.note("a lock was inspected while free, held, awaited, and free again");
  }

  @Rule(
      value = "M1",
      check = "that what is told of a hold is replaced when the lock goes from hand to hand",
      timed = true)
  public static void inspectTellsWhoHasItFromAnother(RuleRun run) throws Exception {
    LockClient holder = run.client();
    LockClient client = run.client();
    LockClient observer = run.client();
    for (int turn = 0; turn < (run.has(Capability.FAIR) ? 2 : 1); turn++) {
      String name = run.name();
      LockRequest request = OwnershipRules.owned(run, name, "tck-next", LONG);
      Lease first = holder.acquire(OwnershipRules.owned(run, name, "tck-first", LONG));
      long begun = System.nanoTime();
      Instant since = expectHeldBy(run, observer, name).since();
      CompletableFuture<Lease> waiting =
          client.acquireAsync(Leases.fairInTurns(run, request.withWait(run.ms(20_000)), turn));
      RuleRun.pause(run.ms(2 * BRIEF));
      Duration least = RuleRun.since(begun).minus(run.limit(BRIEF));
      first.release();
      Lease next = waiting.get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS);
      HoldInfo info = expectHeldBy(run, observer, name);
      run.expectWhileHeld(
          name,
          () -> info.owner().equals("tck-next")
              && (!run.has(Capability.FENCED) || info.fencingToken() == next.fencingToken()),
          "inspect tells owner and token of who waited, and has it: tck-next",
          "it tells " + info);
      Duration later = Duration.between(since, info.since());
      run.expect(
          later.compareTo(least) >= 0,
          "a hold that began at least " + least + " after the one before has its own since",
          "it differs by " + later);
      expectNothingRemembered(run, client, observer, next);
    }
  }

  /** Who had a lock, and looked at it meanwhile, is told of its successor as anybody is. */
  private static void expectNothingRemembered(
      RuleRun run, LockClient client, LockClient operator, Lease victim) throws Exception {
    String name = victim.name();
    expectHeldBy(run, client, name);
    Leases.force(run, operator, name);
    Lease successor = operator.acquire(OwnershipRules.owned(run, name, "tck-successor", LONG));
    HoldInfo told = expectHeldBy(run, client, name);
    run.expectWhileHeld(
        name,
        () -> told.owner().equals("tck-successor"),
        "the client whose lock was taken is told of tck-successor, who has it",
        "it is told " + told);
    Leases.drop(victim);
    successor.release();
  }

  @Rule(value = "M1", check = "that inspect tells how much each holder has, of how much")
  public static void inspectTellsUnits(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockClient observer = run.client();
    for (UnaryOperator<LockRequest> kind : Leases.kinds(run).values()) {
      LockRequest request = kind.apply(Leases.fixed(run, run.name(), LONG));
      Lease lease = client.acquire(request);
      HoldInfo info = expectHeldBy(run, observer, request.name());
      run.expect(
          info.units() == request.units() && info.capacity() == request.capacity(),
          "inspect tells " + request.units() + " of " + request.capacity(),
          info.units() + " of " + info.capacity());
      lease.release();
    }
  }

  @Rule(value = "M1", check = "that inspect tells of each who holds a lock what is its own")
  public static void inspectTellsEachOfThoseWhoHoldTogether(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend direct = run.direct();
    LockClient observer = run.client();
    for (UnaryOperator<Attempt> kind : Leases.sharing(run).values()) {
      String name = run.name();
      List<Attempt> together = new ArrayList<>();
      for (int i = 0; i < READERS; i++) {
        together.add(kind.apply(Attempt.of(name, direct.newId(), "tck-holder-" + i, run.ms(LONG))));
      }
      if (together.get(0).capacity() == 1) {
        continue; // these are entries of one owner, and one hold
      }
      for (Attempt attempt : together) {
        direct.acquire(attempt, run.limit(3_000));
      }
      HoldInfo info = expectHeldBy(run, observer, name);
      List<String> told = Stream.concat(Stream.of(info), info.others().stream())
          .map(HoldInfo::owner)
          .toList();
      run.expectWhileHeld(
          name,
          () -> told.equals(together.stream().map(Attempt::owner).toList()),
          "inspect tells the owners of those who hold together, in the order in which they came",
          "it tells " + told);
      together.forEach(attempt -> direct.release(name, attempt.id()));
    }
  }

  /** Each answer is of its time, however often one asks. */
  private static void expectNothingOld(RuleRun run, LockClient client, LockClient observer)
      throws Exception {
    String name = run.name();
    for (int i = 0; i < 3; i++) {
      expectFreeBy(run, observer, name, "before use " + (i + 1));
      Lease lease = client.acquire(Leases.fixed(run, name, 20_000));
      HoldInfo info = expectHeldBy(run, observer, name);
      if (run.has(Capability.FENCED)) {
        run.expect(
            info.fencingToken() == lease.fencingToken(),
            "the token is " + lease.fencingToken(),
            "it is " + info.fencingToken());
      }
      lease.release();
    }
    expectFreeBy(run, observer, name, "after the last use");
  }

  @Rule(
      value = "M1",
      check =
          "that inspect compares leases with the clock, and that a renewal keeps since as it was",
      timed = true)
  public static void inspectTellsWhatIsOverAndWhatGoesOn(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockClient observer = run.client();
    String expiring = run.name();
    client.acquire(Leases.fixed(run, expiring, BRIEF));
    Lease held = client.acquire(Leases.fixed(run, run.name(), LONG));
    long begun = System.nanoTime();
    Instant since = expectHeldBy(run, observer, held.name()).since();
    String together = run.name();
    if (run.has(Capability.SHARED)) {
      client.acquire(Leases.fixed(run, together, BRIEF).shared());
      client.acquire(Leases.fixed(run, together, LONG).shared());
      client.acquire(Leases.fixed(run, together, BRIEF).shared());
      expectOwnLeases(run, client, observer);
    }
    RuleRun.pause(run.expiry(BRIEF + A_SECOND));
    expectLookedAtOnly(run, observer, held.name(), begun);
    // Nobody has asked for these locks since.
    expectFreeBy(run, observer, expiring, "after the lease");
    if (run.has(Capability.SHARED)) {
      int others = expectHeldBy(run, observer, together).others().size();
      run.expect(others == 0, "inspect tells the one reader that is left", "and " + others);
    }
    if (run.has(Capability.RENEWABLE)) {
      run.expectWhileHeld(
          held.name(), () -> held.extend(run.ms(LONG)), "a lease is extended", "it is not");
    }
    Instant now = expectHeldBy(run, observer, held.name()).since();
    Duration moved = Duration.between(since, now).abs();
    run.expect(
        moved.compareTo(run.limit(BRIEF)) <= 0,
        "since stays as it is while a lock is held and renewed",
        "it moved by " + moved);
    held.release();
    Lease next = client.acquire(Leases.fixed(run, held.name(), LONG));
    Instant later = expectHeldBy(run, observer, held.name()).since();
    run.expect(later.isAfter(since), "the next hold began after " + since, "at " + later);
    next.release();
  }

  /** Of a lease that began before a moment so much is over, however often it is looked at. */
  private static void expectLookedAtOnly(
      RuleRun run, LockClient observer, String name, long begun) {
    for (int look = 1; look <= 2; look++) {
      Duration most = run.expiry(LONG).minus(RuleRun.since(begun)).plus(Leases.ROUNDED);
      Duration left = expectHeldBy(run, observer, name).remaining();
      run.expect(
          left.compareTo(most) <= 0,
          "at look " + look + " no more remains of a lease than " + most,
          left + " remain");
    }
  }

  /** Readers came with leases of a minute, two and three. */
  private static void expectOwnLeases(RuleRun run, LockClient client, LockClient observer)
      throws InterruptedException {
    String name = run.name();
    long called = System.nanoTime();
    for (int i = 1; i <= READERS; i++) {
      client.acquire(Leases.fixed(run, name, i * LONG).shared());
    }
    HoldInfo info = expectHeldBy(run, observer, name);
    List<Duration> told = Stream.concat(Stream.of(info), info.others().stream())
        .map(HoldInfo::remaining)
        .sorted()
        .toList();
    Duration since = RuleRun.since(called);
    boolean own = told.size() == READERS;
    for (int i = 1; i <= told.size() && own; i++) {
      Duration left = told.get(i - 1);
      own = left.compareTo(run.expiry(i * LONG)) <= 0
          && left.compareTo(run.ms(i * LONG).minus(since).minus(Leases.ROUNDED)) >= 0;
    }
    run.expect(own, "inspect tells the rest of each reader's lease, of 1 to 3 minutes", "" + told);
  }

  @Rule(value = "M1", check = "that inspect tells all of an owner's name, as it was written")
  public static void inspectTellsOwnersAsTheyWereWritten(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockClient observer = run.client();
    List<String> owners = LookAlikes.of("tck-owner");
    for (String owner : owners) {
      Lease lease = client.acquire(OwnershipRules.owned(run, run.name(), owner, 20_000));
      String told = expectHeldBy(run, observer, lease.name()).owner();
      run.expect(told.equals(owner), "the owner is \"" + owner + "\"", "\"" + told + "\" is told");
      lease.release();
      run.count(1);
    }
  }

  private static void expectWaiterIsSeen(RuleRun run, LockClient observer, String name)
      throws Exception {
    CompletableFuture<Lease> waiting =
        run.client().acquireAsync(Leases.fixed(run, name, 1_000).withWait(run.ms(20_000)));
    run.await(
        run.limit(2_000), "inspect counts a waiter", () -> Queues.waiters(observer, name) >= 1);
    waiting.cancel(true);
  }

  private static HoldInfo expectHeldBy(RuleRun run, LockClient observer, String name) {
    AtomicReference<Optional<HoldInfo>> info = new AtomicReference<>(Optional.empty());
    run.expectWhileHeld(
        name,
        () -> {
          info.set(observer.inspect(name));
          return info.get().isPresent();
        },
        "inspect knows of the hold",
        "it says free");
    run.backend()
        .inspector()
        .ifPresent(held -> run.expectWhileHeld(
            name, () -> held.test(name), "the server keeps the lock", "it knows nothing of it"));
    return info.get().orElseThrow();
  }

  private static void expectFreeBy(RuleRun run, LockClient observer, String name, String when) {
    Optional<HoldInfo> info = observer.inspect(name);
    run.expect(info.isEmpty(), "inspect says free " + when, "it says " + info);
    run.backend()
        .inspector()
        .ifPresent(held ->
            run.expect(!held.test(name), "the server keeps no lock " + when, "it still has it"));
  }

  @Rule(value = "M1", check = "that inspect reads all that it tells in one step")
  public static void anInspectionIsOneStep(RuleRun run) throws Exception {
    if (!Gaps.canBeTried(run) || !run.has(Capability.FENCED)) {
      return;
    }
    FaultProxy proxy = run.proxy();
    LockClient observer = run.client(proxy);
    LockClient client = run.client();
    Gaps.each(run, proxy, "an inspection", () -> new Inspected(run, observer, client));
  }

  private static final class Inspected implements Gaps.Act<Optional<HoldInfo>> {
    private final RuleRun run;
    private final LockClient observer;
    private final LockClient client;
    private final String name;
    private final Lease first;
    private Optional<Lease> second = Optional.empty();

    Inspected(RuleRun run, LockClient observer, LockClient client) throws InterruptedException {
      this.run = run;
      this.observer = observer;
      this.client = client;
      this.name = run.name();
      this.first = client.acquire(OwnershipRules.owned(run, name, "tck-first", LONG));
    }

    @Override
    public Optional<HoldInfo> call() {
      return observer.inspect(name);
    }

    @Override
    public void meanwhile() throws Exception {
      Leases.drop(first);
      second = Optional.of(client.acquire(OwnershipRules.owned(run, name, "tck-second", LONG)));
    }

    @Override
    public void judge(Optional<Optional<HoldInfo>> answer) {
      Lease next = second.orElseThrow();
      answer.flatMap(info -> info).ifPresent(info -> {
        long token = info.owner().equals("tck-first") ? first.fencingToken() : next.fencingToken();
        run.expect(
            info.fencingToken() == token,
            "inspect tells owner and token of one hold: " + token + " for " + info.owner(),
            "it tells token " + info.fencingToken());
      });
      next.release();
    }
  }
}
