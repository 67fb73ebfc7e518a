package dev.interlock.tck.internal.rules;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import dev.interlock.tck.internal.worker.EventCounter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** X1 and W3 with many: locks that are held at once, and waiters of one lock, whoever goes. */
public final class CrowdRules {
  private static final int CLIENTS = 3;
  private static final int AWAITED = 220;
  private static final long LEASE = 300_000;

  /** So long locks are taken; a distant server gets fewer. */
  private static final long LONGEST = 6_000;

  /** Fewer would tell nothing. */
  private static final int LEAST_LOCKS = 100;

  private enum Taken {
    HELD,
    REFUSED,
    NOT_IN_TIME
  }

  private CrowdRules() {}

  @Rule(
      value = "X1",
      check = "what becomes of a lock when many others are taken, as in a store that has no room",
      limit = 60)
  public static void aThousandLocksAreHeldAtOnce(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend holder = run.direct();
    DirectBackend other = run.direct();
    List<Attempt> attempts = new ArrayList<>();
    List<UnaryOperator<Attempt>> kinds = List.copyOf(Leases.attempts(run).values());
    for (int i = 0; i < run.amount(1_100, 2_500, 12_000); i++) {
      Attempt attempt = Attempt.of(run.name(), holder.newId(), "tck", run.ms(LEASE));
      attempts.add(kinds.get(i % kinds.size()).apply(attempt));
    }
    long end = System.nanoTime() + run.limit(LONGEST).toNanos();
    List<Taken> taken = SideBySide.each(attempts, attempt -> take(holder, attempt, end));
    long refused = taken.stream().filter(Taken.REFUSED::equals).count();
    run.expect(
        refused == 0,
        "each of %,d locks that nobody holds is granted".formatted(attempts.size()),
        "%,d were not".formatted(refused));
    List<Attempt> held = IntStream.range(0, attempts.size())
        .filter(i -> taken.get(i) == Taken.HELD)
        .mapToObj(attempts::get)
        .toList();
    RuleRun.requireEnough(held.size(), LEAST_LOCKS, "locks could be taken in time");
    List<Boolean> entered = SideBySide.each(held, attempt -> {
      HoldId id = other.newId();
      return answered(
          run, () -> other.attempt(attempt.name(), id, run.ms(LEASE)) instanceof Grant, true);
    });
    run.count(3L * held.size());
    long lost = entered.stream().filter(yes -> yes).count();
    run.expect(
        lost == 0,
        "each of %,d locks that a client holds at once is closed to others".formatted(held.size()),
        "%,d were given to another client".formatted(lost));
    // A release that is repeated for want of an answer may find that it has had its effect.
    List<Boolean> released = SideBySide.each(
        held, attempt -> answered(run, () -> holder.release(attempt.name(), attempt.id()), false));
    long gone = released.stream().filter(yes -> !yes).count();
    run.expect(gone == 0, "each is there until its release", "%,d were gone".formatted(gone));
    run.note("%,d locks were held at once".formatted(held.size()));
  }

  private static Taken take(DirectBackend holder, Attempt attempt, long end)
      throws InterruptedException {
    // What had no answer may still be on its way, and in the way of what is asked next.
    for (boolean unanswered = false; System.nanoTime() - end < 0; ) {
      try {
        if (holder.attempt(attempt) instanceof Grant) {
          return Taken.HELD;
        }
        if (!unanswered) {
          return Taken.REFUSED;
        }
      } catch (BackendUnavailableException | OutcomeUnknownException e) {
        unanswered = true;
      }
      RuleRun.pause(Duration.ofMillis(5));
    }
    return Taken.NOT_IN_TIME;
  }

  /**
   * Repeats a command without an answer, as the engine does.
   *
   * @param again whether the answer to a repeated command counts; if not, it is taken for true
   */
  private static boolean answered(RuleRun run, Callable<Boolean> command, boolean again)
      throws Exception {
    long start = System.nanoTime();
    for (boolean repeated = false; ; repeated = true) {
      try {
        boolean answer = command.call();
        return answer || (repeated && !again);
      } catch (BackendUnavailableException | OutcomeUnknownException e) {
        if (System.nanoTime() - start > run.limit(10_000).toNanos()) {
          throw e;
        }
        RuleRun.pause(Duration.ofMillis(5));
      }
    }
  }

