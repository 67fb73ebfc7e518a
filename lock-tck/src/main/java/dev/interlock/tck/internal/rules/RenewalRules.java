package dev.interlock.tck.internal.rules;

import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.RenewalResult;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.NotReached;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.worker.EventCounter;
import dev.interlock.tck.internal.worker.ProcessWorker;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Group N. */
public final class RenewalRules {
  private static final long LEASE = 900;
  private static final long LONG = 20_000;
  private static final long LEASE_AFTER_WAIT = 2_400;
  private static final int MANY = 1_100;

  /** So long it is tried; a distant server gets fewer. */
  private static final long LONGEST_USE = 2_500;

  private RenewalRules() {}

  @Rule(
      value = "N1",
      check = "that a renewal reaches the server every third of the lease",
      timed = true)
  public static void aRenewedLeaseOutlivesManyLeaseTimes(RuleRun run) throws Exception {
    String name = run.name();
    LockClient other = run.client();
    Lease lease = run.client().acquire(Leases.fixed(run, name, LEASE).renewing());
    int times = run.amount(5, 15, 60);
    long end = System.nanoTime() + run.ms(LEASE * times).toNanos();
    while (System.nanoTime() - end < 0) {
      run.expect(lease.isValid(), "a renewed lease stays valid", "it is not");
      run.expectHeld(other, name, "while a lease is renewed");
      RuleRun.pause(run.ms(40));
    }
    lease.release();
    run.expectFree(other, name, run.limit(1_000), "after the release");
    run.note("a lease of " + LEASE + " ms was held for " + times + " times its length");
  }

  /** The renewal of what was granted to a waiter may be answered, and not be made. */
  @Rule(
      value = "N1",
      check = "whether a hold is renewed that was granted to one who waited for it",
      timed = true)
  public static void whatWasWaitedForIsRenewed(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockClient before = run.client();
    List<UnaryOperator<LockRequest>> kinds = new ArrayList<>(Leases.kinds(run).values());
    List<Lease> renewed = new ArrayList<>();
    for (LockClient first : List.of(before, client)) {
      renewed.addAll(SideBySide.each(kinds, kind -> {
        Lease held = first.acquire(Leases.fixed(run, run.name(), LONG));
        LockRequest request = Leases.fixed(run, held.name(), LEASE_AFTER_WAIT);
        CompletableFuture<Lease> waiting =
            client.acquireAsync(kind.apply(request.withWait(run.ms(LONG))).renewing());
        RuleRun.pause(run.ms(50));
        held.release();
        return waiting.get(run.limit(LONG).toMillis(), TimeUnit.MILLISECONDS);
      }));
    }
    // One look at each lock: a look may repair what it looks for.
    RuleRun.pause(run.expiry(3 * LEASE_AFTER_WAIT));
    for (Lease lease : renewed) {
      run.expectHeld(before, lease.name(), "while a lease is renewed of one who had waited");
      run.expect(lease.isValid(), "a renewed lease of one who had waited is valid", "it is not");
      lease.release();
    }
    run.note(renewed.size() + " leases of those who had waited were held for three times as long");
  }

  @Rule(value = "N1", check = "whether anything bounds how often a hold is renewed", timed = true)
  public static void aHoldIsRenewedHoweverOften(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend direct = run.direct();
    // One of each kind, in one batch.
    List<Attempt> attempts = new ArrayList<>();
    for (UnaryOperator<Attempt> kind : Leases.attempts(run).values()) {
      attempts.add(kind.apply(Attempt.of(run.name(), direct.newId(), "tck", run.ms(LONG))));
    }
    for (Attempt attempt : attempts) {
      direct.acquire(attempt, run.limit(3_000));
    }
    int renewals = 0;
    long end = System.nanoTime() + run.ms(LONGEST_USE).toNanos();
    while (renewals < MANY && System.nanoTime() - end < 0) {
      renewals++;
      List<RenewalResult> results = direct.renewAll(attempts, run.ms(LONG));
      for (int i = 0; i < attempts.size(); i++) {
        RenewalResult result = results.get(i);
        run.expectWhileHeld(
            attempts.get(i).name(),
            () -> result instanceof Grant,
            "renewal " + renewals + " of a hold finds it",
            "it is answered otherwise");
      }
    }
    // What is answered may not be made.
    long called = System.nanoTime();
    direct.renewAll(attempts, run.ms(10 * LONG));
    for (Attempt attempt : attempts) {
      Duration left =
          direct.backend().inspect(attempt.name()).map(HoldInfo::remaining).orElse(Duration.ZERO);
      Duration least = run.ms(9 * LONG).minus(RuleRun.since(called));
      run.expect(
          left.compareTo(least) > 0,
          "after " + renewals + " renewals of a hold one for ten times as long is made",
          left + " remain");
      direct.release(attempt.name(), attempt.id());
    }
    run.note("a hold of each kind was renewed " + renewals + " times, and then for longer");
  }

