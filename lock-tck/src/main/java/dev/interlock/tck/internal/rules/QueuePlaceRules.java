package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Rule F1 for places in the queue, which a store counts and writes. */
public final class QueuePlaceRules {
  /** So many who come and leave again stand between two who stay. */
  private static final int BETWEEN = 49;

  /** More than a thousand places in all, or as many as there is time for. */
  private static final int STAYING = 23;

  private static final int LEAST_STAYING = 4;
  private static final long LONGEST = 4_000;
  private static final long LONG = 60_000;
  private static final int FEW = 3;
  private static final String ARRIVAL = "an arrival";

  private QueuePlaceRules() {}

  @Rule(
      value = "F1",
      check = "whether places are counted in few digits or bits, and compared as texts",
      timed = true)
  public static void theThousandthPlaceIsBehindTheOneBefore(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    List<DirectBackend> clients = List.of(run.direct(), run.direct());
    Lease held = run.client().acquire(FairnessRules.fair(run, run.name()));
    List<Place> staying = new ArrayList<>();
    long end = System.nanoTime() + run.ms(LONGEST).toNanos();
    while (staying.size() < STAYING
        && (staying.size() < LEAST_STAYING || System.nanoTime() - end < 0)) {
      staying.add(enter(run, clients.get(staying.size() % 2), held.name()));
      SideBySide.each(IntStream.range(0, BETWEEN).boxed().toList(), i -> {
        enter(run, clients.get(i % 2), held.name()).leave();
        return i;
      });
      for (DirectBackend client : clients) {
        keep(run, client, staying);
      }
    }
    held.release();
    for (int i = 0; i < staying.size(); i++) {
      int first = firstGranted(run, staying.subList(i, staying.size()));
      run.expect(
          first == 0,
          "of those who stay in the queue, " + BETWEEN + " places apart, number " + (i + 1)
              + " acquires next",
          "number " + (i + 1 + first) + " does");
      staying.get(i).leave();
    }
    run.count(staying.size());
    run.note("the order was kept over " + staying.size() * (BETWEEN + 1) + " places");
  }

  /** One who stands in the queue, or has the lock from it. */
  private record Place(DirectBackend client, Attempt attempt) {
    void leave() {
      client.abandon(attempt.name(), attempt.id());
    }
  }

  private static Place enter(RuleRun run, DirectBackend client, String name) {
    Attempt attempt = waiting(run, client, name);
    run.expect(
        client.attempt(attempt) instanceof AttemptResult.Queued,
        "a request for a held lock stands in the queue",
        "it does not");
    return new Place(client, attempt);
  }

  private static Attempt waiting(RuleRun run, DirectBackend client, String name) {
    return Attempt.of(name, client.newId(), "tck", run.ms(LONG))
        .withFair(true)
        .withPatience(run.ms(LONG));
  }

  /** As the engine does: who is not heard of may be taken for dead. */
  private static void keep(RuleRun run, DirectBackend client, List<Place> staying) {
    List<Renewal> batch = staying.stream()
        .filter(place -> place.client() == client)
        .map(Place::attempt)
        .map(waiter -> Renewal.of(waiter.name(), waiter.id(), waiter.lease(), true))
        .toList();
    List<RenewalResult> results =
        batch.isEmpty() ? List.of() : RenewalAnswers.collect(client.backend(), batch);
    for (RenewalResult result : results) {
      run.expect(
          result instanceof RenewalResult.Queued,
          "who stays keeps its place while others come and leave",
          "its place is answered to be " + result);
    }
  }

  /** Which of them, in the order of their arrival, is granted the lock. */
  private static int firstGranted(RuleRun run, List<Place> waiting) throws InterruptedException {
    long start = System.nanoTime();
    while (RuleRun.since(start).compareTo(run.limit(5_000)) < 0) {
      for (int i = 0; i < waiting.size(); i++) {
        if (waiting.get(i).client().attempt(waiting.get(i).attempt()) instanceof Grant) {
          return i;
        }
      }
      RuleRun.pause(run.ms(20));
    }
    throw RuleViolation.late(
        "one of those who stand in the queue is granted the lock within 5 s", "none is", List.of());
  }