  @Rule(
      value = "W3",
      check = "that all who wait are noted, however many, and the next is woken when one has left",
      timed = true)
  public static void behindManyWhoHaveLeftAWaiterIsWoken(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    List<DirectBackend> crowd = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      crowd.add(run.direct());
    }
    String name = run.name();
    Lease held = run.client().acquire(Leases.fixed(run, name, LEASE));
    int waiters = run.amount(120, 300, 1_100);
    List<HoldId> ids = new ArrayList<>();
    for (int i = 0; i < waiters; i++) {
      ids.add(crowd.get(i % CLIENTS).newId());
    }
    List<Integer> places = IntStream.range(0, waiters).boxed().toList();
    SideBySide.each(
        places,
        i -> crowd
            .get(i % CLIENTS)
            .attempt(
                Attempt.of(name, ids.get(i), "tck", run.ms(LEASE)).withPatience(run.ms(LEASE))));
    CompletableFuture<Lease> waiter = WakingRules.Waiter.of(run).begin(run, patient(run, name));
    SideBySide.each(places, i -> {
      crowd.get(i % CLIENTS).abandon(name, ids.get(i));
      return true;
    });
    WakingRules.expectWoken(
        run, waiter, held::release, "a release, behind " + waiters + " who have left");
    run.count(2L * waiters);
  }

  @Rule(
      value = "W3",
      check = "that a client may wait for many locks, and is told of each",
      timed = true)
  public static void whoWaitsForManyLocksHearsOfEach(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    LockClient holder = run.client();
    EventCounter events = new EventCounter();
    LockClient client = run.client(events);
    List<String> names = new ArrayList<>();
    for (int i = 0; i < run.amount(AWAITED, 2 * AWAITED, 5 * AWAITED); i++) {
      names.add(run.name());
    }
    List<Lease> held =
        SideBySide.each(names, name -> holder.acquire(Leases.fixed(run, name, LEASE)));
    List<CompletableFuture<Lease>> waits = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      LockRequest request = Leases.fixed(run, names.get(i), LEASE).withWait(run.ms(LEASE));
      waits.add(client.acquireAsync(Leases.fairInTurns(run, request, i)));
    }
    run.await(run.limit(20_000), "requests wait", () -> events.waitingCount() >= names.size());
    SideBySide.each(held, lease -> {
      lease.release();
      return lease;
    });
    for (CompletableFuture<Lease> wait : waits) {
      Queues.expectServed(run, wait, "each who waits for one of " + names.size() + " locks");
    }
    SideBySide.each(waits, wait -> {
      wait.get().release();
      return wait;
    });
    run.note("a client that waited for " + names.size() + " locks was told of each");
  }

  @Rule(
      value = "W3",
      check = "that a waiter is told of the release whatever the name of the lock",
      timed = true)
  public static void whateverTheNameAWaiterIsWoken(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return; // others say what names may be
    }
    LockClient holder = run.client();
    LockClient client = run.client();
    List<String> names = LookAlikes.of(run.name());
    List<Lease> held = SideBySide.each(
        names, name -> holder.acquire(Leases.fixed(run, name, LEASE).withWait(run.limit(9_000))));
    List<LockClient> waiting = new ArrayList<>(List.of(client));
    if (run.has(Capability.FAIR)) {
      // A queue may be kept under a name of its own.
      waiting.add(run.client());
    }
    List<List<CompletableFuture<Lease>>> waits = new ArrayList<>();
    for (String name : names) {
      List<CompletableFuture<Lease>> ofName = new ArrayList<>();
      for (int i = 0; i < waiting.size(); i++) {
        LockRequest request = Leases.fixed(run, name, LEASE).withWait(run.ms(LEASE));
        ofName.add(waiting.get(i).acquireAsync(i == 0 ? request : request.fair(true)));
      }
      waits.add(ofName);
    }
    RuleRun.pause(run.ms(500));
    for (int i = 0; i < names.size(); i++) {
      List<CompletableFuture<Lease>> left = new ArrayList<>(waits.get(i));
      WakingRules.End end = held.get(i)::release;
      while (!left.isEmpty()) {
        end.run();
        // Which of them comes first is no matter of this rule.
        CompletableFuture<Lease> served = expectOneServed(run, left, names.get(i));
        left.removeIf(one -> one == served);
        end = served.join()::release;
      }
      end.run();
    }
  }

  private static CompletableFuture<Lease> expectOneServed(
      RuleRun run, List<CompletableFuture<Lease>> waits, String name) throws Exception {
    Duration limit = Queues.servedWithin(run);
    try {
      CompletableFuture.anyOf(waits.toArray(new CompletableFuture<?>[0]))
          .get(limit.toNanos(), TimeUnit.NANOSECONDS);
      run.count(1);
    } catch (TimeoutException e) {
      throw RuleViolation.late(
          "one who waits for \"" + name + "\" is served within " + limit.toMillis()
              + " ms of a release",
          "nobody was",
          List.of());
    }
    return waits.stream().filter(CompletableFuture::isDone).findFirst().orElseThrow();
  }

  private static LockRequest patient(RuleRun run, String name) {
    return Leases.lasting(run, name, LEASE).withWait(run.ms(LEASE));
  }
}