  @Rule(value = "N2", check = "that a released hold leaves the renewal's list", timed = true)
  public static void renewalStopsAtRelease(RuleRun run) throws Exception {
    EventCounter events = new EventCounter();
    String name = run.name();
    Lease lease = run.client(events).acquire(Leases.fixed(run, name, LEASE).renewing());
    run.await(run.within(LEASE, 1_000), "a lease is renewed", () -> events.renewedCount() > 0);
    lease.release();
    expectNoMoreRenewals(run, events, "after a release");
    run.expectFree(run.client(), name, run.limit(1_000), "after a release");
  }

  @Rule(value = "N2", check = "that a lost hold leaves the renewal's list", timed = true)
  public static void renewalStopsAtLoss(RuleRun run) throws Exception {
    EventCounter events = new EventCounter();
    String name = run.name();
    LockClient other = run.client();
    Lease lease = run.client(events).acquire(Leases.fixed(run, name, LEASE).renewing());
    LockClient third = run.client();
    Leases.force(run, other, name);
    Lease next = other.acquire(Leases.fixed(run, name, 20_000));
    Leases.expectLost(run, lease, run.within(LEASE, 200), "after a forced release");
    expectNoMoreRenewals(run, events, "after a loss");
    Leases.expectValid(run, next, "the lease of the next holder, who is undisturbed,");
    run.expectHeld(third, name, "while the next client holds");
    next.release();
  }

  @Rule(value = "N2", check = "that close stops the renewal before the connections", timed = true)
  public static void renewalStopsAtClose(RuleRun run) throws Exception {
    EventCounter events = new EventCounter();
    String name = run.name();
    LockClient client = run.client(events);
    client.acquire(Leases.fixed(run, name, LEASE).renewing());
    run.await(run.within(LEASE, 1_000), "a lease is renewed", () -> events.renewedCount() > 0);
    client.close();
    expectNoMoreRenewals(run, events, "after close");
    run.expectFree(run.client(), name, run.limit(1_000), "after close");
    run.note("no renewal was reported after release, loss and close");
  }

  private static void expectNoMoreRenewals(RuleRun run, EventCounter events, String when)
      throws InterruptedException {
    // One that is on its way may still be answered.
    RuleRun.pause(run.ms(400));
    int before = events.renewedCount();
    RuleRun.pause(run.ms(LEASE));
    int more = events.renewedCount() - before;
    run.expect(more == 0, "nothing is renewed " + when, more + " renewals were");
  }

  @Rule(value = "N3", check = "that a renewal looks whether the hold is there, in the same step")
  public static void aHoldThatIsGoneIsNotRenewed(RuleRun run) throws Exception {
    DirectBackend direct = run.direct();
    LockClient observer = run.client();
    for (UnaryOperator<Attempt> kind : Leases.attempts(run).values()) {
      String expired = run.name();
      HoldId first = direct.newId();
      direct.acquire(kind.apply(Attempt.of(expired, first, "tck", run.ms(150))), run.limit(2_000));
      run.await(
          run.pastLease(150, 1_050),
          "an expired lock is free",
          () -> observer.inspect(expired).isEmpty());
      OwnershipRules.expectGone(
          run, direct.renew(expired, first, run.ms(20_000)), "renewal of an expired hold");
      run.expectFree(observer, expired, run.limit(1_000), "after renewal of an expired hold");
      String released = run.name();
      HoldId second = direct.newId();
      direct.acquire(
          kind.apply(Attempt.of(released, second, "tck", run.ms(20_000))), run.limit(2_000));
      direct.release(released, second);
      OwnershipRules.expectGone(
          run, direct.renew(released, second, run.ms(20_000)), "renewal of a released hold");
      run.expectFree(observer, released, run.limit(1_000), "after renewal of a released hold");
    }
    run.note("renewals of expired and released holds of each kind were answered Gone");
  }

  @Rule(
      value = "N3",
      check = "that a renewal looks for its own hold, and not whether the lock is held",
      timed = true)
  public static void anExpiredPartIsNotRenewedBesideOthers(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend direct = run.direct();
    LockClient observer = run.client();
    Map<Attempt, HoldId> expired = new LinkedHashMap<>();
    for (UnaryOperator<Attempt> kind : Leases.sharing(run).values()) {
      String name = run.name();
      Attempt lasting = kind.apply(Attempt.of(name, direct.newId(), "tck", run.ms(LONG)));
      Attempt brief = kind.apply(Attempt.of(name, direct.newId(), "tck", run.ms(150)));
      direct.acquire(lasting, run.limit(3_000));
      direct.acquire(brief, run.limit(3_000));
      expired.put(brief, lasting.id());
    }
    RuleRun.pause(run.expiry(300));
    for (Map.Entry<Attempt, HoldId> pair : expired.entrySet()) {
      Attempt over = pair.getKey();
      OwnershipRules.expectGone(
          run,
          direct.renew(over.name(), over.id(), run.ms(LONG)),
          "renewal of what expired beside others");
      direct.release(over.name(), pair.getValue());
      run.expectFree(
          observer,
          over.name(),
          run.limit(1_000),
          "after renewal of an expired part, and the release of the other one");
    }
  }

