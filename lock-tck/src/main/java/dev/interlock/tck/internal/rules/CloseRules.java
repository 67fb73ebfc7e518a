package dev.interlock.tck.internal.rules;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.NotOfferedException;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import dev.interlock.tck.internal.worker.EventCounter;
import dev.interlock.tck.internal.worker.Opener;
import dev.interlock.tck.internal.worker.ProcessWorker;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Rules E7 and M4: what a client leaves in its JVM. */
public final class CloseRules {
  private static final int WAITERS = 3;
  private static final int MANY_CYCLES = 1_000;

  /** A client may keep threads and connections for a while: the engine's end after ten seconds. */
  private static final long IDLE = TimeUnit.SECONDS.toNanos(15);

  /**
   * How often to look for growth. A pool may open one more connection late, or again after it has
   * closed one; what is left behind by the uses is more each time.
   */
  private static final int PERIODS = 3;

  private static final int PARTS = 10;

  private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

  /** What is kept once, and not again with each use, is a pool: but no pool needs so many. */
  private static final int MOST_EVER = 100;

  /** What one wait needs is in the pool before: the first waits are not counted. */
  private static final int MOST_OF_WAITS = 40;

  private static final long RENEWED = 900;
  private static final int MORE_REQUESTS = 40;

  private CloseRules() {}

  @Rule(
      value = "E7",
      check = "that close ends waits, renewals, threads and connections, in that order",
      timed = true)
  public static void closeEndsEverything(RuleRun run) throws Exception {
    if (run.isForeign()) {
      throw new NotOfferedException("leases without a thread of their own, which would be counted");
    }
    // Meanwhile, for it may take some seconds.
    Optional<SilentClose> silent =
        run.offers(TckFault.CONNECTION) ? Optional.of(SilentClose.begin(run)) : Optional.empty();
    Opener opener = run.opener();
    String held = run.name();
    String awaited = run.name();
    long second = run.ms(1_000).toNanos();
    ProcessWorker worker = run.freshWorker();
    boolean renewable = run.has(Capability.RENEWABLE);
    if (run.oneJvm()) {
      worker.run(space -> space.acquire(awaited, Duration.ofMinutes(1), Duration.ofSeconds(1)));
    } else {
      // From here, so that in that JVM there is only the client that is looked at.
      run.client().acquire(Leases.fixed(run, awaited, 60_000));
      worker.run(WorkerSpace::closeClient);
    }
    String observed =
        worker.call(space -> closeInUse(opener, List.of(held, awaited), second, renewable));
    if (!run.oneJvm()) {
      run.expectFree(run.client(), held, run.limit(1_000), "after its holder was closed");
    }
    run.count(WAITERS + 5);
    run.note(observed);
    if (silent.isPresent()) {
      silent.get().expectEnded(run);
    }
  }

  /** Runs in a JVM of its own, whose threads and connections nobody else changes. */
  public static String closeInUse(Opener opener, List<String> names, long second, boolean renewable)
      throws Exception {
    // Opens and closes one before, so that what the first use starts for good is not counted.
    try (LockClient first = opener.open()) {
      first.tryAcquire(LockRequest.of(names.get(0) + "-first").withLease(Duration.ofSeconds(1)));
    }
    RuleRun.pause(Duration.ofNanos(second / 2));
    ClientFootprint before = ClientFootprint.now();
    LockClient client = opener.open();
    LockRequest request = LockRequest.of(names.get(0)).withLease(Duration.ofNanos(2 * second));
    Lease lease = client.acquire(renewable ? request.renewing() : request);
    List<CompletableFuture<Lease>> waiting = new ArrayList<>();
    for (int i = 0; i < WAITERS; i++) {
      waiting.add(
          client.acquireAsync(LockRequest.of(names.get(1)).withLease(Duration.ofSeconds(9))));
    }
    CompletableFuture<Throwable> blocked = waitOnThread(client, names.get(1));
    RuleRun.pause(Duration.ofNanos(second / 3));
    long start = System.nanoTime();
    client.close();
    long took = System.nanoTime() - start;
    client.close();
    that(took < 10 * second, "close takes a few seconds", "it took " + took / 1_000_000 + " ms");
    that(!lease.isValid(), "the lease of a closed client is not valid", "it is");
    expectUnavailable(blocked.get(10, TimeUnit.SECONDS));
    for (CompletableFuture<Lease> waiter : waiting) {
      try {
        waiter.get(10, TimeUnit.SECONDS);
        throw new RuleViolation("a waiter of a closed client fails", "it acquired", List.of());
      } catch (ExecutionException e) {
        expectUnavailable(e.getCause());
      }
    }
    awaitNoGrowth(before, 5 * second);
    return "closed within " + took / 1_000_000 + " ms, " + ClientFootprint.compared() + " left";
  }

