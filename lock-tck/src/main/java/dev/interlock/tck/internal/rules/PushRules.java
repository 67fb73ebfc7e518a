package dev.interlock.tck.internal.rules;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.fault.Injection;
import dev.interlock.tck.internal.fault.MessageFault;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.worker.EventCounter;
import dev.interlock.tck.internal.worker.Worker;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Group P. */
public final class PushRules {
  private static final int SERIES = 3;
  private static final int SOME = 25;
  private static final int FEW = 9;
  private static final int USES = 160;

  /** As many as there is time for. */
  private static final int MANY_USES = 1_120;

  private static final long LONGEST_USE = 4_000;
  private static final int TOGETHER = 16;
  private static final long LONG = 60_000;
  private static final long SOON = 300;

  private PushRules() {}

  @Rule(
      value = "P1",
      check = "who tells a waiter of the release, and when it looks again",
      neighbours = Neighbours.NONE,
      limit = 120,
      timed = true)
  public static void aHandOffTakesAFewRoundTrips(RuleRun run) throws Exception {
    LockClient client = run.client();
    Worker waiter = run.worker();
    for (ClockRules.Kind kind : ClockRules.kinds(run)) {
      expectQuickOnce(run, client, waiter, kind);
    }
  }

  /** A poller is slow in every series; a machine that others use as well, not in all of them. */
  private static void expectQuickOnce(
      RuleRun run, LockClient client, Worker waiter, ClockRules.Kind kind) throws Exception {
    // Of the seldom ones fewer, which tell a poller all the same.
    boolean seldom = kind.owned() || kind.capacity() != 1;
    int rounds = seldom ? run.amount(FEW, 20, 80) : run.amount(SOME, 80, 400);
    Series series = measure(run, client, waiter, kind, rounds);
    for (int i = 1; i < SERIES && !series.isQuick(run); i++) {
      run.note("again, for " + series.measured(kind));
      series = measure(run, client, waiter, kind, seldom ? FEW : SOME);
    }
    run.expect(
        series.isQuick(run),
        "a hand-off takes at most %.2f ms in one of %d series"
            .formatted(series.limit(run) / 1e6, SERIES),
        series.measured(kind));
    run.note(series.measured(kind));
  }

  private static Series measure(
      RuleRun run, LockClient client, Worker waiter, ClockRules.Kind kind, int rounds)
      throws Exception {
    Series series = new Series(new ArrayList<>(), new ArrayList<>());
    for (int i = 0; i < rounds; i++) {
      series.uncontended.add(uncontended(run, client));
      String name = run.name();
      Lease held = client.acquire(Leases.fixed(run, name, 30_000));
      CompletableFuture<Long> acquired =
          waiter.start(1, space -> waitAndRelease(space, kind, name));
      // A different time each round, so that a poller is not met at the same phase.
      RuleRun.pause(Duration.ofMillis(run.random().nextInt(30, 90)));
      series.uncontended.add(uncontended(run, client));
      long released = System.nanoTime();
      held.release();
      series.handOffs.add(waiter.result(acquired) - released);
    }
    Collections.sort(series.uncontended);
    Collections.sort(series.handOffs);
    run.count(series.handOffs.size());
    return series;
  }

  /** What was measured side by side, so that a busy spell meets both; in nanoseconds, by size. */
  private record Series(List<Long> uncontended, List<Long> handOffs) {

    boolean isQuick(RuleRun run) {
      return median(handOffs) <= limit(run);
    }

    long limit(RuleRun run) {
      return PushRules.limit(uncontended.get(0), median(uncontended))
          + run.ms(15).toNanos();
    }

    String measured(ClockRules.Kind kind) {
      return "the median of %d hand-offs to %s is %.2f ms, that of an uncontended acquire %.2f ms"
          .formatted(
              handOffs.size(), kind.what(), median(handOffs) / 1e6, median(uncontended) / 1e6);
    }

    private static long median(List<Long> times) {
      return times.get(times.size() / 2);
    }
  }

