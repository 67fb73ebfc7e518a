package dev.interlock.tck.internal.rules;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.RenewalResult;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.worker.EventCounter;
import dev.interlock.tck.internal.worker.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Rules F4 and F5: the queue when waiters leave it, or are cut off. */
public final class QueueDepartureRules {
  private static final int WAYS_TO_LEAVE = 3;

  private QueueDepartureRules() {}

  /** A queue in which every other one leaves, each in a way of its own. */
  private record Line(
      String name, Lease held, List<CompletableFuture<Lease>> leaving, List<Turns> staying) {}

  /** Those who queue in a line, from clients of their own. */
  private record Crowd(
      LockClient holder,
      LockClient leaving,
      EventCounter events,
      Worker dying,
      List<Worker> stay) {}

  private record Turns(Worker worker, CompletableFuture<Long> acquired) {}

  @Rule(
      value = "F4",
      check = "how entries of waiters who have left are removed or passed over",
      timed = true,
      limit = 90)
  public static void waitersWhoHaveLeftAreSkipped(RuleRun run) throws Exception {
    EventCounter events = new EventCounter();
    Crowd crowd = new Crowd(
        run.client(),
        run.client(events),
        events,
        run.oneJvm() ? run.worker() : run.ownWorker(),
        List.of(run.worker(), run.worker()));
    List<Line> lines = new ArrayList<>();
    for (int i = 0; i < WAYS_TO_LEAVE; i++) {
      lines.add(line(run, crowd, i));
    }
    for (Line line : lines) {
      line.leaving().get(0).cancel(true);
      run.await(run.limit(3_000), "a wait of 1.5 s is over", line.leaving().get(1)::isDone);
    }
    Queues.kill(run, crowd.dying(), "a waiting client");
    long slowest = 0;
    for (Line line : lines) {
      slowest = Math.max(slowest, timeToServe(run, line));
      run.expectFree(crowd.holder(), line.name(), run.limit(3_000), "after those who stayed");
    }
    run.note("the last waiter had it " + slowest / 1_000_000 + " ms after the release");
  }

  /** Places 0, 2 and 4 leave: which of them is killed, cancelled, or impatient is turned round. */
  private static Line line(RuleRun run, Crowd crowd, int turn) throws Exception {
    String name = run.name();
    long wait = run.ms(20_000).toNanos();
    Lease held = crowd.holder().acquire(FairnessRules.fair(run, name));
    Line line = new Line(name, held, new ArrayList<>(), new ArrayList<>());
    for (int i = 0; i < WAYS_TO_LEAVE; i++) {
      int way = (i + turn) % WAYS_TO_LEAVE;
      if (way == 0) {
        var unused =
            crowd.dying().start(turn + 1, space -> FairnessRules.takeTurn(space, name, wait));
        LivenessRules.awaitWaiting(run, crowd.dying(), turn + 1);
      } else {
        // The one who is cancelled first, wherever it stands.
        line.leaving().add(way == 1 ? 0 : line.leaving().size(), queued(run, crowd, name, way));
      }
      if (i < crowd.stay().size()) {
        Worker stays = crowd.stay().get(i);
        var acquired = stays.start(turn + 1, space -> FairnessRules.takeTurn(space, name, wait));
        line.staying().add(new Turns(stays, acquired));
        LivenessRules.awaitWaiting(run, stays, turn + 1);
      }
    }
    return line;
  }

  private static CompletableFuture<Lease> queued(RuleRun run, Crowd crowd, String name, int way)
      throws Exception {
    int before = crowd.events().waitingCount();
    CompletableFuture<Lease> asked = crowd
        .leaving()
        .acquireAsync(FairnessRules.fair(run, name).withWait(run.ms(way == 1 ? 20_000 : 1_500)));
    run.await(run.limit(5_000), "a request waits", () -> crowd.events().waitingCount() > before);
    return asked;
  }

  private static long timeToServe(RuleRun run, Line line) throws Exception {
    long released = System.nanoTime();
    line.held().release();
    Turns first = line.staying().get(0);
    Turns last = line.staying().get(1);
    long firstAt = first.worker().result(first.acquired());
    long lastAt = last.worker().result(last.acquired());
    run.expect(
        firstAt < lastAt && lastAt - released <= run.limit(3_000).toNanos(),
        "those who stayed are served in order, within 3 s of the release",
        "after %d and %d ms"
            .formatted((firstAt - released) / 1_000_000, (lastAt - released) / 1_000_000));
    return lastAt - released;
  }

