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
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Rules N7 and N8: what a fault may cost the leases that are renewed together. */
public final class BatchRules {
  private static final long LEASE = 4_000;
  private static final int MANY = 40;

  /** Longer, in milliseconds, than a usual session of ten seconds. */
  private static final long ABSENT = 11_500;

  /** As many as the engine sends at once. */
  private static final int MOST = 256;

  private static final List<Integer> SIZES = List.of(1, 2, 2, 2, 3, 17, 40, 128, MOST);
  /** More than a usual bound on what is done in one step. */
  private static final int OF_ONE_NAME = 70;

  private static final int WAYS_TO_END = 3;

  private static final long SHORT = 60_000;

  // In minutes, each longer than the lease before it, neither growing nor falling.
  private static final List<Integer> LEASES = List.of(9, 4, 60, 5, 30, 3, 7, 120, 4, 15, 240, 6);

  /** So many tokens are skipped. */
  private static final long A_FEW = 1_000;

  private static final long LONG = 600_000;

  private BatchRules() {}

  @Rule(
      value = "N7",
      check =
          "that a renewal which could not be sent or was not answered is not taken for \"gone\"",
      needs = TckFault.CONNECTION,
      limit = 90,
      timed = true)
  public static void aShortFaultCostsNoLease(RuleRun run) throws Exception {
    AbsentHolder absent = AbsentHolder.begin(run);
    FaultProxy proxy = run.proxy();
    LockClient client = run.client(proxy);
    List<Lease> leases = new ArrayList<>();
    List<UnaryOperator<LockRequest>> kinds = List.copyOf(Leases.kinds(run).values());
    for (int i = 0; i < MANY; i++) {
      LockRequest request = Leases.fixed(run, run.name(), LEASE).renewing();
      leases.add(client.acquire(kinds.get(i % kinds.size()).apply(request)));
    }
    proxy.refuse(true);
    int cut = proxy.cut();
    RuleRun.pause(run.ms(LEASE / 3));
    proxy.refuse(false);
    run.fault("all connections cut, and none taken, for a third of the lease");
    RuleRun.pause(run.ms(LEASE));
    expectAll(run, leases, "after " + cut + " connections were cut");
    proxy.holdReplies(true);
    RuleRun.pause(run.ms(LEASE / 4));
    proxy.cut();
    proxy.holdReplies(false);
    run.fault("no replies for a quarter of the lease, which are then lost");
    RuleRun.pause(run.ms(LEASE));
    expectAll(run, leases, "after replies were lost");
    for (Lease lease : leases) {
      lease.release();
    }
    absent.expectKept(run, ABSENT);
    run.note(MANY + " renewed leases outlived faults that were shorter than they, and longer ones"
        + " a client's absence of " + ABSENT / 1_000 + " s");
  }

  private static void expectAll(RuleRun run, List<Lease> leases, String when) {
    long lost = leases.stream().filter(lease -> !lease.isValid()).count();
    run.count(leases.size());
    run.expect(lost == 0, "all renewed leases are valid " + when, lost + " are lost");
  }

  /** One of a batch: what became of it, and by which token it is known. */
  private record Entry(Renewal renewal, long token, boolean gone) {}

  @Rule(
      value = "N8",
      check = "that the answers to a batch are told apart, whatever one of them is",
      timed = true)
  public static void eachOfABatchGetsItsOwnAnswer(RuleRun run) throws Exception {
    DirectBackend direct = run.direct();
    List<Entry> entries = entries(run, direct);
    for (int size : SIZES) {
      List<Entry> batch = mixed(run, entries, size);
      expectOwnAnswers(run, direct, batch);
      run.count(size);
    }
    expectRenewed(run, direct, entries);
    run.note("of batches of " + SIZES + " what was lost was answered Gone, the others Held");
  }

