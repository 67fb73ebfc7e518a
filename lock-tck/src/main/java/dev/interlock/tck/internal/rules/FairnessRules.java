package dev.interlock.tck.internal.rules;

import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import dev.interlock.tck.internal.worker.EventCounter;
import dev.interlock.tck.internal.worker.ProcessWorker;
import dev.interlock.tck.internal.worker.Worker;
import dev.interlock.tck.internal.worker.WorkerPool;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Group F. */
public final class FairnessRules {
  private static final int WAITERS = 6;

  /** One request: when it was made, when it surely stood in the queue, when it had the lock. */
  public record Turn(String who, long asked, long queued, long acquired) implements Serializable {}

  private FairnessRules() {}

  @Rule(value = "F1", check = "that the queue is on the server and has one order for all clients")
  public static void theEarlierWaiterAcquiresFirst(RuleRun run) throws Exception {
    for (int round = 0; round < run.amount(2, 5, 20); round++) {
      String name = run.name();
      LockClient observer = run.client();
      Lease held = run.client().acquire(fair(run, name));
      List<Worker> workers = new ArrayList<>();
      List<CompletableFuture<Long>> turns = new ArrayList<>();
      long wait = run.ms(20_000).toNanos();
      for (int i = 0; i < WAITERS; i++) {
        Worker worker = run.worker();
        workers.add(worker);
        turns.add(worker.start(1, space -> takeTurn(space, name, wait)));
        awaitQueued(run, observer, name, i + 1);
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

  private static void awaitQueued(RuleRun run, LockClient observer, String name, int waiters)
      throws Exception {
    run.await(
        run.ms(5_000),
        "the server knows of " + waiters + " waiting clients",
        () -> observer.inspect(name).map(HoldInfo::waiters).orElse(0) >= waiters);
  }

  @Rule(value = "F2", check = "who may take a lock that is free while others wait", alone = true)
  public static void nobodyIsOvertaken(RuleRun run) throws Exception {
    String name = run.name();
    long time = Duration.ofMillis(run.amount(2_000, 6_000, 60_000)).toNanos();
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

  @Rule(value = "F3", check = "whether anything bounds the queue", alone = true)
  public static void fiveHundredWaitersAcquireInOrder(RuleRun run) throws Exception {
    int groups = 10;
    int each = 50;
    String name = run.name();
    Lease held = run.client().acquire(fair(run, name));
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<CompletableFuture<Void>> done = new ArrayList<>();
    for (int group = 0; group < groups; group++) {
      int mine = group;
      EventCounter events = new EventCounter();
      LockClient client = run.client(events);
      for (int i = 0; i < each; i++) {
        done.add(client.acquireAsync(fair(run, name).withWait(run.ms(60_000))).thenAccept(lease -> {
          order.add(mine);
          lease.release();
        }));
      }
      run.await(run.ms(10_000), "50 requests wait", () -> events.waitingCount() >= each);
      RuleRun.pause(run.ms(100));
    }
    long start = System.nanoTime();
    held.release();
    CompletableFuture.allOf(done.toArray(new CompletableFuture<?>[0])).get(50, TimeUnit.SECONDS);
    long took = System.nanoTime() - start;
    for (int i = 0; i < order.size(); i++) {
      run.expect(
          order.get(i) == i / each,
          "place " + i + " belongs to group " + i / each,
          "group " + order.get(i) + " had it");
    }
    run.note("500 waiters were served in order within " + took / 1_000_000 + " ms");
  }

  @Rule(value = "F4", check = "how entries of waiters who have left are removed or passed over")
  public static void waitersWhoHaveLeftAreSkipped(RuleRun run) throws Exception {
    String name = run.name();
    LockClient observer = run.client();
    Lease held = run.client().acquire(fair(run, name));
    long wait = run.ms(20_000).toNanos();
    LockRequest request = fair(run, name).withWait(run.ms(20_000));
    CompletableFuture<Lease> cancelled = run.client().acquireAsync(request);
    awaitQueued(run, observer, name, 1);
    List<CompletableFuture<Long>> turns = new ArrayList<>();
    Worker first = run.worker();
    turns.add(first.start(1, space -> takeTurn(space, name, wait)));
    awaitQueued(run, observer, name, 2);
    Worker dying = run.oneJvm() ? run.worker() : run.ownWorker();
    var unused = dying.start(1, space -> takeTurn(space, name, wait));
    awaitQueued(run, observer, name, 3);
    CompletableFuture<Lease> impatient =
        run.client().acquireAsync(fair(run, name).withWait(run.ms(300)));
    Worker last = run.worker();
    turns.add(last.start(1, space -> takeTurn(space, name, wait)));
    RuleRun.pause(run.ms(500));
    leave(run, dying, cancelled);
    run.expect(impatient.isDone(), "a wait of 300 ms is over", "it is not");
    long released = System.nanoTime();
    held.release();
    long firstAt = first.result(turns.get(0));
    long lastAt = last.result(turns.get(1));
    run.expect(
        firstAt < lastAt && lastAt - released <= run.ms(3_000).toNanos(),
        "those who stayed are served in order, within 3 s of the release",
        "after %d and %d ms"
            .formatted((firstAt - released) / 1_000_000, (lastAt - released) / 1_000_000));
    run.note("the last waiter had it " + (lastAt - released) / 1_000_000 + " ms after the release");
  }

  @Rule(
      value = "F5",
      check = "that a client which comes back after a cut keeps its queue entries alive",
      needs = TckFault.CONNECTION)
  public static void aWaiterKeepsItsPlaceThroughAReconnect(RuleRun run) throws Exception {
    FaultProxy proxy = run.proxy();
    LockClient cut = run.client(proxy);
    LockClient observer = run.client();
    for (int round = 0; round < run.amount(1, 6, 20); round++) {
      String name = run.name();
      Lease held = observer.acquire(fair(run, name));
      LockRequest request = fair(run, name).withWait(run.ms(20_000));
      List<String> order = new CopyOnWriteArrayList<>();
      List<CompletableFuture<Void>> waits = new ArrayList<>();
      waits.add(enter(cut, request, "the first waiter, whose connections were cut", order));
      awaitQueued(run, observer, name, 1);
      waits.add(enter(run.client(), request, "the second waiter", order));
      awaitQueued(run, observer, name, 2);
      run.requireHit(proxy.cut(), "all connections of a waiting client cut");
      RuleRun.pause(run.ms(1_000));
      held.release();
      CompletableFuture.allOf(waits.toArray(new CompletableFuture<?>[0]))
          .get(run.ms(20_000).toMillis(), TimeUnit.MILLISECONDS);
      run.expect(
          order.get(0).startsWith("the first"),
          "the first waiter acquires first, though its connections were cut for a moment",
          order.get(0) + " was first");
    }
    run.note("a waiter that was cut off for a moment kept its place");
  }

  private static CompletableFuture<Void> enter(
      LockClient client, LockRequest request, String who, List<String> order) {
    return client.acquireAsync(request).thenAccept(lease -> {
      order.add(who);
      Leases.release(lease);
    });
  }

  private static void leave(RuleRun run, Worker dying, CompletableFuture<Lease> cancelled) {
    cancelled.cancel(true);
    if (dying instanceof ProcessWorker process) {
      process.kill();
      run.fault("kill -9 of a waiting client");
    } else {
      dying.close();
      run.fault("closing of a waiting client");
    }
  }

  private static LockRequest fair(RuleRun run, String name) {
    return Leases.fixed(run, name, 30_000).fair(true);
  }
}
