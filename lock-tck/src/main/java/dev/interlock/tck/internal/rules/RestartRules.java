package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.tck.NotOfferedException;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckServer;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.worker.ProcessWorker;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Rule T2 and group D. */
public final class RestartRules {
  private static final int WAITERS = 4;
  private static final int RESERVED = 40;
  private static final int MANY_PERMITS = 8;
  private static final long BRIEF = 3_000;

  private RestartRules() {}

  @Rule(
      value = "T2",
      check = "what the counter starts from when it is missing",
      neighbours = Neighbours.NONE,
      needs = TckFault.LOSE_STATE)
  public static void tokensIncreaseAcrossLossOfState(RuleRun run) throws Exception {
    TckServer server = run.server();
    LockClient client = run.client();
    String name = run.name();
    long before = Math.max(token(run, client, name), token(run, client, name));
    for (int i = 0; i < run.amount(3, 10, 40); i++) {
      Lease held = client.acquire(Leases.fixed(run, name, 20_000));
      before = grown(run, before, held.fencingToken(), "before a loss of state");
      server.loseState();
      run.fault("loss of the server's state while a lock was held");
      before = grown(run, before, token(run, run.client(), name), "after a loss of all state");
      Leases.release(held);
    }
    run.note("tokens grew across losses of all state");
  }

  @Rule(
      value = "T2",
      check = "how fast tokens may be used before a counter begins behind them that was lost",
      neighbours = Neighbours.NONE,
      needs = TckFault.LOSE_STATE)
  public static void tokensThatWereUsedFastAreNotGivenAgain(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    TckServer server = run.server();
    DirectBackend direct = run.direct();
    String name = run.name();
    server.loseState();
    FaultAnswerRules.awaitWorking(run, direct);
    long before = Long.MIN_VALUE;
    for (int i = 0; i < run.amount(100, 300, 1_000); i++) {
      HoldId id = direct.newId();
      // A client asks for as many when its threads queue up.
      Grant granted = direct.acquire(
          Attempt.of(name, id, "tck", run.ms(20_000)).withTokens(RESERVED), run.limit(9_000));
      before = grown(run, before, granted.fencingToken(), "of the next hold");
      before += granted.tokens() - 1;
      direct.release(name, id);
      RuleRun.pause(Duration.ofMillis(1));
    }
    server.loseState();
    run.fault("loss of the server's state after a lock was used often");
    FaultAnswerRules.awaitWorking(run, direct);
    long after =
        direct.acquire(name, direct.newId(), run.ms(20_000), run.limit(9_000)).fencingToken();
    grown(run, before, after, "after a loss of all state");
  }

  @Rule(
      value = "T2",
      check = "whether the counter is durable, and else what it starts from",
      neighbours = Neighbours.NONE,
      limit = 120,
      needs = TckFault.RESTART)
  public static void tokensIncreaseAcrossARestart(RuleRun run) throws Exception {
    TckServer server = run.server();
    LockClient client = run.client();
    String name = run.name();
    long before = token(run, client, name);
    for (int i = 0; i < run.amount(1, 3, 10); i++) {
      Map<String, Long> reserved = run.isForeign() ? Map.of() : reserved(run);
      restart(run, server);
      before = grown(run, before, token(run, client, name), "after a restart of the server");
      for (Map.Entry<String, Long> last : reserved.entrySet()) {
        grown(
            run,
            last.getValue(),
            token(run, client, last.getKey()),
            "after a restart, of a lock of which tokens were reserved or raised,");
      }
    }
    run.note("tokens grew across restarts of the server");
  }

  /** The last tokens of locks of which some were reserved, and of one also raised, at last. */
  private static Map<String, Long> reserved(RuleRun run) throws InterruptedException {
    Map<String, Long> last = new LinkedHashMap<>();
    try (DirectBackend direct = run.direct()) {
      for (boolean raised : new boolean[] {false, true}) {
        Attempt attempt = Attempt.of(run.name(), direct.newId(), "tck", run.ms(BRIEF));
        Grant granted = direct.acquire(attempt.withTokens(RESERVED), run.limit(9_000));
        if (raised && run.has(Capability.RENEWABLE)) {
          Renewal renewal = Renewal.of(attempt.name(), attempt.id(), attempt.lease(), false)
              .withMinToken(granted.fencingToken() + FencingRules.A_FEW);
          if (RenewalAnswers.collect(direct.backend(), List.of(renewal)).get(0)
              instanceof Grant higher) {
            granted = higher;
          }
        }
        last.put(attempt.name(), granted.fencingToken() + granted.tokens() - 1);
      }
    }
    return last;
  }

