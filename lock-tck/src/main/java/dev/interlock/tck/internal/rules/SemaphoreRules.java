package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.DistributedSemaphore;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.history.History;
import dev.interlock.tck.internal.history.Hold;
import dev.interlock.tck.internal.rules.CountedContention.Part;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.worker.ProcessWorker;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Group C. */
public final class SemaphoreRules {
  private static final int SIZE = 4;

  private static final List<Part> PARTS = List.of(
      new Part(1, SIZE),
      new Part(2, SIZE),
      new Part(3, SIZE),
      new Part(SIZE, SIZE),
      new Part(1, SIZE - 1));

  private SemaphoreRules() {}

  @Rule(
      value = "C1",
      check =
          "that an attempt counts units, not holders, and takes its own in the same atomic step",
      neighbours = Neighbours.FEW)
  public static void noMorePermitsAreHeldThanThereAre(RuleRun run) throws Exception {
    Duration time = Duration.ofMillis(run.amount(1_500, 5_000, 30_000));
    List<Hold> holds = CountedContention.run(run, PARTS, time);
    run.judge(History.ofUnits(holds), "the permits held are not more than there are");
    run.note(holds.size() + " holds of 1 to 4 permits, never more at once than there were");
  }

  @Rule(
      value = "C2",
      check = "what the history shows: who held how many permits at once, and after which fault",
      neighbours = Neighbours.NONE,
      limit = 150,
      needs = TckFault.CONNECTION)
  public static void permitsAreCountedWhenClientsFail(RuleRun run) throws Exception {
    Duration time = Duration.ofMillis(run.amount(2_500, 15_000, 45_000));
    List<Hold> holds = FaultyContention.run(run, time, PARTS);
    run.judge(
        History.ofUnits(holds), "the permits held are not more than there are, when clients fail");
    run.note(holds.size() + " holds of 1 to 4 permits between the faults");
  }

  @Rule(value = "C1", check = "that nobody is kept out while enough permits are free")
  public static void permitsThatAreFreeAreGiven(RuleRun run) throws Exception {
    String name = run.name();
    expectExactly(run, name, SIZE, "of a new semaphore");
    LockRequest three = Leases.fixed(run, name, 20_000).permits(3, SIZE);
    try (Lease held = run.client().acquire(three)) {
      expectExactly(run, name, 1, "beside " + held.name() + " with three");
    }
    expectExactly(run, name, SIZE, "after a release");
  }

  /** Takes permits one by one until there are no more, and gives them back. */
  private static void expectExactly(RuleRun run, String name, int free, String when) {
    List<LockClient> clients = List.of(run.client(), run.client());
    List<Lease> taken = new ArrayList<>();
    RuleRun.WhileHeld<RuntimeException> asManyAreTaken = () -> {
      for (int i = 0; i <= SIZE; i++) {
        LockRequest one = Leases.once(run, name, 20_000).permits(1, SIZE);
        clients.get(i % 2).tryAcquire(one).ifPresent(taken::add);
      }
      return taken.size() == free;
    };
    String expected = free + " permits can be taken " + when;
    if (free == SIZE) {
      // Nobody holds any, so it rests on no lease.
      run.expect(asManyAreTaken.look(), expected, taken.size() + " could be taken");
    } else {
      run.expectWhileHeld(name, asManyAreTaken, expected, () -> taken.size() + " could be taken");
    }
    taken.forEach(Lease::release);
  }

  @Rule(value = "C2", check = "that permits have a lease and are not a number", timed = true)
  public static void permitsOfADeadJvmComeBack(RuleRun run) throws Exception {
    String name = run.name();
    LockRequest three = Leases.once(run, name, 1_200).permits(3, SIZE);
    if (run.oneJvm()) {
      run.client().acquire(three);
    } else {
      long lease = run.ms(1_200).toNanos();
      ProcessWorker dying = run.ownWorker();
      dying.run(space -> take(space, name, lease));
      dying.kill();
      run.fault("kill -9 of a client with permits");
    }
    if (run.has(Capability.RENEWABLE)) {
      Lease other = run.client().acquire(Leases.once(run, name, 20_000).permits(1, SIZE));
      run.expect(other.extend(run.ms(20_000)), "a permit's lease is extended", "it is not");
      other.release();
    }
    CompletableFuture<Lease> all = run.client()
        .acquireAsync(Leases.fixed(run, name, 20_000).withWait(run.ms(10_000)).permits(SIZE, SIZE));
    long start = System.nanoTime();
    run.await(run.pastLease(1_200, 1_000), "all permits are given to one who waits", all::isDone);
    run.note("permits came back after " + RuleRun.since(start).toMillis() + " ms");
    all.get().release();
    expectExactly(run, name, SIZE, "after permits came back");
  }

  public static void take(WorkerSpace space, String name, long lease) throws InterruptedException {
    LockRequest three = LockRequest.of(name).permits(3, SIZE);
    space.keep("permits", space.client().acquire(three.withLease(Duration.ofNanos(lease))));
  }

