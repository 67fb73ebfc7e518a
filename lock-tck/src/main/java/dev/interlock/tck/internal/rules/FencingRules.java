package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.tck.internal.history.History;
import dev.interlock.tck.internal.history.Hold;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Rule T1; T3 is with the rules on re-entry. */
public final class FencingRules {
  private static final int MANY_USES = 1_200;
  private static final long LONGEST_USE = 2_500;

  /** So few that a counter which is lost soon after begins beyond them again. */
  static final long A_FEW = 1_000;

  private static final long LARGEST_OF_32_BITS = 0xFFFF_FFFFL;

  private static final long EXPIRES = 200;
  private static final int RESERVED = 12;

  private FencingRules() {}

  @Rule(
      value = "T1",
      check = "that the counter is increased in the step that grants the lock",
      neighbours = Neighbours.FEW,
      limit = 120)
  public static void tokensOfContendersIncrease(RuleRun run) throws Exception {
    Contention contention =
        Contention.run(run, 2, Duration.ofMillis(run.amount(1_000, 4_000, 30_000)));
    run.judge(History.ofTokens(contention.holds()), "tokens increase from hold to hold");
    contention.expectNoTrouble();
    contention.expectLinearizable(run, true);
    contention.expectEnough();
    run.note(contention.holds().size() + " holds by contending threads in order of their tokens");
  }