  /** It cannot ask meanwhile, so what comes was sent to it, on however busy a machine. */
  @Rule(
      value = "P1",
      check = "that whoever is next is told of the release, also if others wait behind it",
      timed = true)
  public static void whoIsNextIsToldThoughOthersWait(RuleRun run) throws Exception {
    if (run.isForeign() || !run.offers(TckFault.CONNECTION)) {
      return;
    }
    FaultProxy proxy = run.proxy();
    List<LockClient> line = List.of(run.client(proxy), run.client());
    LockClient holder = run.client();
    for (Map.Entry<String, UnaryOperator<LockRequest>> kind : Leases.kinds(run).entrySet()) {
      Lease held = holder.acquire(Leases.fixed(run, run.name(), LONG));
      LockRequest request =
          kind.getValue().apply(Leases.fixed(run, held.name(), LONG).withWait(run.ms(LONG)));
      List<CompletableFuture<Lease>> waits = new ArrayList<>();
      for (LockClient client : line) {
        waits.add(client.acquireAsync(request));
        Queues.awaitQueued(run, holder, held.name(), waits.size());
      }
      Injection kept = proxy.inject(
          Injection.of(MessageFault.REQUEST_LATE, "", 1, Integer.MAX_VALUE, run.limit(20_000)));
      long before = awaitSilence(proxy);
      held.release();
      try {
        run.await(
            run.limit(3_000),
            "who is next is told of the release, also without asking, though another waits for "
                + kind.getKey() + ", too",
            () -> proxy.replies() > before);
      } finally {
        kept.letGo();
        proxy.forget(kept);
      }
      for (CompletableFuture<Lease> wait : waits) {
        wait.get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS).release();
      }
    }
  }

  /** Until what was asked for has been answered; returns the number of all answers. */
  private static long awaitSilence(FaultProxy proxy) throws InterruptedException {
    long before = -1;
    while (before != proxy.replies()) {
      before = proxy.replies();
      RuleRun.pause(Duration.ofMillis(100));
    }
    return before;
  }

  @Rule(value = "P1", check = "whether a client hears of its later releases too", timed = true)
  public static void theHundredthReleaseIsToldToo(RuleRun run) throws Exception {
    LockClient holder = run.client();
    EventCounter events = new EventCounter();
    LockClient waiter = run.client(events);
    int waits = 0;
    // Of plain waits and of those that stand in the queue, for which there may be other messages.
    List<List<Duration>> spreads = List.of(new ArrayList<>(), new ArrayList<>());
    long end = System.nanoTime() + run.ms(LONGEST_USE).toNanos();
    for (int round = 0;
        waits < USES || (waits < MANY_USES && System.nanoTime() - end < 0);
        round++) {
      List<Lease> held = new ArrayList<>();
      List<CompletableFuture<Lease>> waiting = new ArrayList<>();
      List<CompletableFuture<Long>> served = new ArrayList<>();
      for (int i = 0; i < TOGETHER; i++) {
        String name = run.name();
        held.add(holder.acquire(Leases.fixed(run, name, 60_000)));
        LockRequest request = Leases.fixed(run, name, 30_000).withWait(run.ms(30_000));
        waiting.add(waiter.acquireAsync(Leases.fairInTurns(run, request, round)));
        served.add(waiting.get(i).thenApply(lease -> System.nanoTime()));
      }
      awaitWaiting(run, events, waits + TOGETHER);
      List<Long> released = new ArrayList<>();
      for (Lease lease : held) {
        released.add(System.nanoTime());
        lease.release();
      }
      for (CompletableFuture<Lease> wait : waiting) {
        Queues.expectServed(run, wait, "wait " + ++waits + " of a client");
        wait.get().release();
      }
      spreads.get(round % 2).add(spread(released, served));
    }
    spreads.forEach(ofKind -> expectTogether(run, ofKind));
    run.note("a client was told of " + waits + " releases");
  }

  /** By how much the latest of them was later than the most punctual one. */
  private static Duration spread(List<Long> released, List<CompletableFuture<Long>> served) {
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    for (int i = 0; i < released.size(); i++) {
      long took = served.get(i).join() - released.get(i);
      least = Math.min(least, took);
      most = Math.max(most, took);
    }
    return Duration.ofNanos(most - least);
  }

  /** A machine that is busy delays one now and then, and not in most of the rounds. */
  private static void expectTogether(RuleRun run, List<Duration> spreads) {
    Collections.sort(spreads);
    Duration usual = spreads.get(spreads.size() / 2);
    run.expect(
        usual.compareTo(run.limit(SOON)) <= 0,
        "of " + TOGETHER + " waits the last is served at most " + SOON
            + " ms later after its release than the first, in half of " + spreads.size()
            + " rounds",
        "it took " + usual.toMillis() + " ms longer");
    run.note("usually the last of " + TOGETHER + " was served " + usual.toMillis()
        + " ms later than the first");
  }

  /** Whoever asks late would find the lock free, and need not be told. */
  private static void awaitWaiting(RuleRun run, EventCounter events, int requests)
      throws Exception {
    if (run.isForeign()) {
      RuleRun.pause(Duration.ofMillis(20)); // nothing tells that they wait
      return;
    }
    run.await(run.limit(5_000), "requests wait", () -> events.waitingCount() >= requests);
  }

  /**
   * The fastest acquire tells how far away the server is. Three times that are a release, a message
   * and an attempt. What the usual one takes longer is a machine that is busy, which a hand-off
   * meets several times.
   */
  static long limit(long fastest, long usual) {
    return 3 * fastest + 10 * (usual - fastest);
  }

  private static long uncontended(RuleRun run, LockClient client) throws InterruptedException {
    long start = System.nanoTime();
    Lease lease = client.acquire(Leases.fixed(run, run.name(), 10_000));
    long took = System.nanoTime() - start;
    lease.release();
    return took;
  }

  public static long waitAndRelease(WorkerSpace space, ClockRules.Kind kind, String name)
      throws InterruptedException {
    LockRequest request =
        kind.of(name).withLease(Duration.ofSeconds(30)).withWait(Duration.ofSeconds(20));
    try (Lease lease = space.client().acquire(request)) {
      return System.nanoTime();
    }
  }
}
