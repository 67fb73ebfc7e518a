package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** Rule M2. */
public final class ForcedReleaseRules {
  /** Longer than the most patient limit, which an expiry must not meet. */
  private static final long VICTIM = 5_000;

  private static final int TOGETHER = 3;
  private static final int MANY = 120;

  private ForcedReleaseRules() {}

  @Rule(
      value = "M2",
      check = "that forceRelease removes the hold and serves the next waiter",
      timed = true)
  public static void forceReleaseFreesTheLock(RuleRun run) throws Exception {
    LockClient operator = run.client();
    boolean renewable = run.has(Capability.RENEWABLE);
    run.expect(!operator.forceRelease(run.name()), "a free lock is not forced", "it says so");
    for (boolean renewing : renewable ? new boolean[] {false, true} : new boolean[] {false}) {
      String name = run.name();
      LockRequest request = Leases.fixed(run, name, VICTIM);
      LockClient second = run.client();
      Lease victim = run.client().acquire(renewing ? request.renewing() : request);
      Leases.force(run, operator, name);
      Lease next = second.acquire(Leases.fixed(run, name, 20_000).withWait(run.limit(1_000)));
      Leases.expectLost(run, victim, run.within(VICTIM, 200), "after a forced release");
      run.expect(!victim.isValid(), "the victim's lease is not valid", "it is");
      run.expectThrows(
          LeaseLostException.class, "the victim's release", () -> OwnershipRules.release(victim));
      Leases.expectValid(run, next, "the next holder's lease");
      run.expectHeld(operator, name, "after the victim's release");
      next.release();
      run.expectFree(operator, name, run.limit(1_000), "after the next holder's release");
    }
    run.note("the next client acquired at once, and the victim learned of it within its lease");
  }

  @Rule(
      value = "M2",
      check = "that renewals of a hold that was taken away do not bring it back",
      timed = true)
  public static void aForcedReleaseIsNotUndone(RuleRun run) throws Exception {
    if (!run.has(Capability.RENEWABLE)) {
      return;
    }
    String name = run.name();
    LockClient operator = run.client();
    Lease victim = run.client().acquire(Leases.lasting(run, name, VICTIM));
    Leases.force(run, operator, name);
    Leases.expectLost(run, victim, run.within(VICTIM, 200), "after a forced release");
    run.expectFree(operator, name, run.limit(500), "after a forced release");
  }