  @Rule(value = "T1", check = "that the counter outlives the hold, however it ends")
  public static void tokensIncreaseHoweverAHoldEnds(RuleRun run) throws Exception {
    String name = run.name();
    LockClient operator = run.client();
    LockClient again = run.client();
    List<Hold> holds = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      // In the second round by the client, and the thread, whose lease has just run out.
      Lease released = begin(run, again, name, 5_000, "one that is released", holds);
      released.release();
      LockClient closing = run.client();
      begin(run, closing, name, 5_000, "one whose client is closed", holds);
      closing.close();
      begin(run, run.client(), name, 5_000, "one that is forced out", holds);
      Leases.force(run, operator, name);
      begin(run, again, name, 200, "one that expires", holds);
    }
    begin(run, run.client(), name, 200, "the last one of threads", holds);
    if (run.has(Capability.SHARED_OWNER)) {
      for (LockClient client : List.of(again, again, run.client())) {
        LockRequest request = Leases.fixed(run, name, 200).withOwner(SharedOwnerRules.OWNER);
        holds.add(Hold.begin("a named owner whose leases expire", client.acquire(request), true));
        // Until then it would be a re-entry, which keeps the token. The lease counts from the last
        // repetition of the question, which may have run after the one that was answered.
        RuleRun.pause(run.expiry(200).plus(run.limit(100)));
      }
    }
    for (int i = 1; i < holds.size(); i++) {
      Hold before = holds.get(i - 1);
      Hold after = holds.get(i);
      run.expect(
          after.token() > before.token(),
          "the token of " + after.owner() + " is larger than " + before.token(),
          "it is " + after.token() + ", after that of " + before.owner());
    }
    run.note("tokens grew over release, close, force and expiry");
  }

  @Rule(value = "T1", check = "whether a counter wraps, or is given out by parts")
  public static void tokensIncreaseOverManyUses(RuleRun run) throws Exception {
    LockClient client = run.client();
    String name = run.name();
    String idle = run.name();
    Lease before = client.acquire(Leases.fixed(run, idle, 20_000));
    before.release();
    long start = System.nanoTime();
    long last = Long.MIN_VALUE;
    int uses = 0;
    long end = System.nanoTime() + run.ms(LONGEST_USE).toNanos();
    while (uses < MANY_USES && System.nanoTime() - end < 0) {
      uses++;
      Lease lease = client.acquire(Leases.fixed(run, name, 20_000));
      run.expect(
          lease.fencingToken() > last,
          "the token of use " + uses + " is larger than " + last,
          "it is " + lease.fencingToken());
      last = lease.fencingToken();
      lease.release();
    }
    // A store may tidy up what was not used for so long.
    Leases.until(start + run.limit(ManagementRules.TIDY_LIMIT + 500).toNanos());
    client.acquire(Leases.fixed(run, name, 20_000)).release();
    Lease after = client.acquire(Leases.fixed(run, idle, 20_000));
    run.expect(
        after.fencingToken() > before.fencingToken(),
        "the token of a lock that was not used for some seconds is larger than "
            + before.fencingToken(),
        "it is " + after.fencingToken());
    after.release();
    run.note("tokens grew over " + uses + " uses of a lock by one client, and over "
        + RuleRun.since(start).toSeconds() + " s without a use");
  }

  @Rule(value = "T1", check = "that a grant reserves as many tokens as it says")
  public static void reservedTokensAreGivenOnce(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend direct = run.direct();
    String name = run.name();
    long last = Long.MIN_VALUE;
    for (int wanted : List.of(5, 1, 40, 2, 1)) {
      HoldId id = direct.newId();
      Grant granted = direct.acquire(
          Attempt.of(name, id, "tck", run.ms(20_000)).withTokens(wanted), run.limit(2_000));
      run.expect(
          granted.fencingToken() > last,
          "a token is larger than all that were reserved before, up to " + last,
          "it is " + granted.fencingToken());
      expectLastToken(run, granted, last);
      last = granted.fencingToken() + granted.tokens() - 1;
      // What a repetition asks for more than that was not reserved, unless it is told so.
      Grant again = direct.acquire(
          Attempt.of(name, id, "tck", run.ms(20_000)).withTokens(2 * wanted + 7), run.limit(2_000));
      last = Math.max(last, again.fencingToken() + again.tokens() - 1);
      if (wanted == 1) {
        direct.release(name, id);
      } else {
        direct.abandon(name, id);
      }
    }
    if (run.has(Capability.FAIR)) {
      expectReservedInTheQueue(run, direct);
    }
  }

  /** Which a quorum relies on. */
  private static void expectLastToken(RuleRun run, Grant granted, long last) {
    long told = granted.lastToken();
    run.expect(
        told == 0 || (last <= told && told < granted.fencingToken()),
        "token " + granted.fencingToken() + " was granted after a last one of at least " + last,
        "that is said to be " + told);
  }

  private interface End {
    void end(DirectBackend direct, Attempt held, long last) throws Exception;
  }

  @Rule(
      value = "T1",
      check = "that the counter outlives a hold with all tokens that it reserved, however it ends",
      timed = true)
  public static void reservedTokensAreGivenOnceHoweverAHoldEnds(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend direct = run.direct();
    Map<String, End> ends = new LinkedHashMap<>();
    ends.put("a release", (backend, held, last) -> backend.release(held.name(), held.id()));
    ends.put("an abandonment", (backend, held, last) -> backend.abandon(held.name(), held.id()));
    ends.put(
        "a forced release",
        (backend, held, last) -> backend.backend().forceRelease(held.name(), last));
    ends.put("an expiry", (backend, held, last) -> RuleRun.pause(run.expiry(EXPIRES + 50)));
    for (Map.Entry<String, End> end : ends.entrySet()) {
      boolean expires = end.getKey().equals("an expiry");
      Attempt held = Attempt.of(
              run.name(), direct.newId(), "tck", run.ms(expires ? EXPIRES : 20_000))
          .withTokens(12);
      Grant granted = direct.acquire(held, run.limit(2_000));
      long last = granted.fencingToken() + granted.tokens() - 1;
      end.getValue().end(direct, held, last);
      HoldId next = direct.newId();
      long token =
          direct.acquire(held.name(), next, run.ms(20_000), run.limit(2_000)).fencingToken();
      run.expect(
          token > last,
          "after " + end.getKey() + " a token is larger than all that the hold had, up to " + last,
          "it is " + token);
      direct.release(held.name(), next);
      // Its hold is over, and another one came after it: if it gets one, it is a new one.
      if (direct.attempt(held) instanceof Grant again) {
        run.expect(
            again.fencingToken() > token,
            "an attempt that is repeated when its hold ended by " + end.getKey()
                + ", and another one came after it, has a token larger than " + token,
            "it has " + again.fencingToken());
        direct.release(held.name(), held.id());
      }
    }
  }

  @Rule(value = "T1", check = "that all kinds of holds draw from one counter")
  public static void tokensIncreaseFromKindToKind(RuleRun run) throws Exception {
    String name = run.name();
    List<LockClient> clients = List.of(run.client(), run.client());
    List<Map.Entry<String, UnaryOperator<LockRequest>>> kinds =
        new ArrayList<>(Leases.kinds(run).entrySet());
    long last = Long.MIN_VALUE;
    String before = "nobody";
    // In this order and the other one, so that each kind comes after each of its neighbours.
    for (int round = 0; round < 2; round++) {
      for (Map.Entry<String, UnaryOperator<LockRequest>> kind : kinds) {
        LockRequest request = kind.getValue().apply(Leases.fixed(run, name, 20_000));
        Lease lease = clients.get(round).acquire(request);
        run.expect(
            lease.fencingToken() > last,
            "the token of " + kind.getKey() + ", after " + before + ", is larger than " + last,
            "it is " + lease.fencingToken());
        last = lease.fencingToken();
        before = kind.getKey();
        lease.release();
      }
      Collections.reverse(kinds);
    }
  }

  /** Who is granted the lock while it waits may be given its tokens by another step. */
  private static void expectReservedInTheQueue(RuleRun run, DirectBackend direct)
      throws InterruptedException {
    String name = run.name();
    HoldId before = direct.newId();
    direct.acquire(name, before, run.ms(20_000), run.limit(2_000));
    Attempt waiter = Attempt.of(name, direct.newId(), "tck", run.ms(20_000))
        .withFair(true)
        .withPatience(run.ms(20_000))
        .withTokens(12);
    direct.attempt(waiter);
    direct.release(name, before);
    Grant granted = direct.acquire(waiter, run.limit(2_000));
    long last = granted.fencingToken() + granted.tokens() - 1;
    direct.release(name, waiter.id());
    long next =
        direct.acquire(name, direct.newId(), run.ms(20_000), run.limit(2_000)).fencingToken();
    run.expect(
        next > last,
        "a token is larger than all that were reserved from the queue, up to " + last,
        "it is " + next);
  }

  /** What a quorum asks of its members. */
  @Rule(
      value = "T1",
      check = "that a renewal raises the token of its hold, and the counter, to Renewal.minToken()")
  public static void aRaisedTokenIsBelowAllLaterOnes(RuleRun run) throws Exception {
    if (run.isForeign() || !run.has(Capability.RENEWABLE)) {
      return;
    }
    DirectBackend direct = run.direct();
    for (UnaryOperator<Attempt> kind : Leases.attempts(run).values()) {
      expectRaised(run, direct, kind, false);
      expectRaised(run, direct, kind, true);
    }
  }

  private static void expectRaised(
      RuleRun run, DirectBackend direct, UnaryOperator<Attempt> kind, boolean forced)
      throws InterruptedException {
    String name = run.name();
    HoldId id = direct.newId();
    Attempt attempt = kind.apply(Attempt.of(name, id, "tck", run.ms(20_000))).withTokens(RESERVED);
    long granted = direct.acquire(attempt, run.limit(2_000)).fencingToken();
    long last = 0;
    Renewal renewal = Renewal.of(name, id, run.ms(20_000), false);
    // A counter that is not as far may be kept in so few bits, and a raise with it.
    long larger = granted < LARGEST_OF_32_BITS ? granted + LARGEST_OF_32_BITS : granted + A_FEW;
    for (long least : new long[] {larger, 0, granted}) {
      RenewalResult result = RenewalAnswers.collect(
              direct.backend(), List.of(renewal.withMinToken(least)))
          .get(0);
      run.expectWhileHeld(
          name,
          () -> result instanceof Grant held && held.fencingToken() == larger,
          "a hold whose token " + granted + " was raised keeps token " + larger,
          "the renewal is answered " + result);
      last = result instanceof Grant held ? larger + held.tokens() - 1 : larger;
    }
    long told = direct.backend().inspect(name).map(HoldInfo::fencingToken).orElse(0L);
    run.expectWhileHeld(
        name, () -> told == larger, "inspect tells token " + larger, "it tells " + told);
    long repeated = direct.acquire(attempt, run.limit(2_000)).fencingToken();
    run.expectWhileHeld(
        name,
        () -> repeated == larger,
        "an attempt that is repeated is told the raised token " + larger,
        "it is told " + repeated);
    if (forced) {
      expectForced(run, direct, name, granted, larger);
    } else {
      direct.release(name, id);
    }
    Grant next = direct.acquire(name, direct.newId(), run.ms(20_000), run.limit(2_000));
    run.expect(
        next.fencingToken() > last,
        "the next token is larger than all of a raised hold, " + last,
        "it is " + next.fencingToken());
    expectLastToken(run, next, last);
  }

  private static void expectForced(
      RuleRun run, DirectBackend direct, String name, long before, long raised) {
    run.expectWhileHeld(
        name,
        () -> !direct.backend().forceRelease(name, before),
        "no hold has token " + before + " since it was raised",
        "forceRelease with it answers true");
    run.expectWhileHeld(
        name,
        () -> direct.backend().forceRelease(name, raised),
        "forceRelease with the raised token " + raised + " answers true",
        "it answers false");
  }

  private static Lease begin(
      RuleRun run, LockClient client, String name, long lease, String who, List<Hold> holds)
      throws InterruptedException {
    Lease held = client.acquire(Leases.fixed(run, name, lease));
    holds.add(Hold.begin(who, held, true));
    return held;
  }
}