  @Rule(value = "T2", check = "what the counter starts from in a JVM that has just begun")
  public static void tokensIncreaseAcrossJvms(RuleRun run) throws Exception {
    if (!run.oneJvm()) {
      return; // the state does not end with a JVM
    }
    String name = run.name();
    long before = Long.MIN_VALUE;
    for (int i = 0; i < 2; i++) {
      ProcessWorker worker = run.freshWorker();
      long token = worker.call(space -> tokenIn(space, name));
      before = grown(run, before, token, "in the JVM after the one that ended");
      worker.kill();
      run.fault("the end of a JVM");
    }
  }

  private static void restart(RuleRun run, TckServer server) throws Exception {
    server.kill();
    server.start();
    run.fault("kill -9 and restart of the server");
  }

  public static long tokenIn(WorkerSpace space, String name) throws InterruptedException {
    try (Lease lease = space.acquire(name, Duration.ofSeconds(20), Duration.ofSeconds(20))) {
      return lease.fencingToken();
    }
  }

  private static long token(RuleRun run, LockClient client, String name)
      throws InterruptedException {
    Lease lease = client.acquire(Leases.fixed(run, name, 20_000).withWait(run.limit(8_000)));
    long token = lease.fencingToken();
    Leases.release(lease);
    return token;
  }

  private static long grown(RuleRun run, long before, long after, String when) {
    run.expect(after > before, "the token " + when + " is larger than " + before, "it is " + after);
    return after;
  }

  @Rule(
      value = "D1",
      check = "that a grant, a renewal and a release are on disk before they are answered",
      neighbours = Neighbours.NONE,
      limit = 120,
      needs = TckFault.RESTART)
  public static void aHeldLockSurvivesARestart(RuleRun run) throws Exception {
    TckServer server = run.server();
    LockClient holder = run.client();
    LockClient other = run.client();
    for (int i = 0; i < run.amount(1, 3, 10); i++) {
      List<SurvivingHold> held = new ArrayList<>();
      List<LockRequest> requests = new ArrayList<>();
      for (UnaryOperator<LockRequest> kind : Leases.kinds(run).values()) {
        LockRequest request = kind.apply(Leases.fixed(run, run.name(), SurvivingHold.LEASE));
        requests.add(request);
        held.add(SurvivingHold.begin(() -> holder.acquire(request)));
      }
      Lease brief = holder.acquire(Leases.fixed(run, run.name(), BRIEF));
      if (run.has(Capability.RENEWABLE)) {
        for (UnaryOperator<LockRequest> kind : Leases.kinds(run).values()) {
          held.add(SurvivingHold.begin(() -> extended(run, holder, kind)));
        }
      }
      for (UnaryOperator<LockRequest> kind : Leases.kinds(run).values()) {
        held.add(SurvivingHold.begin(() -> handedOver(run, other, holder, kind)).confirmedLate());
      }
      long end = System.nanoTime() + run.ms(BRIEF).toNanos();
      List<String> ended = ended(run, holder, other);
      // So that leases which begin again are seen to be longer than those that go on.
      RuleRun.pause(Duration.ofSeconds(1));
      restart(run, server);
      run.expectWorking(other, run.limit(8_000), "after the restart");
      for (SurvivingHold hold : held) {
        hold.expectRest(run, other);
      }
      for (String name : ended) {
        run.expectFree(
            other,
            name,
            run.limit(2_000),
            "after its end by release, force or abandonment, and the restart");
      }
      Leases.until(end);
      run.expectFree(
          other, brief.name(), run.pastLease(0, 2_000), "after the restart and the lease");
      for (SurvivingHold hold : held) {
        run.expectHeld(other, hold.lease().name(), "after the restart");
        Leases.expectValid(run, hold.lease(), "the lease");
      }
      for (LockRequest request : requests) {
        expectAsBefore(run, other, request);
      }
      run.expectWorking(holder, run.limit(8_000), "after the restart");
      for (SurvivingHold hold : held) {
        hold.lease().release();
        run.expectFree(other, hold.lease().name(), run.limit(2_000), "after the release");
      }
    }
    run.note("locks of each kind, and no others, were still held after kill -9 and restart of the"
        + " server");
  }

  /** Who comes beside a hold is let in, or kept out, as before. */
  private static void expectAsBefore(RuleRun run, LockClient other, LockRequest held)
      throws Exception {
    LockRequest again = held.withWait(Duration.ZERO);
    if (again.owner().isPresent() || again.capacity() == Integer.MAX_VALUE) {
      Leases.expectGiven(run, other, again, "what another of its kind holds since the restart")
          .release();
    } else {
      run.expectWhileHeld(
          held.name(),
          () -> other.tryAcquire(again).isEmpty(),
          "what was held before the restart keeps out who does not fit beside it",
          "it does not");
    }
    for (LockRequest larger : ofMorePlaces(run, held)) {
      run.expectWhileHeld(
          held.name(),
          () -> other.tryAcquire(larger).isEmpty(),
          "what was held before the restart keeps out who counts on more places than it has",
          "it let in " + larger);
    }
  }