  @Rule(value = "C2", check = "that a release names its hold: one that is not there gives nothing")
  public static void noPermitComesBackTwice(RuleRun run) throws Exception {
    DirectBackend direct = run.direct();
    String name = run.name();
    HoldId two = direct.newId();
    HoldId one = direct.newId();
    grant(run, direct, name, two, 2);
    grant(run, direct, name, two, 2);
    grant(run, direct, name, one, 1);
    expectExactly(run, name, 1, "beside three, whose attempt was repeated");
    run.expectWhileHeld(name, () -> direct.release(name, two), "a release is known", "it is not");
    run.expect(!direct.release(name, two), "its repetition is not", "it is");
    direct.abandon(name, two);
    direct.abandon(name, direct.newId());
    expectExactly(run, name, 3, "beside one, after a release that was repeated");
    direct.release(name, one);
    run.fault("attempts and releases sent twice");
  }

  private static void grant(RuleRun run, DirectBackend direct, String name, HoldId id, int units) {
    Attempt attempt =
        Attempt.of(name, id, "tck", run.ms(20_000)).withFair(true).withUnits(units, SIZE);
    run.expect(
        direct.attempt(attempt) instanceof Grant, "free permits are granted", "they are not");
  }

  @Rule(
      value = "C3",
      check = "that the first waits until it fits, and nobody passes it",
      timed = true)
  public static void aLargeRequestIsNotPassed(RuleRun run) throws Exception {
    String name = run.name();
    List<LockClient> clients = List.of(run.client(), run.client());
    LockClient observer = run.client();
    LockRequest request = Queues.request(run, name);
    Lease held = run.client().acquire(request.permits(2, SIZE));
    Lease third = run.client().acquire(request.permits(1, SIZE));
    List<CompletableFuture<Lease>> queue = new ArrayList<>();
    for (int permits : new int[] {SIZE, 1, 2, 3}) {
      queue.add(Queues.enter(run, clients, observer, request.permits(permits, SIZE), queue.size()));
    }
    run.expect(
        observer.tryAcquire(Leases.once(run, name, 1_000).permits(1, SIZE)).isEmpty(),
        "a small request that comes while a large one waits is kept out",
        "it entered before it");
    run.expect(
        queue.stream().noneMatch(CompletableFuture::isDone), "all four wait", "one was served");
    // Now there is room for all but the first.
    third.release();
    RuleRun.pause(run.ms(100));
    run.expectWhileHeld(
        name,
        () -> queue.stream().noneMatch(CompletableFuture::isDone),
        "all four wait, for what a release gave back is not enough for the first",
        "one was served");
    held.release();
    Queues.expectServed(run, queue.get(0), "the request for all permits, which came first");
    RuleRun.pause(run.ms(100));
    run.expect(
        queue.stream().filter(CompletableFuture::isDone).count() == 1,
        "the others wait for it",
        "one was served beside it");
    queue.get(0).get().release();
    Queues.expectServed(run, queue.get(1), "the one for one permit");
    Queues.expectServed(run, queue.get(2), "the one for two permits, which fits beside it");
    run.expect(!queue.get(3).isDone(), "the one for three does not fit yet", "it was served");
    queue.get(1).get().release();
    queue.get(2).get().release();
    Queues.expectServed(run, queue.get(3), "the one for three permits");
    queue.get(3).get().release();
    run.note("requests for 4, 1, 2 and 3 permits of 4 were served in order");
  }

