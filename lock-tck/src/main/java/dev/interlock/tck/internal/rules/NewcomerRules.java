package dev.interlock.tck.internal.rules;

import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Rule F2 for those who come when a hold has run out. */
public final class NewcomerRules {
  private static final long LEASE = 400;

  /** After so many milliseconds a backend may take a waiter that it hears nothing of for dead. */
  private static final long GIVEN_UP = 1_500;

  private NewcomerRules() {}

  /** A lock whose holder is to run out, one who stands in its queue, and what is asked for then. */
  private record Line(String what, UnaryOperator<LockRequest> asked, Attempt waiter, long since) {}

  /** Comes when the lock is free, and tells whether it got it. */
  private interface Newcomer {
    boolean comes(Line line);
  }

  @Rule(value = "F2", check = "that an attempt looks at the queue also when a hold has run out")
  public static void aNewcomerWaitsBehindTheQueueOfAnExpiredHold(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return; // a waiter of its own would take the lock before anybody comes
    }
    LockClient holder = run.client();
    LockClient newcomer = run.client();
    DirectBackend direct = run.direct();
    // From another client than who waits, or from the same.
    Newcomer stranger = line -> newcomer
        .tryAcquire(line.asked().apply(Leases.once(run, line.waiter().name(), 20_000)))
        .isPresent();
    Map<String, UnaryOperator<Attempt>> attempts = Leases.attempts(run);
    Newcomer neighbour = line -> direct.attempt(Objects.requireNonNull(attempts.get(line.what()))
            .apply(Attempt.of(line.waiter().name(), direct.newId(), "tck-2", run.ms(20_000))))
        instanceof Grant;
    int judged = 0;
    for (int round = 0; round < run.amount(3, 10, 30); round++) {
      List<Line> lines = new ArrayList<>();
      for (Map.Entry<String, UnaryOperator<LockRequest>> kind : kinds(run).entrySet()) {
        line(run, holder, direct, kind).ifPresent(lines::add);
      }
      for (Line line : lines) {
        judged += isKeptOut(run, round % 2 == 0 ? stranger : neighbour, direct, line) ? 1 : 0;
      }
    }
    RuleRun.requireEnough(judged, 1, "holds ran out while another waited");
  }

  /** Of requests that may not pass those who wait: by what they ask for. */
  private static Map<String, UnaryOperator<LockRequest>> kinds(RuleRun run) {
    Map<String, UnaryOperator<LockRequest>> kinds = new LinkedHashMap<>();
    Leases.kinds(run).forEach((what, kind) -> {
      LockRequest request = kind.apply(LockRequest.of("kind"));
      if (request.fairness().orElse(request.capacity() != 1)) {
        kinds.put(what, kind);
      }
    });
    return kinds;
  }

  /** Empty on a machine that stood still until the lease was over. */
  private static Optional<Line> line(
      RuleRun run,
      LockClient holder,
      DirectBackend direct,
      Map.Entry<String, UnaryOperator<LockRequest>> kind)
      throws InterruptedException {
    String name = run.name();
    long start = System.nanoTime();
    holder.acquire(FairnessRules.fair(run, name).withLease(run.ms(LEASE)));
    // Without the engine: it does not ask again, so the lock is free when the next one comes.
    Attempt waiter = Attempt.of(name, direct.newId(), "tck", run.ms(20_000))
        .withFair(true)
        .withPatience(run.ms(20_000));
    boolean waits = direct.attempt(waiter) instanceof AttemptResult.Queued;
    if (!waits && RuleRun.since(start).compareTo(run.ms(LEASE)) >= 0) {
      direct.release(name, waiter.id());
      return Optional.empty();
    }
    run.expect(waits, "a request waits", "it does not");
    return Optional.of(new Line(kind.getKey(), kind.getValue(), waiter, start));
  }

  /** Answers false if nobody has kept the waiter's place meanwhile. */
  private static boolean isKeptOut(RuleRun run, Newcomer newcomer, DirectBackend direct, Line line)
      throws InterruptedException {
    Attempt waiter = line.waiter();
    long start = line.since();
    RuleRun.pause(run.expiry(LEASE + 100).minus(RuleRun.since(start)));
    boolean entered = newcomer.comes(line);
    direct.abandon(waiter.name(), waiter.id());
    if (entered && RuleRun.since(start).compareTo(run.expiry(GIVEN_UP)) > 0) {
      return false;
    }
    run.expect(
        !entered,
        "who asks for " + line.what() + " when a hold has run out is kept out by who waits"
            + " already",
        "it got the lock");
    run.count(3);
    return true;
  }
}