  @Rule(
      value = "N3",
      check = "what the renewal does when its JVM was stopped for longer than the lease",
      timed = true)
  public static void aStoppedJvmDoesNotResurrectItsLock(RuleRun run) throws Exception {
    if (run.oneJvm()) {
      return;
    }
    String name = run.name();
    long lease = run.ms(LEASE).toNanos();
    ProcessWorker worker = run.ownWorker();
    worker.run(space -> hold(space, name, lease));
    worker.pause();
    run.fault("SIGSTOP of a client for longer than its lease");
    RuleRun.pause(run.expiry(LEASE + 600));
    worker.resume();
    RuleRun.pause(run.ms(LEASE / 2));
    boolean valid = worker.call(space -> space.lease("lease").isValid());
    // Another API need not tell; that others get the lock shows as much.
    run.expect(
        !valid || run.isForeign(),
        "a lease that ran out while its JVM stood still stays lost",
        "it is valid");
    run.expectFree(
        run.client(), name, run.pastLease(0, 500), "after a stop for longer than the lease");
  }

  @Rule(value = "N4", check = "what extend answers from, and when", timed = true)
  public static void extendTellsWhetherItWasHeld(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockClient other = run.client();
    String name = run.name();
    Lease lease = client.acquire(Leases.fixed(run, name, 600));
    long asked = System.nanoTime();
    run.expectWhileHeld(
        name, () -> lease.extend(run.ms(8_000)), "extend of a held lease answers true", "false");
    run.expectWhileHeld(
        name, () -> lease.extend(run.ms(100)), "a shorter extend answers true", "false");
    run.expect(
        lease.remaining().compareTo(run.ms(5_000).minus(RuleRun.since(asked))) > 0,
        "a shorter extend does not shorten the lease of 8 s",
        lease.remaining() + " remain");
    RuleRun.pause(run.ms(900));
    run.expectHeld(other, name, "after an extend");
    Leases.expectValid(run, lease, "an extended lease");
    lease.release();
    run.expect(!lease.extend(run.ms(5_000)), "extend after a release answers false", "true");
    run.expectFree(other, name, run.limit(1_000), "after a release");
  }

  @Rule(value = "N4", check = "that extend asks the server in the step that extends")
  public static void extendOfALostLeaseAnswersFalse(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockClient other = run.client();
    String expired = run.name();
    Lease late = client.acquire(Leases.fixed(run, expired, 200));
    RuleRun.pause(run.expiry(350));
    run.expect(!late.extend(run.ms(8_000)), "extend of an expired lease answers false", "true");
    run.expectFree(other, expired, run.limit(1_000), "after extend of an expired lease");
    String taken = run.name();
    Lease victim = client.acquire(Leases.fixed(run, taken, 8_000));
    Leases.force(run, other, taken);
    Lease next = other.acquire(Leases.fixed(run, taken, 8_000));
    run.expect(!victim.extend(run.ms(8_000)), "extend of a lost lease answers false", "true");
    run.expect(!victim.isValid(), "a lease that could not be extended is lost", "it is valid");
    Leases.expectValid(run, next, "the lease of the next holder, who is undisturbed,");
    next.release();
    run.note("extend answered true while held, and false after release, expiry and force");
  }

  @Rule(
      value = "N5",
      check = "that validity is compared with the clock at every look",
      timed = true)
  public static void aLongPauseIsNoticedAtOnce(RuleRun run) throws Exception {
    Leases.requireValidity(run);
    String name = run.name();
    long lease = run.ms(LEASE).toNanos();
    for (int i = 0; i < run.amount(1, 3, 10); i++) {
      ProcessWorker worker = run.ownWorker();
      String mine = name + i;
      worker.run(space -> hold(space, mine, lease));
      CompletableFuture<Integer> first = worker.start(1, space -> lookAfterAPause(space, lease));
      RuleRun.pause(run.ms(300));
      worker.pause();
      RuleRun.pause(run.ms(LEASE + 700));
      worker.resume();
      int answer = worker.result(first);
      if (answer < 0) {
        throw NotReached.tooLate(
            "for the JVM was not seen to stand still for longer than its lease");
      }
      run.fault("SIGSTOP of a client for longer than its lease");
      run.expect(answer == 0, "the first look after a long pause says invalid", "valid");
    }
    run.note("after a stop for longer than the lease the first look said invalid");
  }

  public static void hold(WorkerSpace space, String name, long lease) throws InterruptedException {
    space.keep(
        "lease",
        space
            .client()
            .acquire(LockRequest.of(name)
                .withLease(Duration.ofNanos(lease))
                .withWait(Duration.ofSeconds(5))
                .renewing()));
  }

  /**
   * Looks again and again; answers 1 or 0 for the first look after a pause, -1 if there was none.
   */
  public static int lookAfterAPause(WorkerSpace space, long lease) {
    Lease held = space.lease("lease");
    long end = System.nanoTime() + 20 * lease;
    long before = System.nanoTime();
    while (before - end < 0) {
      boolean valid = held.isValid();
      long after = System.nanoTime();
      if (after - before > lease) {
        // The pause may have come between the look and the clock: then look once more.
        return held.isValid() ? 1 : 0;
      }
      if (!valid) {
        return -1;
      }
      before = after;
      Thread.onSpinWait();
    }
    return -1;
  }
}