  @Rule(
      value = "F4",
      check = "that an abandonment removes one attempt, and not what is like it",
      timed = true)
  public static void whoLeavesTakesNobodyAlong(RuleRun run) throws Exception {
    DirectBackend direct = run.direct();
    DirectBackend other = run.direct();
    LockClient holder = run.client();
    Lease held = holder.acquire(FairnessRules.fair(run, run.name()));
    Lease elsewhere = holder.acquire(FairnessRules.fair(run, run.name()));
    Attempt leaving = queued(run, direct, held.name());
    Attempt first = queued(run, direct, held.name());
    Attempt second = queued(run, other, held.name());
    Attempt third = queued(run, direct, held.name());
    Attempt away = queued(run, direct, elsewhere.name());
    direct.abandon(held.name(), leaving.id());
    String free = run.name();
    HoldId over = direct.newId();
    direct.acquire(free, over, run.ms(20_000), run.limit(3_000));
    direct.release(free, over);
    expectPlace(run, direct, first, "who stood behind it, from the same client,");
    expectPlace(run, other, second, "who stood behind it, from another client,");
    expectPlace(run, direct, third, "the last one of the same client");
    expectPlace(run, direct, away, "who waits for another lock");
    held.release();
    elsewhere.release();
    for (Map.Entry<Attempt, DirectBackend> next :
        List.of(Map.entry(first, direct), Map.entry(second, other), Map.entry(third, direct))) {
      next.getValue().acquire(next.getKey(), run.limit(3_000));
      next.getValue().release(held.name(), next.getKey().id());
    }
    run.note("one of three waiters of a client left, and the others kept their places");
  }

  /** Without the engine, which would give a place that was lost a new one, and hide it. */
  private static Attempt queued(RuleRun run, DirectBackend client, String name) {
    Attempt attempt = Attempt.of(name, client.newId(), "tck", run.ms(20_000))
        .withFair(true)
        .withPatience(run.ms(60_000));
    run.expect(
        client.attempt(attempt) instanceof AttemptResult.Queued,
        "a request for a held lock stands in the queue",
        "it does not");
    return attempt;
  }

  private static void expectPlace(RuleRun run, DirectBackend client, Attempt attempt, String who) {
    RenewalResult place = client.refresh(attempt);
    run.expect(
        place instanceof RenewalResult.Queued,
        who + " keeps its place when another waiter of a client leaves",
        "its place is answered to be " + place);
  }

  @Rule(
      value = "F5",
      check = "that a client which comes back after a cut keeps its queue entries alive",
      needs = TckFault.CONNECTION,
      timed = true)
  public static void aWaiterKeepsItsPlaceThroughAReconnect(RuleRun run) throws Exception {
    FaultProxy proxy = run.proxy();
    LockClient cut = run.client(proxy);
    LockClient uncut = run.client();
    LockClient observer = run.client();
    for (int round = 0; round < run.amount(1, 6, 20); round++) {
      String name = run.name();
      Lease held = observer.acquire(FairnessRules.fair(run, name));
      LockRequest request = FairnessRules.fair(run, name).withWait(run.ms(20_000));
      List<String> order = new CopyOnWriteArrayList<>();
      List<CompletableFuture<Void>> waits = new ArrayList<>();
      // Of the client that is cut off there are two, who are not to be taken for one.
      List<String> waiters = List.of("the first cut off", "the second cut off", "the last");
      for (String who : waiters) {
        LockClient client = waits.size() < 2 ? cut : uncut;
        waits.add(FairnessRules.enter(client, request, who, order));
        Queues.awaitQueued(run, observer, name, waits.size());
      }
      run.requireHit(proxy.cut(), "all connections of a waiting client cut");
      RuleRun.pause(run.ms(1_000));
      held.release();
      CompletableFuture.allOf(waits.toArray(new CompletableFuture<?>[0]))
          .get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS);
      run.expect(
          order.equals(waiters),
          "waiters whose connections were cut for a moment acquire before the one behind them",
          "the order was " + order);
    }
    run.note("waiters that were cut off for a moment kept their places");
  }
}
