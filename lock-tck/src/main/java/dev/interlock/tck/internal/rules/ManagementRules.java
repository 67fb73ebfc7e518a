package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LeaseSet;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.tck.internal.history.History;
import dev.interlock.tck.internal.history.Hold;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.NotReached;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.worker.Worker;
import dev.interlock.tck.internal.worker.WorkerPool;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/** Rules M3 and M5. */
public final class ManagementRules {
  private static final int MANY_NAMES = 10_000;
  private static final long BOUNDED = 1_000;
  private static final long BYTES_FOR_EACH_NAME = 100;
  // More than what other rules have at the same time, now and then.
  private static final int LEFTOVERS = 250;
  // Of each way to end, so that what one of them leaves is more than half of those.
  private static final int OF_EACH = 200;
  private static final int LEAVERS = 10;
  private static final int CLIENTS = 24;
  private static final int TAKERS = 2;

  /** For so long, in milliseconds, what is over may be kept. */
  static final long TIDY_LIMIT = 6_000;

  private ManagementRules() {}

  @Rule(
      value = "M3",
      check = "which keys or rows are made for a name and never removed",
      neighbours = Neighbours.FEW,
      timed = true,
      limit = 120)
  public static void nothingGrowsWithNames(RuleRun run) throws Exception {
    Optional<LongSupplier> counter = run.backend().counter();
    if (counter.isPresent()) {
      LockClient client = run.client();
      useNames(client, run.name(), 100);
      long before = before(run, client, counter.get(), "before 10,000 names");
      useNames(client, run.name(), MANY_NAMES);
      long more = counter.get().getAsLong() - before;
      run.expect(
          more <= BOUNDED,
          "after 10,000 names there are at most " + BOUNDED + " more entries",
          "there are " + more + " more");
      run.note("10,000 names left " + more + " more entries on the server");
      expectNoLeftovers(run, client, counter.get());
    } else if (run.oneJvm()) {
      String name = run.name();
      long bytes = run.freshWorker().call(space -> heapGrowth(space, name));
      run.expect(
          bytes <= MANY_NAMES * BYTES_FOR_EACH_NAME,
          "after 10,000 names the heap is at most 1 MB larger",
          "it is " + bytes / 1_024 + " KB larger");
      run.note("10,000 names changed the heap by " + bytes / 1_024 + " KB");
    } else {
      throw NotReached.forWantOf(
          "a count of what the server keeps: give TckBackend.countWith(...)");
    }
    run.count(2L * MANY_NAMES);
  }

  /**
   * Counts what there is. At a second try, what the first one left may be tidied up yet; counted as
   * there before, it would hide as much as is left by this one.
   */
  private static long before(RuleRun run, LockClient client, LongSupplier counter, String when)
      throws Exception {
    long end = System.nanoTime() + run.pastLease(0, TIDY_LIMIT).toNanos();
    long now = counter.getAsLong();
    while (now > run.least(when, now) + LEFTOVERS / 2 && System.nanoTime() - end < 0) {
      useNames(client, run.name(), LEFTOVERS);
      now = counter.getAsLong();
    }
    return run.least(when, now);
  }

  /** Holds that end otherwise than by a release; the names are never used again. */
  private static void expectNoLeftovers(RuleRun run, LockClient client, LongSupplier counter)
      throws Exception {
    // A client closes in bounded time; each has so few that it can release them all.
    List<LockClient> left = new ArrayList<>();
    for (int i = 0; i < LEAVERS; i++) {
      left.add(run.client());
    }
    Map<String, Endings.Ending> endings = Endings.of(run, client, left);
    long before = before(run, client, counter, "before holds that are left");
    List<String> names = new ArrayList<>();
    try {
      for (Map.Entry<String, Endings.Ending> ending : endings.entrySet()) {
        for (int i = 0; i < OF_EACH; i++) {
          names.add(run.name());
        }
        SideBySide.each(names.subList(names.size() - OF_EACH, names.size()), name -> {
          run.ifOffered(() -> ending.getValue().end(name));
          return name;
        });
      }
    } finally {
      // Also if this fails: a second try would find what they hold.
      SideBySide.each(left, leaving -> {
        leaving.close();
        return leaving;
      });
    }
    expectGone(run, client, counter, before, String.join(", ", endings.keySet()));
    run.note(names.size() + " locks that " + String.join(", ", endings.keySet())
        + " left nothing behind");
  }

