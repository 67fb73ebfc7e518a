package dev.interlock.tck.internal.rules;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.RenewalResult;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.fault.Injection;
import dev.interlock.tck.internal.fault.MessageFault;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Rule E3 on faults of the connection and of the server. */
public final class FaultAnswerRules {
  /** More requests than any backend needs for one attempt. */
  private static final int MOST_REQUESTS = 6;

  private FaultAnswerRules() {}

  @Rule(
      value = "E3",
      check = "what the backend makes of errors of its client library and of the server",
      neighbours = Neighbours.NONE,
      limit = 150,
      timed = true,
      needs = TckFault.CONNECTION)
  public static void eachFaultSurfacesAsItsException(RuleRun run) throws Exception {
    FaultProxy proxy = run.proxy();
    LockClient client = run.client(proxy);
    LockClient observer = run.client();
    DirectBackend direct = run.direct(proxy);
    List<String> survived = new ArrayList<>();
    for (TransientFault fault : TransientFault.lasting(run, proxy)) {
      SeldomCalls seldom = SeldomCalls.prepare(run, observer, direct);
      String tried = run.name();
      Holds holds = Holds.take(run, client, direct);
      run.requireHit(fault.begin().act(), fault.words());
      List<CompletableFuture<TimedAnswer>> calls = new ArrayList<>(List.of(
          TimedAnswer.of("tryAcquire", () -> client.tryAcquire(fixed(run, tried))),
          TimedAnswer.of(
              "acquire", () -> client.acquire(fixed(run, run.name()).withWait(run.ms(300)))),
          TimedAnswer.of(
              "acquireAsync",
              () -> client
                  .acquireAsync(fixed(run, run.name()).withWait(run.ms(300)))
                  .get()),
          TimedAnswer.of("inspect", () -> client.inspect(tried))));
      Leases.kinds(run)
          .forEach((kind, request) -> calls.add(TimedAnswer.of(
              "tryAcquire of " + kind,
              () -> client.tryAcquire(request.apply(fixed(run, run.name()))))));
      calls.addAll(holds.calls(direct));
      calls.addAll(seldom.calls(run, client));
      // Once, where calls that are slow to fail do so too: a place may be gone with each.
      List<CompletableFuture<TimedAnswer>> more =
          FaultRules.inspect(run, client, survived.isEmpty() ? FaultRules.MANY : 0);
      List<TimedAnswer> answers = new ArrayList<>();
      for (CompletableFuture<TimedAnswer> call : calls) {
        answers.add(
            call.get(run.limit(2 * FaultRules.LONGEST_ANSWER).toMillis(), TimeUnit.MILLISECONDS));
      }
      for (CompletableFuture<TimedAnswer> call : more) {
        call.get(run.limit(2 * FaultRules.LONGEST_ANSWER).toMillis(), TimeUnit.MILLISECONDS);
      }
      fault.end().act();
      answers.forEach(answer -> judge(run, fault, answer));
      if (answers.get(0).error() instanceof BackendUnavailableException) {
        run.expectFree(
            observer,
            tried,
            run.limit(3_000),
            "after BackendUnavailableException, which says that nothing was held,");
      }
      // The next fault must not meet what this one left behind.
      run.expectWorking(client, run.limit(5_000), "once the server is well");
      awaitWorking(run, direct);
      seldom.judge(run, answers);
      survived.add(fault.words());
    }
    run.note("each call met its exception under " + String.join(", ", survived));
  }

  /** Holds of each kind: to be released, and to be renewed without the engine. */
  private record Holds(Map<String, Lease> released, Map<String, Hold> renewed) {
    private record Hold(String name, HoldId id) {}

    static Holds take(RuleRun run, LockClient client, DirectBackend direct)
        throws InterruptedException {
      Map<String, Lease> released = new LinkedHashMap<>();
      for (var kind : Leases.kinds(run).entrySet()) {
        LockRequest request = Leases.fixed(run, run.name(), 60_000);
        released.put(kind.getKey(), client.acquire(kind.getValue().apply(request)));
      }
      Map<String, Hold> renewed = new LinkedHashMap<>();
      if (run.has(Capability.RENEWABLE)) {
        for (var kind : Leases.attempts(run).entrySet()) {
          Hold hold = new Hold(run.name(), direct.newId());
          Attempt attempt = Attempt.of(hold.name(), hold.id(), "tck", run.ms(60_000));
          direct.acquire(kind.getValue().apply(attempt), run.limit(5_000));
          renewed.put(kind.getKey(), hold);
        }
      }
      return new Holds(released, renewed);
    }

    List<CompletableFuture<TimedAnswer>> calls(DirectBackend direct) {
      List<CompletableFuture<TimedAnswer>> calls = new ArrayList<>();
      released.forEach((kind, lease) -> calls.add(TimedAnswer.of("release of " + kind, () -> {
        lease.release();
        return "released";
      })));
      renewed.forEach((kind, hold) -> calls.add(
          TimedAnswer.of("a renewal of " + kind, () -> renew(direct, hold.name(), hold.id()))));
      return calls;
    }
  }