  /** Half of them are gone, in every way a hold ends before its time. */
  private static List<Entry> entries(RuleRun run, DirectBackend direct) throws Exception {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      names.add(run.name());
    }
    return SideBySide.each(names, name -> {
      int kind = names.indexOf(name) % (2 * WAYS_TO_END);
      HoldId id = direct.newId();
      long token = direct.acquire(name, id, run.ms(SHORT), run.limit(3_000)).fencingToken();
      switch (kind) {
        case 0 -> direct.release(name, id);
        case 1 -> run.expect(direct.backend().forceRelease(name), "forceRelease says so", "false");
        case 2 -> {
          direct.release(name, id);
          direct.acquire(name, direct.newId(), run.ms(LONG), run.limit(3_000));
        }
        default -> {}
      }
      Renewal renewal = Renewal.of(name, id, run.ms(LONG), false);
      return new Entry(renewal, token, kind < WAYS_TO_END);
    });
  }

  /** Of two or more at least one is gone and one is held. */
  private static List<Entry> mixed(RuleRun run, List<Entry> entries, int size) {
    List<Entry> shuffled = new ArrayList<>(entries);
    List<Entry> batch = shuffled;
    boolean mixed = false;
    while (!mixed) {
      Collections.shuffle(shuffled, new Random(run.random().nextLong()));
      batch = List.copyOf(shuffled.subList(0, size));
      mixed = size == 1 || batch.stream().map(Entry::gone).distinct().count() == 2;
    }
    return batch;
  }

  private static void expectOwnAnswers(RuleRun run, DirectBackend direct, List<Entry> batch) {
    List<RenewalResult> results = RenewalAnswers.collect(
        direct.backend(), batch.stream().map(Entry::renewal).toList());
    for (int i = 0; i < batch.size(); i++) {
      Entry entry = batch.get(i);
      RenewalResult result = results.get(i);
      String which = "entry " + (i + 1) + " of a batch of " + batch.size();
      if (entry.gone()) {
        run.expect(
            result instanceof RenewalResult.Gone, which + ", which is lost, is Gone", "" + result);
      } else {
        run.expect(
            result instanceof Grant held
                && (!run.has(Capability.FENCED) || held.fencingToken() == entry.token()),
            which + ", which is held, is Held with token " + entry.token(),
            "" + result);
      }
    }
  }

  /** An answer alone prolongs nothing. */
  private static void expectRenewed(RuleRun run, DirectBackend direct, List<Entry> entries) {
    for (Entry entry : entries) {
      if (!entry.gone()) {
        Duration left = direct
            .backend()
            .inspect(entry.renewal().name())
            .map(HoldInfo::remaining)
            .orElse(Duration.ZERO);
        run.expect(
            left.compareTo(run.ms(LONG / 2)) > 0,
            "each that a batch of " + MOST + " answers Held is renewed",
            entry.renewal().name() + " has " + left + " left");
      }
    }
  }

  /** One of a batch: what it asks for, and the token that it is to have. */
  private record Wish(Renewal renewal, long token) {}

  @Rule(
      value = "N8",
      check = "that each of a batch is renewed for its own time, and to its own smallest token",
      timed = true)
  public static void eachOfABatchIsRenewedAsItAsksFor(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend direct = run.direct();
    List<UnaryOperator<Attempt>> kinds = List.copyOf(Leases.attempts(run).values());
    List<Wish> wishes = new ArrayList<>();
    for (int i = 0; i < LEASES.size(); i++) {
      HoldId id = direct.newId();
      Attempt attempt = Attempt.of(run.name(), id, "tck", run.ms(SHORT));
      Grant held = direct.acquire(kinds.get(i % kinds.size()).apply(attempt), run.limit(3_000));
      long least = run.has(Capability.FENCED) && i % 3 == 1 ? held.fencingToken() + A_FEW + i : 0;
      Renewal renewal = Renewal.of(attempt.name(), id, run.ms(60_000L * LEASES.get(i)), false);
      wishes.add(new Wish(renewal.withMinToken(least), Math.max(least, held.fencingToken())));
    }
    long called = System.nanoTime();
    List<RenewalResult> results = RenewalAnswers.collect(
        direct.backend(), wishes.stream().map(Wish::renewal).toList());
    for (int i = 0; i < wishes.size(); i++) {
      expectFulfilled(run, direct, wishes.get(i), results.get(i), called);
      direct.release(wishes.get(i).renewal().name(), wishes.get(i).renewal().id());
    }
    run.note("a batch of " + LEASES.size() + " different leases was renewed, each for its own");
  }

  private static void expectFulfilled(
      RuleRun run, DirectBackend direct, Wish wish, RenewalResult result, long called) {
    Renewal renewal = wish.renewal();
    String which = "of a batch of different leases that of " + renewal.lease();
    run.expectWhileHeld(
        renewal.name(),
        () -> result instanceof Grant held
            && (!run.has(Capability.FENCED) || held.fencingToken() == wish.token()),
        which + " is Held with token " + wish.token(),
        "it is answered " + result);
    Duration left =
        direct.backend().inspect(renewal.name()).map(HoldInfo::remaining).orElse(Duration.ZERO);
    Duration least = renewal.lease().minus(RuleRun.since(called)).minus(Leases.ROUNDED);
    run.expect(
        left.compareTo(least) >= 0
            && left.compareTo(renewal.lease().plus(run.expiry(0)).plus(Leases.ROUNDED)) <= 0,
        which + " has at least " + least + " left on the server, and no more than the lease",
        left + " remain");
  }

  @Rule(
      value = "N8",
      check = "that holds and places in a queue may be of one batch, in any order",
      timed = true)
  public static void holdsAndPlacesGetTheirOwnAnswers(RuleRun run) throws Exception {
    if (!run.has(Capability.FAIR)) {
      return;
    }
    DirectBackend direct = run.direct();
    LockClient other = run.client();
    List<Renewal> holds = new ArrayList<>();
    List<Renewal> places = new ArrayList<>();
    List<String> held = List.of(run.name(), run.name());
    for (String name : held) {
      HoldId id = direct.newId();
      direct.acquire(name, id, run.ms(SHORT), run.limit(3_000));
      holds.add(Renewal.of(name, id, run.ms(LONG), false));
    }
    List<String> busy = List.of(run.name(), run.name());
    for (String awaited : busy) {
      other.acquire(FairnessRules.fair(run, awaited));
    }
    // Last, for a place runs out the soonest.
    // One of them for what another attempt of this client holds: they are of one name.
    for (String awaited : List.of(busy.get(0), busy.get(1), held.get(0))) {
      places.add(place(run, direct, awaited));
    }
    Renewal gone = Renewal.of(run.name(), direct.newId(), run.ms(LONG), false);
    // One who has left the queue, behind one who has not.
    Renewal left = place(run, direct, busy.get(0));
    direct.abandon(busy.get(0), left.id());
    for (List<Renewal> batch : List.of(
        List.of(holds.get(0), places.get(0), gone, places.get(1), holds.get(1), places.get(2)),
        List.of(places.get(2), places.get(0), left, holds.get(0), places.get(1), gone),
        List.of(left, places.get(0)),
        List.of(places.get(0), left))) {
      List<RenewalResult> results = RenewalAnswers.collect(direct.backend(), batch);
      for (int i = 0; i < batch.size(); i++) {
        Class<?> expected = batch.get(i) == gone || batch.get(i) == left
            ? RenewalResult.Gone.class
            : batch.get(i).queued() ? RenewalResult.Queued.class : Grant.class;
        RenewalResult result = results.get(i);
        run.expect(
            expected.isInstance(result),
            "of a batch of holds and places entry " + (i + 1) + ", " + batch.get(i)
                + ", is answered " + expected.getSimpleName(),
            "" + result);
      }
    }
  }

  private static Renewal place(RuleRun run, DirectBackend direct, String name) {
    Attempt waiter = Attempt.of(name, direct.newId(), "tck", run.ms(SHORT))
        .withFair(true)
        .withPatience(run.ms(SHORT));
    direct.attempt(waiter);
    return Renewal.of(name, waiter.id(), run.ms(SHORT), true);
  }

  @Rule(
      value = "N8",
      check = "that a batch is told apart by the holds' ids, and not by names",
      timed = true)
  public static void holdsOfOneNameGetTheirOwnAnswers(RuleRun run) throws Exception {
    if (run.has(Capability.SHARED) || run.has(Capability.PERMITS)) {
      int capacity = run.has(Capability.SHARED) ? Integer.MAX_VALUE : OF_ONE_NAME;
      renewTogether(run, attempt -> attempt.withFair(true).withUnits(1, capacity), OF_ONE_NAME - 1);
    }
    if (run.has(Capability.SHARED_OWNER)) {
      renewTogether(run, attempt -> attempt.withSharedOwner(true), 1);
    }
  }

  /**
   * Renews them in one batch.
   *
   * @param told how many of those that are left inspect tells: of an owner's entries it is one
   */
  private static void renewTogether(RuleRun run, UnaryOperator<Attempt> part, int told)
      throws Exception {
    DirectBackend direct = run.direct();
    String name = run.name();
    List<HoldId> ids = new ArrayList<>();
    for (int i = 0; i < OF_ONE_NAME; i++) {
      ids.add(direct.newId());
    }
    SideBySide.each(
        ids,
        id -> direct.acquire(
            part.apply(Attempt.of(name, id, "tck", run.ms(SHORT))), run.limit(3_000)));
    direct.release(name, ids.get(1));
    List<Renewal> batch =
        ids.stream().map(id -> Renewal.of(name, id, run.ms(LONG), false)).toList();
    List<RenewalResult> results = RenewalAnswers.collect(direct.backend(), batch);
    for (int i = 0; i < OF_ONE_NAME; i++) {
      RenewalResult result = results.get(i);
      run.expect(
          i == 1 ? result instanceof RenewalResult.Gone : result instanceof Grant,
          "of %d holds of one name in a batch the second, which was released, is Gone, others Held"
              .formatted(OF_ONE_NAME),
          "hold " + (i + 1) + " is " + result);
    }
    HoldInfo first = direct.backend().inspect(name).orElseThrow();
    long renewed = Stream.concat(Stream.of(first), first.others().stream())
        .filter(hold -> hold.remaining().compareTo(run.ms(LONG / 2)) > 0)
        .count();
    run.expect(
        renewed == told,
        "all that were answered Held are renewed",
        "only " + renewed + " have more than half of their lease left");
    ids.subList(0, OF_ONE_NAME - 1).forEach(id -> direct.release(name, id));
    Duration left = direct.backend().inspect(name).map(HoldInfo::remaining).orElse(Duration.ZERO);
    run.expect(
        left.compareTo(run.ms(LONG / 2)) > 0, "and so is the last of them", left + " remain");
    direct.release(name, ids.get(OF_ONE_NAME - 1));
  }

  @Rule(
      value = "N8",
      check = "that a lost hold costs those that are renewed with it nothing",
      timed = true)
  public static void aLostLeaseCostsTheOthersNothing(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockClient other = run.client();
    List<Lease> leases = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      String name = run.name();
      names.add(name);
      leases.add(client.acquire(Leases.fixed(run, name, LEASE).renewing()));
    }
    Leases.force(run, other, names.get(0));
    Lease next = other.acquire(Leases.fixed(run, names.get(0), 20_000));
    RuleRun.pause(run.ms(LEASE * 5 / 4));
    expectAll(run, leases.subList(1, MANY), "though one that is renewed with them was taken away");
    run.expect(!leases.get(0).isValid(), "the one that was taken away is lost", "it is valid");
    next.release();
    for (Lease lease : leases.subList(1, MANY)) {
      lease.release();
    }
  }
}