  private static CompletableFuture<Throwable> waitOnThread(LockClient client, String name) {
    CompletableFuture<Throwable> ended = new CompletableFuture<>();
    Callable<Lease> wait =
        () -> client.acquire(LockRequest.of(name).withLease(Duration.ofSeconds(9)));
    Thread thread = new Thread(
        () -> {
          try {
            ended.complete(new IllegalStateException("acquired " + wait.call()));
          } catch (Exception e) {
            ended.complete(e);
          }
        },
        "tck-waiter");
    thread.setDaemon(true);
    thread.start();
    return ended;
  }

  private static void expectUnavailable(@Nullable Throwable end) {
    that(
        end instanceof BackendUnavailableException,
        "a waiter of a closed client gets BackendUnavailableException",
        "it got " + end);
  }

  @Rule(
      value = "M4",
      check = "what each use registers and does not take back",
      limit = 180,
      timed = true)
  public static void nothingStaysAfterManyCycles(RuleRun run) throws Exception {
    ProcessWorker worker = run.freshWorker();
    String name = run.name();
    long lease = run.ms(900).toNanos();
    boolean renewable = run.has(Capability.RENEWABLE);
    int cycles = MANY_CYCLES;
    int some = cycles / PARTS;
    // Several tasks: all of it may take longer than a worker is waited for.
    ClientFootprint first = worker.call(space -> firstUse(space.client(), name, lease, renewable));
    // So that pools are about as large as they ever get.
    worker.run(space -> warmUp(space.client(), name, cycles / 5, lease, renewable));
    List<String> growth;
    int period = 0;
    do {
      ClientFootprint before = worker.call(space -> ClientFootprint.now());
      LiveObjects objects = worker.call(space -> LiveObjects.now());
      for (int part = 0; part < PARTS; part++) {
        worker.run(space -> useInTurn(space.client(), name, some, lease, renewable));
      }
      growth = new ArrayList<>(worker.call(space -> grown(before)));
      growth.addAll(kept(worker, objects, cycles, lease));
      period++;
    } while (!growth.isEmpty() && period < PERIODS);
    run.expect(
        growth.isEmpty(),
        "no thread, no connection and no object for each use stays",
        "there are more after each of " + PERIODS + " times " + cycles + " cycles, at last "
            + growth);
    int more = worker.call(space -> first.countGrowth());
    int most =
        MOST_EVER * run.backend().members().map(members -> members.all().size()).orElse(1);
    run.expect(
        more <= most,
        "a client of " + ManyUses.USERS + " threads comes to at most " + most
            + " more threads and connections than after its first use",
        "there are " + more + " more");
    worker.run(space -> expectIdle(space.events(), lease));
    run.count(2L * cycles * period);
    run.note(cycles + " cycles left " + ClientFootprint.compared() + ", and no renewal; " + more
        + " more than after the first use");
  }

  @Rule(
      value = "M4",
      check = "what each wait registers and does not take back",
      limit = 120,
      timed = true)
  public static void nothingStaysAfterManyWaits(RuleRun run) throws Exception {
    if (run.isForeign()) {
      throw new NotOfferedException("leases without a thread of their own, which would be counted");
    }
    Opener opener = run.opener();
    String name = run.name();
    int most = MOST_OF_WAITS
        * run.backend().members().map(members -> members.all().size()).orElse(1);
    int waits = 2 * most + MOST_OF_WAITS;
    int more = run.freshWorker().call(space -> growthOfWaits(opener, name, waits));
    run.expect(
        more <= most,
        "after " + waits + " waits there are at most " + most + " more threads and connections",
        "there are " + more + " more");
    run.count(waits);
    run.note(
        waits + " waits left " + more + " more threads and connections than the first " + PARTS);
  }

  /** Others hold the locks, or nothing would be noted on the server. */
  public static int growthOfWaits(Opener opener, String name, int waits) throws Exception {
    try (LockClient holder = opener.open();
        LockClient waiter = opener.open()) {
      awaitHandOffs(holder, waiter, name + "-first", PARTS);
      ClientFootprint before = ClientFootprint.now();
      awaitHandOffs(holder, waiter, name, waits);
      return before.countGrowth();
    }
  }

  private static void awaitHandOffs(LockClient holder, LockClient waiter, String name, int count)
      throws Exception {
    for (int i = 0; i < count; i++) {
      LockRequest request = LockRequest.of(name + "-" + i)
          .withLease(Duration.ofMinutes(1))
          .withWait(Duration.ofSeconds(30));
      Lease held = holder.acquire(request);
      CompletableFuture<Lease> next = waiter.acquireAsync(request);
      RuleRun.pause(Duration.ofMillis(5));
      if (i % 2 == 0) {
        held.release();
        next.get(30, TimeUnit.SECONDS).release();
      } else {
        next.cancel(true);
        held.release();
      }
    }
  }

  public static ClientFootprint firstUse(
      LockClient client, String name, long lease, boolean renewable) throws InterruptedException {
    client.acquire(use(name + "-once", lease, renewable)).release();
    return ClientFootprint.now();
  }