  /** It has connections of its own, and nobody repeats what it refuses. */
  static void awaitWorking(RuleRun run, DirectBackend direct) throws InterruptedException {
    long start = System.nanoTime();
    while (true) {
      try {
        String name = run.name();
        HoldId id = direct.newId();
        direct.acquire(name, id, run.ms(10_000), run.limit(5_000));
        direct.release(name, id);
        return;
      } catch (BackendUnavailableException | OutcomeUnknownException e) {
        if (RuleRun.since(start).compareTo(run.limit(5_000)) > 0) {
          throw e;
        }
        RuleRun.pause(run.ms(20));
      }
    }
  }

  /** Without the engine: a hold that is answered to be gone is lost, and nobody asks again. */
  private static RenewalResult renew(DirectBackend direct, String name, HoldId id) {
    RenewalResult result = direct.renew(name, id, Duration.ofMinutes(1));
    if (result instanceof RenewalResult.Failed failed) {
      throw failed.error();
    }
    return result;
  }

  /** Without the engine, which abandons what has failed, and would hide it. */
  @Rule(
      value = "E3",
      check = "that an attempt whose answer is lost is not reported as one that was not made",
      neighbours = Neighbours.NONE,
      needs = TckFault.CONNECTION)
  public static void anUnansweredAttemptIsUnknown(RuleRun run) throws Exception {
    LockClient observer = run.client();
    List<LostAnswers> all = new ArrayList<>();
    for (MessageFault fault : List.of(MessageFault.REPLY_LOST, MessageFault.REPLY_SWALLOWED)) {
      for (int nth = 1; nth <= MOST_REQUESTS; nth++) {
        all.add(new LostAnswers(fault, nth));
      }
    }
    // Each with a proxy and a client of its own, for each waits until the client gives up.
    List<Integer> hits = SideBySide.each(all, lost -> expectKnown(run, observer, lost));
    run.requireHit(hits.stream().mapToInt(Integer::intValue).sum(), "lost answers to attempts");
    run.note("no attempt that was made was reported as one that was not");
  }

  /** The first answer of an attempt is lost, or all from its second on, and so forth. */
  private record LostAnswers(MessageFault fault, int from) {}

  /** Returns how many answers were lost. */
  private static int expectKnown(RuleRun run, LockClient observer, LostAnswers lost)
      throws IOException, InterruptedException {
    FaultProxy proxy = run.proxy();
    try (DirectBackend direct = run.direct(proxy)) {
      String name = run.name();
      Injection injection = proxy.inject(
          Injection.of(lost.fault(), name, lost.from(), Integer.MAX_VALUE, Duration.ZERO));
      expectKnown(run, direct, observer, name, lost.fault());
      proxy.heal();
      return injection.hits();
    }
  }

  private static void expectKnown(
      RuleRun run, DirectBackend direct, LockClient observer, String name, MessageFault fault) {
    HoldId id = direct.newId();
    AttemptResult result;
    try {
      result = direct.attempt(name, id, run.ms(30_000));
    } catch (OutcomeUnknownException e) {
      return; // So it is.
    } catch (BackendUnavailableException e) {
      run.expect(
          observer.tryAcquire(fixed(run, name)).isPresent(),
          "after BackendUnavailableException from an attempt nothing is held",
          "the lock is held after " + fault.words() + ": " + RuleRun.inspection(observer, name));
      return;
    }
    run.expect(
        result instanceof Grant,
        "an attempt for a free lock is granted, or fails",
        "it was answered " + result + " after " + fault.words());
    try {
      direct.release(name, id);
    } catch (LockException e) {
      // Its answer is lost as well.
    }
  }

  private static LockRequest fixed(RuleRun run, String name) {
    return LockRequest.of(name).withLease(run.ms(30_000));
  }

  private static void judge(RuleRun run, TransientFault fault, TimedAnswer answer) {
    String when = answer.call() + " with " + fault.words();
    Throwable error = answer.error();
    boolean fits =
        error instanceof BackendUnavailableException || error instanceof OutcomeUnknownException;
    // A server that only refuses writes may be asked, and says the truth.
    boolean read = fault.refusesWritesOnly() && SeldomCalls.mayBeAnswered(answer.call());
    if (!fits && !(read && error == null)) {
      throw new RuleViolation(
          when + " throws BackendUnavailableException or OutcomeUnknownException",
          error == null ? "it answered " + answer.value() : "it threw " + error,
          List.of());
    }
    run.expect(
        answer.took() <= run.limit(FaultRules.LONGEST_ANSWER).toNanos(),
        when + " ends within " + FaultRules.LONGEST_ANSWER + " ms",
        "it took " + answer.took() / 1_000_000 + " ms");
  }
}
