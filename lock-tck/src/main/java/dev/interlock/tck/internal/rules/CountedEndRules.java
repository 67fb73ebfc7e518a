package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.worker.Worker;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/** Groups R and C, and rule W2: those who hold or await a lock together, when some of them end. */
public final class CountedEndRules {
  private static final int MANY = 120;
  private static final int SIZE = 4;

  /** More than a store would clear away in one attempt that clears away some. */
  private static final int ENOUGH = 12;

  /** When the leases are over, which are the shorter the later they begin. */
  private static final long COMMON_END = 4_000;

  /** What begins too late for this is left out. */
  private static final long LEAST_LEASE = 200;

  private static final long LONG = 60_000;
  private static final long BRIEF = 1_500;

  /** For longer than a dead waiter may keep others out. */
  private static final long WITHOUT_DOUBT = 3_500;

  private CountedEndRules() {}

  @Rule(
      value = "R5",
      check = "that an attempt counts none of the readers whose leases are over",
      timed = true)
  public static void readersExpireTogether(RuleRun run) throws Exception {
    expireTogether(run, Integer.MAX_VALUE);
  }

  @Rule(
      value = "C2",
      check = "that an attempt counts none of the permits whose leases are over",
      timed = true)
  public static void permitsExpireTogether(RuleRun run) throws Exception {
    expireTogether(run, MANY);
  }