  @Rule(
      value = "F1",
      check = "whether the order depends on an abandonment of the hold before",
      timed = true)
  public static void theOrderIsKeptAfterAnAbandonment(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    List<DirectBackend> clients = List.of(run.direct(), run.direct());
    Place held = hold(run, clients.get(0));
    List<Place> waiting = new ArrayList<>();
    for (int i = 0; i < FEW; i++) {
      waiting.add(enter(run, clients.get(i % 2), held.attempt().name()));
    }
    held.leave();
    for (int i = 0; i < FEW; i++) {
      int first = firstGranted(run, waiting.subList(i, FEW));
      run.expect(
          first == 0,
          "after an abandonment number " + (i + 1) + " of " + FEW + " acquires next",
          "number " + (i + 1 + first) + " does");
      waiting.get(i).leave();
    }
  }

  private static Place hold(RuleRun run, DirectBackend client) throws InterruptedException {
    Attempt attempt =
        Attempt.of(run.name(), client.newId(), "tck", run.ms(LONG)).withFair(true);
    client.acquire(attempt, run.limit(3_000));
    return new Place(client, attempt);
  }

  /** Something that changes a queue in which one stands. */
  private interface Step {
    void take(DirectBackend slow, Attempt own);
  }

  /** One comes into the queue between the requests of a step of another. */
  private static final class Arrival implements Gaps.Act<Boolean> {
    private final RuleRun run;
    private final DirectBackend quick;
    private final Attempt own;
    private final DirectBackend slow;
    private final Step step;
    private Optional<Place> second = Optional.empty();

    Arrival(RuleRun run, DirectBackend slow, DirectBackend quick, Attempt own, Step step) {
      this.run = run;
      this.slow = slow;
      this.quick = quick;
      this.own = own;
      this.step = step;
    }

    @Override
    public Boolean call() {
      step.take(slow, own);
      return true;
    }

    @Override
    public void meanwhile() {
      second = Optional.of(enter(run, quick, own.name()));
    }

    @Override
    public void judge(Optional<Boolean> answer) {
      RenewalResult place = quick.refresh(second.orElseThrow().attempt());
      run.expect(
          place instanceof RenewalResult.Queued || place instanceof Grant,
          "who came between the requests of another one's step has its place",
          "it is answered to be " + place);
      second.orElseThrow().leave();
      slow.abandon(own.name(), own.id());
    }
  }

  @Rule(value = "F1", check = "that each step reads and writes the queue at once")
  public static void nobodyIsLostWhoComesAtTheSameTime(RuleRun run) throws Exception {
    if (!run.has(Capability.FAIR) || !Gaps.canBeTried(run) || run.isForeign()) {
      return;
    }
    FaultProxy proxy = run.proxy();
    DirectBackend slow = run.direct(proxy);
    DirectBackend quick = run.direct();
    LockClient holder = run.client();
    Map<String, Step> steps = new LinkedHashMap<>();
    steps.put(ARRIVAL, DirectBackend::attempt);
    steps.put("a departure", (client, own) -> client.abandon(own.name(), own.id()));
    steps.put("the renewal of a place", DirectBackend::refresh);
    for (Map.Entry<String, Step> step : steps.entrySet()) {
      Gaps.each(run, proxy, step.getKey(), () -> {
        String name = run.name();
        // Until its lease is over, for each is a lock of its own.
        holder.acquire(FairnessRules.fair(run, name));
        Attempt own = waiting(run, slow, name);
        if (!step.getKey().equals(ARRIVAL)) {
          slow.attempt(own);
        }
        return new Arrival(run, slow, quick, own, step.getValue());
      });
    }
    Gaps.each(run, proxy, "a release", () -> {
      Attempt held = hold(run, slow).attempt();
      // Who stands there gets the lock, so that the other one still waits.
      enter(run, quick, held.name());
      return new Arrival(
          run, slow, quick, held, (client, own) -> client.release(own.name(), own.id()));
    });
  }
}
