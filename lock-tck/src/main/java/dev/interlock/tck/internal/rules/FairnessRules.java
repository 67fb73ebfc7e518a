package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import dev.interlock.tck.internal.worker.EventCounter;
import dev.interlock.tck.internal.worker.Worker;
import dev.interlock.tck.internal.worker.WorkerPool;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Rules F1, F2 and F3. */
public final class FairnessRules {
  private static final int WAITERS = 6;
  private static final int QUEUEING_CLIENTS = 5;
  private static final int LONG_QUEUE = 25;
  private static final int PATIENT = 4;

  /** Fewer turns after a wait in the queue say nothing about overtaking. */
  private static final int LEAST_WAITED = 10;

  /** One request: when it was made, when it surely stood in the queue, when it had the lock. */
  public record Turn(String who, long asked, long queued, long acquired) implements Serializable {}

  private FairnessRules() {}

  @Rule(
      value = "F1",
      check = "that the queue is on the server and has one order for all clients",
      timed = true)
  public static void theEarlierWaiterAcquiresFirst(RuleRun run) throws Exception {
    LockClient holder = run.client();
    LockClient observer = run.client();
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < WAITERS; i++) {
      workers.add(run.worker());
    }
    for (int round = 0; round < run.amount(2, 5, 20); round++) {
      String name = run.name();
      Lease held = holder.acquire(fair(run, name));
      List<CompletableFuture<Long>> turns = new ArrayList<>();
      long wait = run.ms(20_000).toNanos();
      for (int i = 0; i < WAITERS; i++) {
        turns.add(workers.get(i).start(1, space -> takeTurn(space, name, wait)));
        Queues.awaitQueued(run, observer, name, i + 1);
      }
      held.release();
      long before = 0;
      for (int i = 0; i < WAITERS; i++) {
        long at = workers.get(i).result(turns.get(i));
        run.expect(
            at > before,
            "waiter " + (i + 1) + " of " + WAITERS + " acquires after waiter " + i,
            "it acquired before it");
        before = at;
      }
    }
    run.note(WAITERS + " waiters of as many clients were served in the order of their arrival");
  }

  @Rule(
      value = "F1",
      check = "that a waiter is looked up by all of its identity, not by a part",
      timed = true)
  public static void ownersWhoseNamesContainEachOtherKeepTheirPlaces(RuleRun run) throws Exception {
    String name = run.name();
    LockClient observer = run.client();
    List<LockClient> clients = List.of(run.client(), run.client());
    Lease held = observer.acquire(fair(run, name));
    // Also those that an entry might not be told from its other parts by, if it is one text.
    List<String> owners = List.of(
        "tck-11",
        "tck-1",
        "tck-111",
        "k-1",
        "tck-12",
        "tck,1",
        "tck:1:2",
        "tck|1",
        "tck 1\n",
        "tck\"'\u00e9");
    List<String> order = new CopyOnWriteArrayList<>();
    List<CompletableFuture<Void>> waits = new ArrayList<>();
    LockRequest request = fair(run, name).withWait(run.ms(20_000));
    for (String owner : owners) {
      LockClient client = clients.get(waits.size() % clients.size());
      waits.add(enter(client, request.withOwner(owner), owner, order));
      Queues.awaitQueued(run, observer, name, waits.size());
    }
    held.release();
    CompletableFuture.allOf(waits.toArray(new CompletableFuture<?>[0]))
        .get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS);
    run.expect(order.equals(owners), "owners acquire in the order " + owners, "it was " + order);
  }

  @Rule(
      value = "F1",
      check = "whether a place in the queue ends before its wait, though it is renewed",
      timed = true,
      limit = 120)
  public static void aPlaceLastsAsLongAsItsWait(RuleRun run) throws Exception {
    String name = run.name();
    LockClient observer = run.client();
    List<LockClient> clients = List.of(run.client(), run.client());
    LockRequest patient = LockRequest.of(name)
        .withLease(Duration.ofMinutes(5))
        .withWait(Duration.ofMinutes(5))
        .fair(true);
    Lease held = run.client().acquire(patient);
    List<String> order = new CopyOnWriteArrayList<>();
    List<String> expected = new ArrayList<>();
    List<CompletableFuture<Void>> waits = new ArrayList<>();
    for (int i = 0; i < PATIENT; i++) {
      String who = "waiter " + i;
      expected.add(who);
      waits.add(enter(clients.get(i % clients.size()), patient, who, order));
      Queues.awaitQueued(run, observer, name, i + 1);
      // Not stretched: what ends a place does not stretch either.
      RuleRun.pause(Duration.ofMillis(run.amount(5_300, 5_300, 9_000)));
    }
    held.release();
    CompletableFuture.allOf(waits.toArray(new CompletableFuture<?>[0]))
        .get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS);
    run.expect(
        order.equals(expected),
        "those who came first acquire first, however long they have waited",
        "" + order);
    run.note(PATIENT + " waiters, who came one after the other over some time, kept their order");
  }

  /** How a hold ends before which others queue up. */
  private interface Ending {
    void end(LockClient holder, Lease held, LockClient other) throws Exception;
  }

  @Rule(
      value = "F1",
      check = "whether the order depends on how many wait, or on how the hold before them ended",
      timed = true)
  public static void theOrderIsThatOfArrivalHoweverTheHoldEnds(RuleRun run) throws Exception {
    Map<String, Ending> endings = new LinkedHashMap<>();
    endings.put("a release", (holder, held, other) -> held.release());
    endings.put("an expiry", (holder, held, other) -> {});
    endings.put("a forced release", (holder, held, other) -> other.forceRelease(held.name()));
    endings.put("the end of its client", (holder, held, other) -> holder.close());
    List<EventCounter> events = new ArrayList<>();
    List<LockClient> clients = new ArrayList<>();
    for (int i = 0; i < QUEUEING_CLIENTS; i++) {
      events.add(new EventCounter());
      clients.add(run.client(events.get(i)));
    }
    for (Map.Entry<String, Ending> ending : endings.entrySet()) {
      String name = run.name();
      LockClient holder = run.client();
      boolean expires = ending.getKey().equals("an expiry");
      int waiters = expires ? QUEUEING_CLIENTS : LONG_QUEUE;
      Lease held = holder.acquire(fair(run, name).withLease(run.ms(expires ? 1_500 : 30_000)));
      // How quickly a lock goes from hand to hand is no matter of this rule.
      LockRequest patient = fair(run, name).withWait(run.ms(20_000));
      List<UnaryOperator<LockRequest>> kinds = alone(run);
      List<Integer> order = new CopyOnWriteArrayList<>();
      List<Integer> expected = new ArrayList<>();
      List<CompletableFuture<Void>> waits = new ArrayList<>();
      for (int i = 0; i < waiters; i++) {
        int place = i;
        int client = i % QUEUEING_CLIENTS;
        int before = events.get(client).waitingCount();
        LockRequest request = kinds.get(i % kinds.size()).apply(patient);
        request = request.owner().isPresent() ? request.withOwner("tck-" + i) : request;
        waits.add(clients.get(client).acquireAsync(request).thenAccept(lease -> {
          order.add(place);
          Leases.release(lease);
        }));
        run.await(
            run.limit(5_000),
            "a request waits",
            () -> events.get(client).waitingCount() > before || waits.get(place).isDone());
        expected.add(place);
      }
      if (expires && !held.isValid()) {
        run.note("on this machine a lease of 1.5 s was over before all waited");
        continue;
      }
      ending.getValue().end(holder, held, run.client());
      CompletableFuture.allOf(waits.toArray(new CompletableFuture<?>[0]))
          .get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS);
      run.expect(
          order.equals(expected),
          waiters + " waiters acquire in the order of their arrival after " + ending.getKey(),
          "" + order);
    }
    run.note(LONG_QUEUE + " waiters were served in order after release, force and close, and "
        + QUEUEING_CLIENTS + " after an expiry");
  }

  /** Requests that keep the order, and let nobody in beside them. */
  private static List<UnaryOperator<LockRequest>> alone(RuleRun run) {
    List<UnaryOperator<LockRequest>> alone = new ArrayList<>();
    if (run.has(Capability.PERMITS)) {
      alone.add(request -> request.permits(2, 2));
    }
    alone.add(request -> request);
    if (run.has(Capability.SHARED_OWNER)) {
      alone.add(request -> request.withOwner(SharedOwnerRules.OWNER));
    }
    return alone;
  }

  /** A client passes a lock that it renews on to its waiters who stand directly behind. */
  @Rule(
      value = "F1",
      check = "whether a client passes the lock on over those of others who stand between",
      timed = true)
  public static void aClientDoesNotPassTheLockOverOthers(RuleRun run) throws Exception {
    LockClient observer = run.client();
    LockClient twice = run.client();
    List<LockClient> clients = List.of(twice, run.client(), twice);
    for (UnaryOperator<LockRequest> kind : alone(run)) {
      String name = run.name();
      LockRequest patient = kind.apply(fair(run, name).withWait(run.ms(20_000)));
      Lease held = observer.acquire(fair(run, name));
      List<Integer> order = new CopyOnWriteArrayList<>();
      List<CompletableFuture<Void>> waits = new ArrayList<>();
      for (int i = 0; i < clients.size(); i++) {
        int place = i;
        LockRequest request =
            patient.owner().isPresent() ? patient.withOwner("tck-" + place) : patient;
        request = run.has(Capability.RENEWABLE) ? request.renewing() : request;
        waits.add(clients.get(i).acquireAsync(request).thenAccept(lease -> {
          order.add(place);
          Leases.release(lease);
        }));
        Queues.awaitQueued(run, observer, name, i + 1);
      }
      held.release();
      CompletableFuture.allOf(waits.toArray(new CompletableFuture<?>[0]))
          .get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS);
      run.expect(
          order.equals(List.of(0, 1, 2)),
          "one of another client who stands between two of a client acquires between them",
          "the order was " + order);
    }
    run.note("a client passed the lock over nobody of another one");
  }

  public static long takeTurn(WorkerSpace space, String name, long wait)
      throws InterruptedException {
    LockRequest request = LockRequest.of(name)
        .withLease(Duration.ofNanos(wait))
        .withWait(Duration.ofNanos(wait))
        .fair(true);
    try (Lease lease = space.client().acquire(request)) {
      return System.nanoTime();
    }
  }

  @Rule(
      value = "F2",
      check = "who may take a lock that is free while others wait",
      neighbours = Neighbours.NONE,
      timed = true)
  public static void nobodyIsOvertaken(RuleRun run) throws Exception {
    String name = run.name();
    long time = Duration.ofMillis(run.amount(2_000, 6_000, 30_000)).toNanos();
    List<Worker> workers = new ArrayList<>();
    List<CompletableFuture<List<Turn>>> histories = new ArrayList<>();
    for (int w = 0; w < WorkerPool.SHARED; w++) {
      Worker worker = run.worker();
      for (int t = 0; t < 5; t++) {
        workers.add(worker);
        histories.add(worker.start(t, space -> askAgainAndAgain(space, name, time)));
      }
    }
    List<Turn> turns = new ArrayList<>();
    for (int i = 0; i < workers.size(); i++) {
      turns.addAll(workers.get(i).result(histories.get(i)));
    }
    turns.sort(Comparator.comparingLong(Turn::acquired));
    run.count(turns.size());
    Turn latest = turns.get(0);
    for (Turn turn : turns) {
      if (latest.asked() > turn.queued()) {
        throw new RuleViolation(
            "who asks while another stands in the queue acquires after it",
            latest.who() + " overtook " + turn.who(),
            overtaking(turn, latest));
      }
      latest = turn.asked() > latest.asked() ? turn : latest;
    }
    long waited = turns.stream().filter(turn -> turn.queued() < turn.acquired()).count();
    RuleRun.requireEnough(waited, LEAST_WAITED, "turns are known to have stood in the queue");
    run.note(turns.size() + " turns, " + waited + " of them after standing in the queue,"
        + " no overtakes");
  }

  private static List<String> overtaking(Turn first, Turn second) {
    return List.of(
        "%s stood in the queue at 0 us".formatted(first.who()),
        "%s asked at %d us".formatted(second.who(), micros(first, second.asked())),
        "%s acquired at %d us".formatted(second.who(), micros(first, second.acquired())),
        "%s acquired at %d us".formatted(first.who(), micros(first, first.acquired())));
  }

  private static long micros(Turn origin, long at) {
    return (at - origin.queued()) / 1_000;
  }

  public static List<Turn> askAgainAndAgain(WorkerSpace space, String name, long time)
      throws InterruptedException {
    List<Turn> turns = new ArrayList<>();
    String who = Thread.currentThread().getName();
    long end = System.nanoTime() + time;
    LockRequest request = LockRequest.of(name)
        .withLease(Duration.ofSeconds(20))
        .withWait(Duration.ofSeconds(20))
        .fair(true);
    while (System.nanoTime() - end < 0) {
      int errors = space.events().errorCount();
      long asked = System.nanoTime();
      try (Lease lease = space.client().acquire(request)) {
        long acquired = System.nanoTime();
        // A request that met an error, or did not wait, is not known to have stood in the queue.
        boolean calm = space.events().errorCount() == errors;
        long queued = calm ? space.events().waitingSince(asked).orElse(acquired) : acquired;
        turns.add(new Turn(who, asked, queued, acquired));
        RuleRun.pause(Duration.ofMillis(12));
      }
    }
    return turns;
  }

  @Rule(
      value = "F3",
      check = "whether anything bounds the queue",
      neighbours = Neighbours.NONE,
      timed = true)
  public static void fiveHundredWaitersAcquireInOrder(RuleRun run) throws Exception {
    // Each of a client of its own: what bounds the queue may bound the clients in it.
    int groups = 20;
    int each = 25;
    String name = run.name();
    Lease held = run.client().acquire(fair(run, name));
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<CompletableFuture<Void>> done = new ArrayList<>();
    for (int group = 0; group < groups; group++) {
      int mine = group;
      EventCounter events = new EventCounter();
      LockClient client = run.client(events);
      for (int i = 0; i < each; i++) {
        LockRequest patient = fair(run, name).withWait(run.limit(60_000));
        done.add(client.acquireAsync(patient).thenAccept(lease -> {
          order.add(mine);
          lease.release();
        }));
      }
      run.await(run.limit(10_000), each + " requests wait", () -> events.waitingCount() >= each);
      RuleRun.pause(run.ms(50));
    }
    long start = System.nanoTime();
    held.release();
    CompletableFuture.allOf(done.toArray(new CompletableFuture<?>[0]))
        .get(run.limit(50_000).toMillis(), TimeUnit.MILLISECONDS);
    long took = System.nanoTime() - start;
    for (int i = 0; i < order.size(); i++) {
      run.expect(
          order.get(i) == i / each,
          "place " + i + " belongs to group " + i / each,
          "group " + order.get(i) + " had it");
    }
    run.note("500 waiters were served in order within " + took / 1_000_000 + " ms");
  }

  static CompletableFuture<Void> enter(
      LockClient client, LockRequest request, String who, List<String> order) {
    return client.acquireAsync(request).thenAccept(lease -> {
      order.add(who);
      Leases.release(lease);
    });
  }

  static LockRequest fair(RuleRun run, String name) {
    return Leases.fixed(run, name, 30_000).fair(true);
  }
}