  @Rule(value = "C4", check = "that the smallest size that it and the holders name is what counts")
  public static void aNewSizeIsKeptByThoseWhoNameIt(RuleRun run) throws Exception {
    String name = run.name();
    DistributedSemaphore before = run.client().semaphore(name, SIZE);
    DistributedSemaphore after = run.client().semaphore(name, 2);
    List<Lease> old = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      old.add(granted(run, before, "one of four permits"));
    }
    refused(run, after, "of two while three are held");
    old.remove(0).release();
    refused(run, after, "of two while two are held");
    old.remove(0).release();
    Lease shrunk = granted(run, after, "one of two permits while one is held");
    refused(run, before, "of four beside one who counts on two, and another");
    old.remove(0).release();
    shrunk.release();
    // Nothing of the smaller size is left, neither while others hold permits nor later.
    Lease last = granted(run, before, "one of four permits of a free semaphore");
    expectExactly(run, name, SIZE - 1, "beside one of four, when nobody counts on two any more");
    last.release();
    expectExactly(run, name, SIZE, "when nobody counts on two any more");
    run.note("a semaphore of four became one of two while three were held");
  }

  @Rule(value = "C4", check = "that a renewal keeps the size that a holder named")
  public static void theSizeOutlivesARenewal(RuleRun run) throws Exception {
    if (!run.has(Capability.RENEWABLE)) {
      return;
    }
    LockRequest request = Leases.once(run, run.name(), 20_000);
    LockClient other = run.client();
    Lease half = Leases.expectGiven(run, run.client(), request.permits(1, 2), "one of two");
    run.expectWhileHeld(
        request.name(), () -> half.extend(run.ms(20_000)), "a permit is extended", "it is not");
    run.expectWhileHeld(
        request.name(),
        () -> other.tryAcquire(request.permits(2, SIZE)).isEmpty(),
        "two of four are refused beside one who counts on two, and was renewed",
        "they were given");
    Leases.expectGiven(run, other, request.permits(1, SIZE), "the other one of two")
        .release();
    half.release();
  }

  @Rule(
      value = "C3",
      check = "that the end of a wait serves those who waited behind it",
      timed = true)
  public static void whoeverStoodBehindALargeRequestThatLeftComesIn(RuleRun run) throws Exception {
    String name = run.name();
    LockClient observer = run.client();
    LockRequest request = Queues.request(run, name);
    Lease held = run.client().acquire(Leases.fixed(run, name, 60_000).permits(2, SIZE));
    CompletableFuture<Lease> large =
        Queues.enter(run, List.of(run.client()), observer, request.permits(SIZE, SIZE), 0);
    CompletableFuture<Lease> small =
        Queues.enter(run, List.of(run.client()), observer, request.permits(1, SIZE), 1);
    run.expect(!small.isDone(), "who asks for one waits behind who asks for all", "it was served");
    large.cancel(true);
    Queues.expectServed(run, small, "one for a permit, behind one for all who gave up,");
    small.get().release();
    held.release();
    run.expectFree(observer, name, run.limit(1_000), "after both");
  }

  private static Lease granted(RuleRun run, DistributedSemaphore semaphore, String what) {
    Optional<Lease> lease = semaphore.tryAcquire();
    run.expect(lease.isPresent(), what + " can be taken", "it cannot");
    return lease.orElseThrow();
  }

  private static void refused(RuleRun run, DistributedSemaphore semaphore, String what) {
    run.expect(
        semaphore.tryAcquire().isEmpty(), "no permit " + what + " can be taken", "one was taken");
  }

  @Rule(value = "C1", check = "that a renewal changes nothing but the lease")
  public static void renewedPermitsAreCountedToo(RuleRun run) throws Exception {
    if (!run.has(Capability.RENEWABLE)) {
      return;
    }
    LockRequest request = Leases.once(run, run.name(), 20_000);
    LockClient other = run.client();
    Lease three = run.client().acquire(request.permits(3, 4).withWait(run.limit(3_000)));
    for (int i = 0; i < 2; i++) {
      run.expectWhileHeld(
          request.name(),
          () -> three.extend(run.ms(20_000)),
          "permits' lease is extended",
          "it is not");
      run.expectWhileHeld(
          request.name(),
          () -> other.tryAcquire(request.permits(2, 4)).isEmpty(),
          "two permits of four are refused beside three that were renewed",
          "they were given");
    }
    Lease last = Leases.expectGiven(run, other, request.permits(1, 4), "the fourth permit");
    three.release();
    Leases.expectGiven(run, other, request.permits(3, 4), "three permits that came back")
        .release();
    last.release();
  }

  @Rule(value = "C2", check = "that each hold of permits has a lease of its own", timed = true)
  public static void expiredPermitsTakeNoOthersAlong(RuleRun run) throws Exception {
    LockRequest request = Leases.once(run, run.name(), 30_000);
    LockClient client = run.client();
    LockClient other = run.client();
    Lease before = Leases.expectGiven(run, client, request.permits(1, 3), "one of three permits");
    DirectBackend direct = run.direct();
    HoldId late = direct.newId();
    Attempt brief = Attempt.of(request.name(), late, "tck", run.ms(1_200)).withFair(true);
    direct.acquire(brief.withUnits(1, 3), run.limit(3_000));
    long start = System.nanoTime();
    Lease after =
        Leases.expectGiven(run, other, request.permits(1, 3), "the last of three permits");
    RuleRun.pause(run.expiry(1_200).minus(RuleRun.since(start)));
    run.expectWhileHeld(
        request.name(),
        () -> other.tryAcquire(request.permits(2, 3)).isEmpty(),
        "two of three permits are refused while one expired and two are held",
        "they were given");
    Lease again = Leases.expectGiven(run, other, request.permits(1, 3), "the permit that expired");
    run.expect(!direct.release(request.name(), late), "a late release is told so", "it is not");
    direct.abandon(request.name(), late);
    run.expectWhileHeld(
        request.name(),
        () -> client.tryAcquire(request.permits(1, 3)).isEmpty(),
        "a permit that expired and was given to another does not come back a second time",
        "it was given again after its first holder's release");
    before.release();
    after.release();
    again.release();
    run.expectFree(client, request.name(), run.limit(1_000), "after three releases");
  }
}
