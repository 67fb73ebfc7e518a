package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.RenewalResult;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import dev.interlock.tck.internal.worker.ProcessWorker;
import dev.interlock.tck.internal.worker.Worker;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Group S. */
public final class SharedOwnerRules {
  public static final String OWNER = "tck-saga";

  private static final long LONG = 30_000;
  private static final long BRIEF = 1_500;

  /** Of those who wait as an owner. */
  private static final int WAITERS = 3;

  /** More than a list of an owner's entries with a usual bound has room for. */
  private static final int MANY = 304;

  /** Of those so many go one by one. */
  private static final int LAST = 24;

  private SharedOwnerRules() {}

  @Rule(value = "S1", check = "that an attempt of the holder's named owner joins the hold")
  public static void theSameOwnerEntersFromAnotherJvm(RuleRun run) throws Exception {
    String name = run.name();
    Worker first = run.worker();
    Worker second = run.worker();
    LockClient other = run.client();
    boolean fenced = run.has(Capability.FENCED);
    long lease = run.willBeHeld(name, run.ms(20_000));
    long outer = first.call(space -> enter(space, name, OWNER, lease, fenced));
    run.expectWhileHeld(
        name,
        () -> second.call(space -> enter(space, name, OWNER, lease, fenced)) == outer,
        "both entries have token " + outer,
        "the second has another");
    run.expectHeld(other, name, "while an owner holds");
    LockRequest others = LockRequest.of(name).withOwner("tck-saga2").withLease(run.ms(500));
    run.expectWhileHeld(
        name, () -> other.tryAcquire(others).isEmpty(), "another owner is kept out", "it entered");
    // The owner of a thread or request may read like a named one; it is still another.
    second.run(space -> space.lease("lease").release());
    run.expectHeld(other, name, "while one entry is left");
    first.run(space -> space.lease("lease").release());
    run.expectFree(other, name, run.limit(1_000), "after both releases");
    run.note("one owner held from two JVMs with token " + outer);
  }

  @Rule(value = "S1", check = "that owners are compared by all of their name, as it was written")
  public static void ownersThatLookAlikeKeepEachOtherOut(RuleRun run) throws Exception {
    LockClient holder = run.client();
    LockClient other = run.client();
    List<String> owners = LookAlikes.of("tck-saga");
    // Most differ from the first one in one respect, the others from their neighbour.
    keepOut(run, holder, other, owners.get(0), owners.subList(1, owners.size()));
    for (int i = 2; i < owners.size(); i++) {
      keepOut(run, holder, other, owners.get(i - 1), List.of(owners.get(i)));
    }
    run.note(owners.size() + " look-alike owners, none of which entered another's hold");
  }

  private static void keepOut(
      RuleRun run, LockClient holder, LockClient other, String owner, List<String> strangers)
      throws InterruptedException {
    LockRequest request = Leases.once(run, run.name(), 20_000);
    Lease held = holder.acquire(request.withOwner(owner).withWait(run.limit(3_000)));
    for (String stranger : strangers) {
      run.expectWhileHeld(
          request.name(),
          () -> other.tryAcquire(request.withOwner(stranger)).isEmpty(),
          "owner \"" + stranger + "\" is kept out while \"" + owner + "\" holds",
          "it entered");
    }
    held.release();
    run.count(strangers.size());
  }