  /** Requests that fit beside a hold as soon as its own size does not count. */
  private static List<LockRequest> ofMorePlaces(RuleRun run, LockRequest held) {
    List<LockRequest> larger = new ArrayList<>();
    LockRequest request = Leases.once(run, held.name(), BRIEF);
    if (held.capacity() == 1 && run.has(Capability.SHARED)) {
      larger.add(request.shared());
    }
    if (held.capacity() != Integer.MAX_VALUE && run.has(Capability.PERMITS)) {
      larger.add(request.permits(2, MANY_PERMITS));
    }
    return larger;
  }

  /** Holds of each kind that have ended, in each way. */
  private static List<String> ended(RuleRun run, LockClient holder, LockClient other)
      throws InterruptedException {
    List<String> ended = new ArrayList<>();
    for (UnaryOperator<LockRequest> kind : Leases.kinds(run).values()) {
      Lease released = holder.acquire(kind.apply(Leases.fixed(run, run.name(), 60_000)));
      released.release();
      Lease forced = holder.acquire(kind.apply(Leases.fixed(run, run.name(), 60_000)));
      Leases.force(run, other, forced.name());
      ended.addAll(List.of(released.name(), forced.name()));
    }
    if (run.isForeign()) {
      return ended;
    }
    try (DirectBackend direct = run.direct()) {
      for (UnaryOperator<Attempt> kind : Leases.attempts(run).values()) {
        Attempt abandoned = Attempt.of(run.name(), direct.newId(), "tck", run.ms(60_000));
        direct.acquire(kind.apply(abandoned), run.limit(3_000));
        direct.abandon(abandoned.name(), abandoned.id());
        ended.add(abandoned.name());
      }
    }
    return ended;
  }

  /** One that was granted to a waiter. */
  private static Lease handedOver(
      RuleRun run, LockClient before, LockClient holder, UnaryOperator<LockRequest> kind)
      throws Exception {
    LockRequest request = Leases.fixed(run, run.name(), SurvivingHold.LEASE);
    Lease first = before.acquire(request);
    CompletableFuture<Lease> next =
        holder.acquireAsync(kind.apply(request.withWait(run.ms(20_000))));
    RuleRun.pause(run.ms(50));
    first.release();
    return next.get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS);
  }

  private static Lease extended(RuleRun run, LockClient holder, UnaryOperator<LockRequest> kind)
      throws InterruptedException {
    Lease lease = holder.acquire(kind.apply(Leases.fixed(run, run.name(), BRIEF)));
    run.expectWhileHeld(
        lease.name(),
        () -> lease.extend(run.ms(SurvivingHold.LEASE)),
        "extend of a held lease answers true",
        "false");
    return lease;
  }

  @Rule(
      value = "D2",
      check = "that queue entries are as durable as holds",
      neighbours = Neighbours.NONE,
      limit = 120,
      needs = TckFault.RESTART,
      timed = true)
  public static void theQueueSurvivesARestart(RuleRun run) throws Exception {
    if (!run.has(Capability.FAIR)) {
      throw new NotOfferedException("acquire with fair(true), for FAIR is not declared");
    }
    TckServer server = run.server();
    LockClient observer = run.client();
    String name = run.name();
    Lease held = observer.acquire(fair(run, name));
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<CompletableFuture<Void>> waits = new ArrayList<>();
    // One who has left is not to be there again.
    CompletableFuture<Lease> leaving = run.client().acquireAsync(fair(run, name));
    Queues.awaitQueued(run, observer, name, 1);
    leaving.cancel(true);
    run.await(
        run.limit(5_000),
        "a wait that was cancelled has no place",
        () -> Queues.waiters(observer, name) == 0);
    for (int i = 0; i < WAITERS; i++) {
      int place = i;
      waits.add(run.client().acquireAsync(fair(run, name)).thenAccept(lease -> {
        order.add(place);
        Leases.release(lease);
      }));
      Queues.awaitQueued(run, observer, name, place + 1);
    }
    restart(run, server);
    run.expectWorking(observer, run.limit(8_000), "after the restart");
    // Waiters that found their connections broken come back.
    RuleRun.pause(run.ms(1_500));
    int waiting = Queues.waiters(observer, name);
    run.expect(waiting <= WAITERS, "nobody waits who left before the restart", waiting + " wait");
    Leases.release(held);
    CompletableFuture.allOf(waits.toArray(new CompletableFuture<?>[0]))
        .get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS);
    List<Integer> expected = new ArrayList<>();
    for (int i = 0; i < WAITERS; i++) {
      expected.add(i);
    }
    run.expect(
        order.equals(expected), "the waiters acquire in the order of their arrival", "" + order);
    run.note(WAITERS + " waiters kept their order through kill -9 and restart of the server");
  }

  private static LockRequest fair(RuleRun run, String name) {
    return Leases.fixed(run, name, 60_000).withWait(run.ms(60_000)).fair(true);
  }
}