  @Rule(
      value = "M2",
      check = "that each forced release is made, however many a client has made before")
  public static void aHoldIsForcedOutHoweverManyWereBefore(RuleRun run) throws Exception {
    LockClient operator = run.client();
    LockClient client = run.client();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < run.amount(MANY, 2 * MANY, 10 * MANY); i++) {
      names.add(run.name());
    }
    SideBySide.each(names, name -> {
      Lease victim = client.acquire(Leases.fixed(run, name, 60_000));
      Leases.force(run, operator, name);
      run.await(
          run.limit(1_000),
          "a lock is free once its holder was forced out, as many before it were",
          () -> operator.inspect(name).isEmpty());
      Leases.drop(victim);
      return name;
    });
    run.count(2L * names.size());
  }

  @Rule(value = "M2", check = "that forceRelease with a token looks whose token it is")
  public static void aForcedReleaseSparesASuccessor(RuleRun run) throws Exception {
    if (!run.has(Capability.FENCED)) {
      return;
    }
    LockClient operator = run.client();
    LockClient client = run.client();
    for (UnaryOperator<LockRequest> kind : Leases.wholes(run).values()) {
      forceByTokens(run, operator, client, kind.apply(Leases.fixed(run, run.name(), 20_000)));
    }
  }

  /** The same request holds the lock twice, one hold after the other. */
  private static void forceByTokens(
      RuleRun run, LockClient operator, LockClient client, LockRequest request) throws Exception {
    String name = request.name();
    Lease first = client.acquire(request);
    long old = operator.inspect(name).orElseThrow().fencingToken();
    first.release();
    run.expect(
        !operator.forceRelease(name, old), "a free lock is not forced by an old token", "it was");
    Lease second = client.acquire(request);
    run.expect(
        !operator.forceRelease(name, old), "a successor is not forced by an old token", "it was");
    run.expectHeld(operator, name, "after a forced release of its predecessor");
    Leases.expectValid(run, second, "the successor's lease");
    long token = second.fencingToken();
    run.expectWhileHeld(
        name, () -> operator.forceRelease(name, token), "its own token forces it", "it did not");
    run.expect(!operator.forceRelease(name, token), "a repetition finds it gone", "it did not");
    run.expectFree(operator, name, run.limit(1_000), "after a forced release by its token");
  }

  @Rule(value = "M2", check = "whether a forced release knows all tokens that a hold reserved")
  public static void aForcedReleaseKnowsEveryTokenOfItsVictim(RuleRun run) throws Exception {
    if (!run.has(Capability.FENCED)) {
      return;
    }
    DirectBackend direct = run.direct();
    String name = run.name();
    Duration lease = Duration.ofSeconds(20);
    Grant held = direct.acquire(
        Attempt.of(name, direct.newId(), "tck", lease).withTokens(5), run.limit(1_000));
    long first = held.fencingToken();
    long last = first + held.tokens() - 1;
    for (long stranger : new long[] {first - 1, last + 1, 0, -1}) {
      boolean forced = direct.backend().forceRelease(name, stranger);
      run.expect(!forced, "a token beside those of the hold ends nothing", "it ended the hold");
    }
    run.expectWhileHeld(
        name,
        () -> direct.backend().forceRelease(name, last),
        "its last token ends it",
        "it did not");
    boolean again = direct.backend().forceRelease(name, first);
    run.expect(!again, "after that no token of it ends anything", "it did");
  }

  @Rule(value = "M2", check = "whether a forced release ends one of several holds, or all of them")
  public static void aForcedReleaseEndsAllWhoHoldTogether(RuleRun run) throws Exception {
    List<UnaryOperator<LockRequest>> kinds = parts(run);
    if (run.has(Capability.SHARED_OWNER)) {
      kinds.add(request -> request.withOwner(SharedOwnerRules.OWNER));
    }
    LockClient operator = run.client();
    List<LockClient> clients = List.of(run.client(), run.client(), run.client());
    for (UnaryOperator<LockRequest> kind : kinds) {
      LockRequest request = kind.apply(Leases.fixed(run, run.name(), 30_000));
      List<Lease> held = new ArrayList<>();
      for (LockClient client : clients) {
        held.add(client.acquire(request));
      }
      Leases.force(run, operator, request.name());
      run.expectFree(
          operator, request.name(), run.limit(1_000), "after a forced release of " + request);
      held.forEach(Leases::drop);
    }
    if (run.has(Capability.FENCED) && run.has(Capability.SHARED_OWNER)) {
      LockRequest request = OwnershipRules.owned(run, run.name(), SharedOwnerRules.OWNER, 30_000);
      Lease first = clients.get(0).acquire(request);
      Lease second = clients.get(1).acquire(request);
      run.expectWhileHeld(
          request.name(),
          () -> operator.forceRelease(request.name(), second.fencingToken()),
          "an owner's token forces it",
          "it did not");
      run.expectFree(
          operator, request.name(), run.limit(1_000), "after a forced release by an owner's token");
      Leases.drop(first);
      Leases.drop(second);
    }
  }

  @Rule(value = "M2", check = "that a forced release by a token ends that hold alone", timed = true)
  public static void aForcedReleaseSparesThoseBeside(RuleRun run) throws Exception {
    if (!run.has(Capability.FENCED)) {
      return;
    }
    LockClient operator = run.client();
    LockClient first = run.client();
    // Two of them are of one client, which must tell them apart, too.
    List<LockClient> clients = List.of(first, first, run.client());
    for (UnaryOperator<LockRequest> kind : parts(run)) {
      String name = run.name();
      List<Lease> held = new ArrayList<>();
      for (LockClient client : clients) {
        held.add(client.acquire(kind.apply(Leases.fixed(run, name, 30_000))));
      }
      CompletableFuture<Lease> all =
          Queues.enter(run, clients, operator, Queues.request(run, name), 0);
      for (int i : new int[] {1, 0}) {
        long token = held.remove(i).fencingToken();
        run.expectWhileHeld(
            name,
            () -> operator.forceRelease(name, token),
            "the token of one of several holders forces it",
            "it did not");
        run.expectHeld(operator, name, "while there are others beside one that was forced");
        // What tells of it has come by then.
        RuleRun.pause(run.ms(50));
        for (Lease other : held) {
          Leases.expectValid(run, other, "the lease beside one that was forced");
        }
        run.expectWhileHeld(
            name, () -> !all.isDone(), "one who asks for all waits for the others", "it has it");
      }
      held.get(0).release();
      Queues.expectServed(run, all, "one who asks for all after the release of the last part");
      all.get().release();
      run.expectFree(operator, name, run.limit(1_000), "after the release of all of it");
    }
  }

  private static List<UnaryOperator<LockRequest>> parts(RuleRun run) {
    List<UnaryOperator<LockRequest>> parts = new ArrayList<>();
    if (run.has(Capability.SHARED)) {
      parts.add(LockRequest::shared);
    }
    if (run.has(Capability.PERMITS)) {
      parts.add(request -> request.permits(1, TOGETHER));
    }
    return parts;
  }
}