  @Rule(
      value = "S1",
      check = "that a waiting stranger does not keep a holder's named owner out",
      timed = true)
  public static void aStrangerThatWaitsDoesNotKeepTheOwnerOut(RuleRun run) throws Exception {
    Worker holder = run.worker();
    LockClient client = run.client();
    for (int i = 0; i < (run.has(Capability.FAIR) ? 2 : 1); i++) {
      String name = run.name();
      long lease = run.willBeHeld(name, run.ms(20_000));
      holder.run(space -> enter(space, name, OWNER, lease, false));
      LockRequest request = LockRequest.of(name).withLease(run.ms(20_000)).withWait(run.ms(20_000));
      CompletableFuture<Lease> stranger = client.acquireAsync(Leases.fairInTurns(run, request, i));
      RuleRun.pause(run.ms(200));
      Lease inner = soon(
          run.limit(1_000),
          client.acquireAsync(request.withOwner(OWNER)),
          "while a stranger of the same client waits");
      run.expectWhileHeld(
          name, () -> !stranger.isDone(), "the stranger waits on", "it has the lock too");
      inner.release();
      holder.run(space -> space.lease("lease").release());
      stranger.get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS).release();
    }
    run.note("an owner entered beside its hold though a stranger of its client waited");
  }

  @Rule(value = "S1", check = "that an owner's grant reaches those who wait as it", timed = true)
  public static void waitersHearOfTheirOwnersGrant(RuleRun run) throws Exception {
    String name = run.name();
    boolean fair = run.has(Capability.FAIR);
    LockClient observer = run.client();
    Lease held = run.client().acquire(Leases.fixed(run, name, 30_000));
    LockRequest plain = LockRequest.of(name).withLease(run.ms(20_000)).withWait(run.ms(20_000));
    LockRequest request = fair ? plain.fair(true) : plain;
    CompletableFuture<Lease> first = run.client().acquireAsync(request.withOwner(OWNER));
    awaitTurn(run, observer, name, 1);
    // Without a queue the stranger might come first.
    CompletableFuture<Lease> stranger =
        fair ? run.client().acquireAsync(request) : CompletableFuture.completedFuture(held);
    awaitTurn(run, observer, name, 2);
    List<CompletableFuture<Lease>> others = new ArrayList<>();
    for (int i = 0; i < WAITERS; i++) {
      others.add(run.client().acquireAsync(request.withOwner(OWNER)));
    }
    RuleRun.pause(run.ms(200));
    held.release();
    Lease outer = first.get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS);
    long limit = run.has(Capability.PUSH) ? 1_000 : 3_000;
    for (CompletableFuture<Lease> other : others) {
      soon(run.limit(limit), other, "after a release let its owner in elsewhere");
    }
    run.expectWhileHeld(
        name, () -> !fair || !stranger.isDone(), "the stranger waits on", "it has the lock too");
    outer.release();
    for (CompletableFuture<Lease> other : others) {
      other.get().release();
    }
    stranger.get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS).close();
    run.note(WAITERS + " waiters entered once their owner was granted the lock in another client");
  }

  /** Without the engine: a client that hears of the grant in another way asks again anyhow. */
  @Rule(
      value = "S1",
      check = "that who keeps its place in the queue is answered that its owner has the lock",
      timed = true)
  public static void aPlaceTellsOfItsOwnersHold(RuleRun run) throws Exception {
    DirectBackend owner = run.direct();
    DirectBackend waiting = run.direct();
    String name = run.name();
    Lease held = run.client().acquire(Leases.fixed(run, name, 30_000));
    List<Attempt> attempts = new ArrayList<>();
    for (DirectBackend client : List.of(owner, waiting, waiting)) {
      Attempt attempt = Attempt.of(name, client.newId(), OWNER, run.ms(20_000))
          .withFair(run.has(Capability.FAIR))
          .withPatience(run.ms(60_000))
          .withSharedOwner(attempts.size() != 1);
      attempts.add(attempt);
      if (!(client.attempt(attempt) instanceof AttemptResult.Queued)) {
        run.note("one who waits has no place to keep, and asks by attempts alone");
        return;
      }
    }
    held.release();
    owner.acquire(attempts.get(0), run.limit(3_000));
    RenewalResult place = waiting.refresh(attempts.get(2));
    run.expectWhileHeld(
        name,
        () -> place instanceof Grant
            || (place instanceof RenewalResult.Queued queued && queued.ownerHolds()),
        "who waits as the owner that has the lock is told so",
        "the answer was " + place);
    waiting.acquire(attempts.get(2), run.limit(1_000));
    run.note("one who waited behind a stranger was told of the hold of its owner");
  }

  /** Where there is a queue, nobody must come into it before those who came first. */
  private static void awaitTurn(RuleRun run, LockClient observer, String name, int waiters)
      throws Exception {
    if (run.has(Capability.FAIR)) {
      Queues.awaitQueued(run, observer, name, waiters);
    } else {
      RuleRun.pause(run.ms(200));
    }
  }

  private static Lease soon(Duration limit, CompletableFuture<Lease> entering, String when)
      throws Exception {
    try {
      return entering.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw RuleViolation.late(
          "the owner that holds the lock elsewhere enters within " + limit.toMillis() + " ms "
              + when,
          "it still waits",
          List.of());
    }
  }

  public static long enter(WorkerSpace space, String name, String owner, long lease, boolean fenced)
      throws InterruptedException {
    LockRequest request = LockRequest.of(name)
        .withOwner(owner)
        .withLease(Duration.ofNanos(lease))
        .withWait(Duration.ofSeconds(10));
    Lease held = space.client().acquire(request);
    space.keep("lease", held);
    return fenced ? held.fencingToken() : 0;
  }

  @Rule(value = "S2", check = "that each JVM's entries are counted and expire by themselves")
  public static void entriesBalanceAcrossJvms(RuleRun run) throws Exception {
    String name = run.name();
    LockClient other = run.client();
    Worker first = run.worker();
    Worker second = run.worker();
    boolean fenced = run.has(Capability.FENCED);
    long lease = run.willBeHeld(name, run.ms(20_000));
    long token = first.call(space -> enter(space, name, OWNER, lease, fenced));
    second.run(space -> enter(space, name, OWNER, lease, false));
    first.run(space -> space.lease("lease").release());
    run.expectHeld(other, name, "after the first JVM's release");
    long again = first.call(space -> enter(space, name, OWNER, lease, fenced));
    run.expect(
        again == token,
        "an entry has the hold's token " + token + ", also when the first entry has ended",
        "it has " + again);
    second.run(space -> space.lease("lease").release());
    run.expectHeld(other, name, "after the second JVM's release");
    first.run(space -> space.lease("lease").release());
    run.expectFree(other, name, run.limit(1_000), "after the last release");
  }

  @Rule(value = "S2", check = "that a dead JVM's entry ends with its lease", timed = true)
  public static void aDeadJvmsEntryEndsWithItsLease(RuleRun run) throws Exception {
    if (run.oneJvm()) {
      return;
    }
    String name = run.name();
    long lease = run.ms(1_200).toNanos();
    ProcessWorker dying = run.ownWorker();
    Worker living = run.worker();
    LockClient other = run.client();
    long longer = run.willBeHeld(name, run.ms(20_000));
    dying.run(space -> enter(space, name, OWNER, lease, false));
    living.run(space -> enter(space, name, OWNER, longer, false));
    dying.kill();
    run.fault("kill -9 of one of an owner's clients");
    RuleRun.pause(run.expiry(1_200));
    run.expectHeld(other, name, "while the living JVM holds, past the dead one's lease");
    living.run(space -> space.lease("lease").release());
    run.expectFree(other, name, run.limit(1_000), "after the last living release");
    run.note("a killed JVM's entry ended with its lease");
  }

  @Rule(value = "S2", check = "that each entry has a lease of its own", timed = true)
  public static void noEntryChangesAnothersLease(RuleRun run) throws Exception {
    DirectBackend first = run.direct();
    DirectBackend second = run.direct();
    LockClient observer = run.client();
    String lasting = run.name();
    HoldId outer = first.newId();
    grant(run, first, lasting, outer, LONG);
    grant(run, second, lasting, second.newId(), BRIEF);
    String ending = run.name();
    HoldId renewed = first.newId();
    grant(run, second, ending, second.newId(), BRIEF);
    grant(run, first, ending, renewed, LONG);
    if (run.has(Capability.RENEWABLE)) {
      run.expectWhileHeld(
          ending,
          () -> first.renew(ending, renewed, run.ms(LONG)) instanceof Grant,
          "an entry is renewed",
          "it is not");
    }
    RuleRun.pause(run.expiry(BRIEF + 200));
    run.expectHeld(observer, lasting, "after the end of an owner's entry that was shorter");
    first.release(lasting, outer);
    run.expectFree(observer, lasting, run.limit(1_000), "after the release of the longer one");
    first.release(ending, renewed);
    run.expectFree(
        observer,
        ending,
        run.pastLease(0, 1_000),
        "after an entry whose client went, and another that was renewed and released");
  }

  /** One of an owner's entries. */
  private record Entry(DirectBackend client, HoldId id) {}

  @Rule(
      value = "S2",
      check = "that a release, or an abandonment, ends one entry, and not what is like it",
      timed = true)
  public static void eachEntryEndsAlone(RuleRun run) throws Exception {
    List<DirectBackend> clients = List.of(run.direct(), run.direct());
    LockClient observer = run.client();
    String name = run.name();
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      // Two of the same client follow each other.
      DirectBackend client = clients.get(i / 2 % 2);
      entries.add(new Entry(client, client.newId()));
    }
    SideBySide.each(entries, entry -> {
      grant(run, entry.client(), name, entry.id(), LONG);
      return entry;
    });
    List<Entry> last = entries.subList(MANY - LAST, MANY);
    SideBySide.each(entries.subList(0, MANY - LAST), entry -> {
      run.expectWhileHeld(
          name, () -> entry.client().release(name, entry.id()), "an entry is there", "it is not");
      return entry;
    });
    CompletableFuture<Lease> stranger = observer.acquireAsync(Queues.request(run, name));
    awaitTurn(run, observer, name, 1);
    for (int i = 0; i < LAST; i++) {
      run.expectHeld(observer, name, "while " + (LAST - i) + " entries of an owner are left");
      if (i == LAST - 1) {
        // By then it has been told of what the end of another entry gave it wrongly.
        RuleRun.pause(run.ms(50));
        run.expectWhileHeld(
            name, () -> !stranger.isDone(), "a stranger waits on", "it has the lock, too");
      }
      Entry entry = last.get(i);
      // The first of two of one client is released at one time, and abandoned at another.
      if (i % 4 == 0 || i % 4 == 3) {
        run.expectWhileHeld(
            name, () -> entry.client().release(name, entry.id()), "an entry is there", "it is not");
      } else {
        entry.client().abandon(name, entry.id());
      }
    }
    Queues.expectServed(run, stranger, "a stranger that waited for the end of the last entry");
    stranger.get().release();
    run.note(MANY + " entries of an owner were ended, the last of them one by one");
  }

  @Rule(value = "S3", check = "that entries are known by the id of their attempt, not counted")
  public static void aRepeatedCommandCountsOnce(RuleRun run) throws Exception {
    DirectBackend first = run.direct();
    DirectBackend second = run.direct();
    LockClient observer = run.client();
    String name = run.name();
    HoldId outer = first.newId();
    HoldId inner = second.newId();
    grant(run, first, name, outer);
    grant(run, second, name, inner);
    grant(run, second, name, inner);
    grant(run, first, name, outer);
    run.expectWhileHeld(
        name, () -> second.release(name, inner), "the inner release is known", "it is not");
    run.expect(!second.release(name, inner), "its repetition is not", "it is");
    run.expectHeld(observer, name, "after a repeated release of the inner entry");
    run.expectWhileHeld(
        name, () -> first.release(name, outer), "the outer release is known", "it is not");
    run.expectFree(observer, name, run.limit(1_000), "after one release for each entry");
    HoldId later = second.newId();
    grant(run, second, name, later);
    run.expect(
        !first.release(name, outer),
        "a late release is not known, though its owner holds",
        "it is");
    first.abandon(name, outer);
    run.expectHeld(observer, name, "after a late release of its owner's last hold");
    run.expectWhileHeld(
        name, () -> second.release(name, later), "the owner's next hold is there", "it is not");
    run.fault("attempts and releases sent twice");
    run.note("two entries, each sent twice, were ended by one release each");
  }

  private static void grant(RuleRun run, DirectBackend direct, String name, HoldId id) {
    grant(run, direct, name, id, 20_000);
  }

  private static void grant(RuleRun run, DirectBackend direct, String name, HoldId id, long lease) {
    Attempt attempt = Attempt.of(name, id, OWNER, run.ms(lease)).withSharedOwner(true);
    AttemptResult result = direct.attempt(attempt);
    run.expect(result instanceof Grant, "the owner's attempt is granted", "" + result);
  }
}
