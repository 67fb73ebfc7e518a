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
import java.util.List;
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

  /** Two who come into the queue, the second between the requests of the first. */
  private static final class Arrivals implements Gaps.Act<AttemptResult> {
    private final RuleRun run;
    private final DirectBackend slow;
    private final DirectBackend quick;
    private final Lease held;
    private final Attempt first;
    private Optional<Place> second = Optional.empty();

    Arrivals(RuleRun run, DirectBackend slow, DirectBackend quick, LockClient holder)
        throws InterruptedException {
      this.run = run;
      this.slow = slow;
      this.quick = quick;
      this.held = holder.acquire(FairnessRules.fair(run, run.name()));
      this.first = waiting(run, slow, held.name());
    }

    @Override
    public AttemptResult call() {
      return slow.attempt(first);
    }

    @Override
    public void meanwhile() {
      second = Optional.of(enter(run, quick, held.name()));
    }

    @Override
    public void judge(Optional<AttemptResult> answer) {
      RenewalResult place = quick.refresh(second.orElseThrow().attempt());
      run.expect(
          place instanceof RenewalResult.Queued,
          "who came between the requests of another arrival has its place",
          "it is answered to be " + place);
      second.orElseThrow().leave();
      slow.abandon(held.name(), first.id());
      held.release();
    }
  }

  @Rule(value = "F1", check = "that the queue is read and written in one step")
  public static void nobodyIsLostWhoComesAtTheSameTime(RuleRun run) throws Exception {
    if (!run.has(Capability.FAIR) || !Gaps.canBeTried(run) || run.isForeign()) {
      return;
    }
    FaultProxy proxy = run.proxy();
    DirectBackend slow = run.direct(proxy);
    DirectBackend quick = run.direct();
    LockClient holder = run.client();
    Gaps.each(run, proxy, "an arrival", () -> new Arrivals(run, slow, quick, holder));
  }
}