  /** A store may tidy up when it is used; so it is, with names that leave nothing. */
  private static void expectGone(
      RuleRun run, LockClient client, LongSupplier counter, long before, String how)
      throws Exception {
    long end = System.nanoTime() + run.pastLease(0, TIDY_LIMIT).toNanos();
    long more = Long.MAX_VALUE;
    while (more > LEFTOVERS / 2) {
      useNames(client, run.name(), LEFTOVERS);
      more = counter.getAsLong() - before;
      run.expect(
          more <= LEFTOVERS / 2 || System.nanoTime() - end < 0,
          "of " + OF_EACH + " locks each that " + how + " hardly any is still kept "
              + TIDY_LIMIT / 1_000 + " s later, while others are used",
          "there are " + more + " more entries");
    }
  }

  @Rule(
      value = "M3",
      check = "what is kept of a client, and is not removed when it closes",
      neighbours = Neighbours.NONE,
      timed = true)
  public static void nothingGrowsWithClients(RuleRun run) throws Exception {
    Optional<LongSupplier> counter = run.backend().counter();
    if (counter.isEmpty()) {
      return; // it is said above what that means
    }
    LockClient client = run.client();
    String used = run.name();
    String awaited = run.name();
    Lease held = client.acquire(Leases.fixed(run, awaited, 60_000));
    useClients(run, 1, used, awaited);
    long before = counter.get().getAsLong();
    useClients(run, CLIENTS, used, awaited);
    long end = System.nanoTime() + run.pastLease(0, TIDY_LIMIT).toNanos();
    long more = counter.get().getAsLong() - before;
    while (more > CLIENTS / 2 && System.nanoTime() - end < 0) {
      useNames(client, run.name(), CLIENTS);
      more = counter.get().getAsLong() - before;
    }
    run.expect(
        more <= CLIENTS / 2,
        "of " + CLIENTS + " clients that were closed nothing is kept " + TIDY_LIMIT / 1_000
            + " s later, while others are used",
        "there are " + more + " more entries");
    held.release();
    run.note(CLIENTS + " clients that were closed left " + more + " more entries");
  }

  /** Clients that have a lock, wait for another one, and close. What names leave is not counted. */
  private static void useClients(RuleRun run, int count, String used, String awaited)
      throws Exception {
    List<Integer> clients = IntStream.range(0, count).boxed().toList();
    SideBySide.each(clients, i -> {
      LockClient client = run.client();
      client.acquire(Leases.fixed(run, used, 60_000).withWait(run.limit(9_000))).release();
      LockRequest vain = Leases.fixed(run, awaited, 60_000).withWait(Duration.ofMillis(20));
      boolean waited = isInVain(client, List.of(vain));
      client.close();
      return waited;
    });
  }