  private static void expireTogether(RuleRun run, int capacity) throws Exception {
    DirectBackend direct = run.direct();
    LockClient other = run.client();
    String name = run.name();
    long end = System.nanoTime() + run.ms(COMMON_END).toNanos();
    List<HoldId> ids = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      ids.add(direct.newId());
    }
    AtomicLong last = new AtomicLong(end);
    List<Boolean> entered = SideBySide.each(ids, id -> {
      Duration left = Duration.ofNanos(end - System.nanoTime());
      if (left.compareTo(run.ms(LEAST_LEASE)) < 0) {
        return false;
      }
      Attempt attempt = Attempt.of(name, id, "tck", left).withFair(true).withUnits(1, capacity);
      boolean held = direct.attempt(attempt) instanceof Grant;
      // A slow server began to count when it answered, at the latest.
      last.accumulateAndGet(System.nanoTime() + left.toNanos(), Math::max);
      return held;
    });
    long held = entered.stream().filter(yes -> yes).count();
    RuleRun.requireEnough(held, ENOUGH, "holds that are to end at the same time");
    Leases.until(last.get() + run.pastLease(0, 1_000).toNanos());
    // By one attempt: who asks again and again may be let in after as many.
    Leases.expectGiven(
            run,
            other,
            Leases.once(run, name, LONG),
            "what " + held + " held together whose leases are over")
        .release();
    run.note(held + " holds expired together");
  }

  @Rule(
      value = "R5",
      check = "that no reader's entry, renewal or end changes another one's lease",
      timed = true)
  public static void aBriefReaderEndsAlone(RuleRun run) throws Exception {
    endBriefOnes(run, Integer.MAX_VALUE);
  }

  @Rule(
      value = "C2",
      check = "that no entry, renewal or end of permits changes others' lease",
      timed = true)
  public static void briefPermitsEndAlone(RuleRun run) throws Exception {
    endBriefOnes(run, 3);
  }

  private static void endBriefOnes(RuleRun run, int capacity) throws Exception {
    DirectBackend direct = run.direct();
    LockClient observer = run.client();
    List<String> names = new ArrayList<>();
    List<HoldId> lasting = new ArrayList<>();
    for (boolean renews :
        run.has(Capability.RENEWABLE) ? new boolean[] {false, true} : new boolean[] {false}) {
      String name = run.name();
      names.add(name);
      lasting.add(enter(run, direct, name, LONG, capacity));
      HoldId brief = enter(run, direct, name, BRIEF, capacity);
      HoldId third = enter(run, direct, name, LONG, capacity);
      direct.abandon(name, third);
      run.expectHeld(observer, name, "after one of three who held it together was abandoned");
      if (renews) {
        run.expectWhileHeld(
            name,
            () -> direct.renew(name, brief, run.ms(BRIEF)) instanceof Grant,
            "what is held together with another is renewed",
            "it is not");
      }
    }
    RuleRun.pause(run.expiry(BRIEF + 200));
    for (int i = 0; i < names.size(); i++) {
      String when = "after the end of a shorter lease that was held beside it"
          + (i == 0 ? "" : ", and renewed");
      run.expectHeld(observer, names.get(i), when);
      direct.release(names.get(i), lasting.get(i));
      run.expectFree(observer, names.get(i), run.limit(1_000), "after the longer one's release");
    }
  }

  private static HoldId enter(
      RuleRun run, DirectBackend direct, String name, long lease, int capacity)
      throws InterruptedException {
    HoldId id = direct.newId();
    Attempt attempt = Attempt.of(name, id, "tck", run.ms(lease)).withFair(true);
    direct.acquire(attempt.withUnits(1, capacity), run.limit(3_000));
    return id;
  }

  /** How one who holds a lock, or a part of it, gives it up or loses it. */
  interface Ending {
    void end(Lease held, LockClient holder) throws Exception;
  }

  /** By what that is called. */
  static Map<String, Ending> endings(RuleRun run, LockClient operator) {
    Map<String, Ending> endings = new LinkedHashMap<>();
    endings.put("a release", (held, holder) -> held.release());
    endings.put("a forced release", (held, holder) -> operator.forceRelease(held.name()));
    if (run.has(Capability.FENCED)) {
      endings.put(
          "a forced release by its token",
          (held, holder) -> operator.forceRelease(held.name(), held.fencingToken()));
    }
    endings.put("the end of its client", (held, holder) -> holder.close());
    return endings;
  }

  @Rule(
      value = "R5",
      check = "that each step that ends the last reader's hold serves the queue",
      timed = true)
  public static void howeverAReaderEndsAWriterComesIn(RuleRun run) throws Exception {
    serveHoweverItEnds(run, LockRequest::shared, whole -> whole);
  }

  @Rule(
      value = "C2",
      check =
          "how many permits come back in each step that ends a hold, and that it serves the queue",
      timed = true)
  public static void howeverAHoldEndsAllItsPermitsComeBack(RuleRun run) throws Exception {
    serveHoweverItEnds(
        run, request -> request.permits(SIZE - 1, SIZE), request -> request.permits(SIZE, SIZE));
  }

  private static void serveHoweverItEnds(
      RuleRun run, UnaryOperator<LockRequest> part, UnaryOperator<LockRequest> whole)
      throws Exception {
    LockClient operator = run.client();
    List<LockClient> waiting = List.of(run.client());
    Map<String, Ending> endings = endings(run, operator);
    for (Map.Entry<String, Ending> ending : endings.entrySet()) {
      LockRequest request = Queues.request(run, run.name());
      LockClient holder = run.client();
      Lease held = holder.acquire(part.apply(request));
      CompletableFuture<Lease> all = Queues.enter(run, waiting, operator, whole.apply(request), 0);
      ending.getValue().end(held, holder);
      expectServed(run, all, ending.getKey());
    }
    DirectBackend direct = run.direct();
    LockRequest request = Queues.request(run, run.name());
    LockRequest shared = part.apply(request);
    HoldId id = direct.newId();
    Attempt attempt = Attempt.of(request.name(), id, "tck", run.ms(LONG)).withFair(true);
    direct.acquire(attempt.withUnits(shared.units(), shared.capacity()), run.limit(3_000));
    CompletableFuture<Lease> all = Queues.enter(run, waiting, operator, whole.apply(request), 0);
    direct.abandon(request.name(), id);
    expectServed(run, all, "an abandonment");
    run.note("one who asks for all came in after " + String.join(", ", endings.keySet())
        + " and an abandonment of a part");
  }

  private static void expectServed(RuleRun run, CompletableFuture<Lease> all, String ending)
      throws Exception {
    Queues.expectServed(run, all, "one who asks for all after " + ending + " of a part");
    all.get().release();
  }

  @Rule(
      value = "W2",
      check =
          "that those who may share a lock pass over a waiter that is dead, and none that is not",
      timed = true)
  public static void aDeadWaiterKeepsNobodyOut(RuleRun run) throws Exception {
    List<Sharing> kinds = new ArrayList<>();
    if (run.has(Capability.SHARED)) {
      kinds.add(new Sharing("a reader", LockRequest::shared, 1));
    }
    if (run.has(Capability.PERMITS)) {
      kinds.add(new Sharing("one for a permit", request -> request.permits(1, SIZE), SIZE));
    }
    if (kinds.isEmpty()) {
      return;
    }
    LockClient holder = run.client();
    LockClient observer = run.client();
    List<LockClient> clients = List.of(run.client());
    Worker dying = run.oneJvm() ? run.worker() : run.ownWorker();
    VanishingClient vanishing = new VanishingClient(run);
    Map<String, CompletableFuture<Lease>> others = new LinkedHashMap<>();
    List<LockRequest> coming = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (Sharing kind : kinds) {
      LockRequest before = kind.part(Queues.request(run, run.name()));
      LockRequest after = kind.part(Queues.request(run, run.name()));
      List<String> both = List.of(before.name(), after.name());
      int all = kind.all();
      long wait = run.ms(LONG).toNanos();
      boolean fair = run.has(Capability.FAIR);
      for (LockRequest request : List.of(before, after)) {
        holder.acquire(request);
      }
      dying.run(space -> waitForAll(space, both, all, fair, wait));
      names.addAll(both);
      LivenessRules.awaitWaiting(run, dying, names.size());
      others.put(kind.who() + " behind it", Queues.enter(run, clients, observer, before, 1));
      coming.add(after);
      LockRequest gone = Queues.request(run, run.name());
      LockRequest other = Queues.request(run, run.name());
      vanishing.enter(kind.who(), kind.part(gone), kind.whole(gone), other);
    }
    RuleRun.pause(run.ms(WITHOUT_DOUBT));
    others.forEach((who, other) -> run.expect(
        !other.isDone(), who + " waits for one who waits for all and is alive", "it does not"));
    vanishing.expectToWait();
    Queues.kill(run, dying, "a client that waits for all of each lock");
    vanishing.vanish();
    long died = System.nanoTime();
    for (int i = 0; i < kinds.size(); i++) {
      others.put(
          kinds.get(i).who() + " that comes then", clients.get(0).acquireAsync(coming.get(i)));
    }
    for (Map.Entry<String, CompletableFuture<Lease>> other : others.entrySet()) {
      run.await(
          run.limit(3_000).minusNanos(System.nanoTime() - died),
          "after the death of one who waits for all, " + other.getKey() + " has its part",
          other.getValue()::isDone);
      other.getValue().get().release();
    }
    run.note(String.join(", ", others.keySet()) + " came past those who had died "
        + RuleRun.since(died).toMillis() + " ms ago");
    vanishing.expectPassed(died);
  }

  /** Those who ask for a part of a lock, and the size that one names who asks for all of it. */
  private record Sharing(String who, UnaryOperator<LockRequest> asked, int all) {
    LockRequest part(LockRequest request) {
      return asked.apply(request);
    }

    LockRequest whole(LockRequest request) {
      return all == 1 ? request : request.permits(all, all);
    }
  }

  public static void waitForAll(
      WorkerSpace space, List<String> names, int all, boolean fair, long wait) {
    Duration time = Duration.ofNanos(wait);
    for (String name : names) {
      LockRequest request = LockRequest.of(name).withLease(time).withWait(time);
      request = all == 1 ? request : request.permits(all, all);
      space.keep(name, space.client().acquireAsync(fair ? request.fair(true) : request));
    }
  }

  @Rule(value = "R3", check = "that Attempt.beside() counts only while that hold is there")
  public static void aWriterThatLostItsLockReadsLikeAnyOther(RuleRun run) throws Exception {
    DirectBackend direct = run.direct();
    LockClient other = run.client();
    String name = run.name();
    HoldId lost = direct.newId();
    direct.acquire(name, lost, run.ms(LONG), run.limit(3_000));
    Leases.force(run, other, name);
    Lease writer = other.acquire(Leases.fixed(run, name, LONG));
    Attempt reader = Attempt.of(name, direct.newId(), "tck", run.ms(LONG))
        .withFair(true)
        .withUnits(1, Integer.MAX_VALUE)
        .withBeside(lost);
    run.expectWhileHeld(
        name,
        () -> !(direct.attempt(reader) instanceof Grant),
        "one who wrote, and lost the lock to another writer, does not read beside that one",
        "it does");
    writer.release();
    direct.acquire(reader, run.limit(3_000));
    run.expectHeld(other, name, "while it reads, once the other writer has left");
    direct.release(name, reader.id());
  }
}