  public static void warmUp(
      LockClient client, String name, int cycles, long lease, boolean renewable) throws Exception {
    ManyUses.of(client, cycles, i -> use(name + "-first-" + i, lease, renewable));
  }

  /** What is more than before. */
  public static List<String> grown(ClientFootprint before) throws InterruptedException {
    return List.copyOf(growth(before, IDLE));
  }

  /** The objects of which there is about one more for each use, once cancelled timers are over. */
  private static List<String> kept(ProcessWorker worker, LiveObjects before, int uses, long lease)
      throws Exception {
    long end = System.nanoTime() + 2 * lease;
    List<String> kept =
        before.grownBy(uses - uses / PARTS, worker.call(space -> LiveObjects.now()));
    while (!kept.isEmpty() && System.nanoTime() - end < 0) {
      RuleRun.pause(LOOK_AGAIN);
      kept = before.grownBy(uses - uses / PARTS, worker.call(space -> LiveObjects.now()));
    }
    return kept;
  }

  public static void expectIdle(EventCounter events, long lease) throws InterruptedException {
    RuleRun.pause(Duration.ofNanos(lease / 2));
    int renewed = events.renewedCount();
    int attempts = events.attemptCount();
    RuleRun.pause(Duration.ofNanos(lease + lease / 2));
    int after = events.renewedCount() - renewed;
    that(after == 0, "an idle client renews nothing", "it renewed " + after + " times");
    int tried = events.attemptCount() - attempts;
    that(tried == 0, "an idle client attempts nothing", "it attempted " + tried + " times");
  }

  @Rule(
      value = "M4",
      check = "that a release ends the timer that its hold has started",
      timed = true,
      limit = 120,
      needs = TckFault.CONNECTION)
  public static void oneHoldIsRenewedOnceAfterManyCycles(RuleRun run) throws Exception {
    if (!run.has(Capability.RENEWABLE)) {
      return;
    }
    FaultProxy proxy = run.proxy();
    LockClient client = run.client(proxy);
    String name = run.name();
    long lease = run.ms(RENEWED).toNanos();
    client.acquire(use(name, lease, true)).release();
    long usual = requestsOfOneHold(run, client, proxy);
    ManyUses.of(client, MANY_CYCLES, i -> use(name + "-" + i, lease, true));
    long sent = requestsOfOneHold(run, client, proxy);
    run.count(2L * MANY_CYCLES);
    // How many a renewal takes, and what keeps connections alive, is the backend's affair.
    String measured = "one hold of " + RENEWED + " ms, renewed, cost " + sent
        + " requests in three times its length after " + MANY_CYCLES + " others were released, "
        + usual + " before";
    long most = 2 * usual + MORE_REQUESTS;
    run.expect(sent <= most, "at most " + most + " requests", measured);
    run.note(measured);
  }

  private static long requestsOfOneHold(RuleRun run, LockClient client, FaultProxy proxy)
      throws Exception {
    LockRequest request = LockRequest.of(run.name()).withLease(run.ms(RENEWED)).renewing();
    Lease held = client.acquire(request.withWait(run.ms(5_000)));
    RuleRun.pause(run.ms(RENEWED));
    long before = proxy.requests();
    RuleRun.pause(run.ms(3 * RENEWED));
    long sent = proxy.requests() - before;
    held.release();
    return sent;
  }

  /** On one thread: more could open connections later than others, which are none left behind. */
  public static void useInTurn(
      LockClient client, String name, int cycles, long lease, boolean renewable)
      throws InterruptedException {
    for (int i = 0; i < cycles; i++) {
      // Of a machine that stands still a lease may be lost: nothing is to stay of that either.
      Leases.drop(client.acquire(use(name + "-" + i, lease, renewable)));
    }
  }

  private static LockRequest use(String name, long lease, boolean renewable) {
    LockRequest request =
        LockRequest.of(name).withLease(Duration.ofNanos(lease)).withWait(Duration.ofSeconds(5));
    return renewable ? request.renewing() : request;
  }

  private static void awaitNoGrowth(ClientFootprint before, long limit)
      throws InterruptedException {
    List<String> growth = growth(before, limit);
    that(growth.isEmpty(), "no thread and no connection stays", "there are more: " + growth);
  }

  /** What is more than before, and does not go away in this time. */
  private static List<String> growth(ClientFootprint before, long limit)
      throws InterruptedException {
    long end = System.nanoTime() + limit;
    List<String> growth = before.growth();
    while (!growth.isEmpty() && System.nanoTime() - end < 0) {
      RuleRun.pause(Duration.ofMillis(20));
      growth = before.growth();
    }
    return growth;
  }

  private static void that(boolean condition, String expected, String happened) {
    if (!condition) {
      throw new RuleViolation(expected, happened, List.of());
    }
  }
}