  public static long heapGrowth(WorkerSpace space, String name) throws Exception {
    useNames(space.client(), name + "-first", MANY_NAMES / 5);
    letExpire(space.client(), name + "-expired-first", MANY_NAMES / 10);
    long before = usedHeap();
    useNames(space.client(), name, MANY_NAMES);
    letExpire(space.client(), name + "-expired", MANY_NAMES / 2);
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIDY_LIMIT);
    long growth = usedHeap() - before;
    // A store may tidy up when it is used; and thousands of losses are told one after the other.
    while (growth > MANY_NAMES * BYTES_FOR_EACH_NAME && System.nanoTime() - end < 0) {
      useNames(space.client(), name, MANY_NAMES / 2);
      growth = usedHeap() - before;
    }
    return growth;
  }

  private static void letExpire(LockClient client, String name, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      client.tryAcquire(LockRequest.of(name + "-" + i).withLease(Duration.ofMillis(20)));
    }
    RuleRun.pause(Duration.ofMillis(200));
  }

  private static long usedHeap() throws InterruptedException {
    long used = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      System.gc();
      RuleRun.pause(Duration.ofMillis(20));
      used = Math.min(
          used, Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
    }
    return used;
  }

  private static void useNames(LockClient client, String name, int count) throws Exception {
    ManyUses.of(
        client,
        count,
        i -> LockRequest.of(name + "-" + i)
            .withLease(Duration.ofSeconds(10))
            .withWait(Duration.ofSeconds(10)));
  }

  @Rule(value = "M5", check = "that locks taken before a failure are given back")
  public static void acquireAllTakesAllOrNone(RuleRun run) throws Exception {
    List<String> names = List.of(run.name(), run.name(), run.name());
    LockClient client = run.client();
    LockClient other = run.client();
    Lease blocker = other.acquire(Leases.fixed(run, names.get(1), 20_000));
    List<LockRequest> requests = new ArrayList<>();
    names.forEach(n -> requests.add(Leases.fixed(run, n, 20_000).withWait(run.ms(300))));
    run.expectWhileHeld(
        names.get(1),
        () -> isInVain(client, requests),
        "acquireAll throws LockTimeoutException",
        "it gave leases");
    run.expectFree(other, names.get(0), run.limit(1_000), "after acquireAll failed");
    run.expectFree(other, names.get(2), run.limit(1_000), "after acquireAll failed");
    blocker.release();
    List<LockRequest> patient = new ArrayList<>();
    requests.forEach(request -> patient.add(request.withWait(run.limit(3_000))));
    try (LeaseSet all = client.acquireAll(patient)) {
      List<String> leased = all.leases().stream().map(Lease::name).toList();
      run.expect(leased.equals(names), "acquireAll gives a lease for each request", "" + leased);
      for (String name : names) {
        run.expectHeld(other, name, "while acquireAll holds");
      }
    }
    for (String name : names) {
      run.expectFree(other, name, run.limit(1_000), "after the release of all");
    }
  }

  private static boolean isInVain(LockClient client, List<LockRequest> requests)
      throws InterruptedException {
    try {
      client.acquireAll(requests);
      return false;
    } catch (LockTimeoutException e) {
      return true;
    }
  }

  @Rule(
      value = "M5",
      check = "that locks are taken in one order everywhere",
      neighbours = Neighbours.NONE)
  public static void acquireAllNeverDeadlocks(RuleRun run) throws Exception {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      names.add(run.name());
    }
    // In several tasks, whose ends tell that they go on: a machine that is slow is no deadlock.
    int parts = run.amount(8, 10, 40);
    int rounds = run.amount(40, 150, 1_000) / parts;
    boolean fenced = run.has(Capability.FENCED);
    List<Worker> jvms = new ArrayList<>();
    for (int w = 0; w < WorkerPool.SHARED; w++) {
      jvms.add(run.worker());
    }
    List<Worker> workers = new ArrayList<>();
    List<CompletableFuture<List<Hold>>> histories = new ArrayList<>();
    for (int part = 0; part < parts; part++) {
      for (int t = 0; t < TAKERS * WorkerPool.SHARED; t++) {
        long seed = run.random().nextLong();
        Worker worker = jvms.get(t % WorkerPool.SHARED);
        workers.add(worker);
        histories.add(worker.start(
            t / WorkerPool.SHARED, space -> takeSets(space, names, rounds, seed, fenced)));
      }
    }
    List<Hold> holds = new ArrayList<>();
    for (int i = 0; i < workers.size(); i++) {
      holds.addAll(workers.get(i).result(histories.get(i)));
    }
    run.count(holds.size());
    run.judge(History.ofOverlaps(holds), "leases of acquireAll exclude one another");
    run.note(holds.size() + " holds of random sets in random orders, no deadlock");
  }

  public static List<Hold> takeSets(
      WorkerSpace space, List<String> names, int rounds, long seed, boolean fenced)
      throws InterruptedException {
    Random random = new Random(seed);
    List<Hold> holds = new ArrayList<>();
    String owner = Thread.currentThread().getName();
    for (int i = 0; i < rounds; i++) {
      List<String> shuffled = new ArrayList<>(names);
      Collections.shuffle(shuffled, random);
      List<LockRequest> requests = new ArrayList<>();
      for (String name : shuffled.subList(0, 2 + random.nextInt(2))) {
        requests.add(LockRequest.of(name)
            .withLease(Duration.ofSeconds(30))
            .withWait(Duration.ofSeconds(20)));
      }
      try (LeaseSet all = space.client().acquireAll(requests)) {
        List<Hold> begun = new ArrayList<>();
        all.leases().forEach(lease -> begun.add(Hold.begin(owner, lease, fenced)));
        for (int p = 0; p < begun.size(); p++) {
          holds.add(begun.get(p).end(all.leases().get(p)));
        }
      }
    }
    return holds;
  }
}
