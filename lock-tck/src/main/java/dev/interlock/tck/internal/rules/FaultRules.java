package dev.interlock.tck.internal.rules;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.RenewalResult;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckServer;
import dev.interlock.tck.internal.fault.Effect;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.fault.Injection;
import dev.interlock.tck.internal.run.Company;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Rules E3, E4 and E5, and what W4 says about a stalled server. */
public final class FaultRules {
  /** A client waits for an answer for some seconds before it gives up; each provider its own. */
  private static final long LONGEST_ANSWER = 8_000;

  /** More requests than any backend needs for one attempt. */
  private static final int MOST_REQUESTS = 6;

  private record Answer(
      String call, @Nullable Object value, @Nullable Throwable error, long took) {}

  private FaultRules() {}

  @Rule(
      value = "E3",
      check = "what the backend makes of errors of its client library and of the server",
      company = Company.NONE,
      limit = 150,
      needs = TckFault.CONNECTION)
  public static void eachFaultSurfacesAsItsException(RuleRun run) throws Exception {
    FaultProxy proxy = run.proxy();
    LockClient client = run.client(proxy);
    LockClient observer = run.client();
    DirectBackend direct = run.direct(proxy);
    List<String> survived = new ArrayList<>();
    for (Injury injury : Injury.lasting(run, proxy)) {
      String tried = run.name();
      String renewed = run.name();
      HoldId renewing = direct.newId();
      direct.acquire(renewed, renewing, run.ms(60_000), run.limit(5_000));
      Lease held = client.acquire(Leases.fixed(run, run.name(), 60_000));
      run.requireHit(injury.begin().act(), injury.words());
      List<CompletableFuture<Answer>> calls = new ArrayList<>(List.of(
          call("tryAcquire", () -> client.tryAcquire(fixed(run, tried))),
          call("acquire", () -> client.acquire(fixed(run, run.name()).withWait(run.ms(300)))),
          call(
              "acquireAsync",
              () -> client
                  .acquireAsync(fixed(run, run.name()).withWait(run.ms(300)))
                  .get()),
          call("inspect", () -> client.inspect(tried)),
          call("release", () -> {
            held.release();
            return "released";
          })));
      if (run.has(Capability.RENEWABLE)) {
        calls.add(call("a renewal", () -> renewed(direct, renewed, renewing)));
      }
      List<Answer> answers = new ArrayList<>();
      for (CompletableFuture<Answer> call : calls) {
        answers.add(call.get(run.limit(2 * LONGEST_ANSWER).toMillis(), TimeUnit.MILLISECONDS));
      }
      injury.end().act();
      answers.forEach(answer -> judge(run, injury, answer));
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
      survived.add(injury.words());
    }
    run.note("each call met its exception under " + String.join(", ", survived));
  }

  /** It has connections of its own, and nobody repeats what it refuses. */
  private static void awaitWorking(RuleRun run, DirectBackend direct) throws InterruptedException {
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
  private static RenewalResult renewed(DirectBackend direct, String name, HoldId id) {
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
      company = Company.NONE,
      needs = TckFault.CONNECTION)
  public static void anUnansweredAttemptIsUnknown(RuleRun run) throws Exception {
    LockClient observer = run.client();
    List<LostAnswers> all = new ArrayList<>();
    for (Effect effect : List.of(Effect.REPLY_LOST, Effect.REPLY_SWALLOWED)) {
      for (int nth = 1; nth <= MOST_REQUESTS; nth++) {
        all.add(new LostAnswers(effect, nth));
      }
    }
    // Each with a proxy and a client of its own, for each waits until the client gives up.
    List<Integer> hits = SideBySide.each(all, lost -> expectKnown(run, observer, lost));
    run.requireHit(hits.stream().mapToInt(Integer::intValue).sum(), "lost answers to attempts");
    run.note("no attempt that was made was reported as one that was not");
  }

  /** The first answer of an attempt is lost, or all from its second on, and so forth. */
  private record LostAnswers(Effect effect, int from) {}

  /** Returns how many answers were lost. */
  private static int expectKnown(RuleRun run, LockClient observer, LostAnswers lost)
      throws IOException, InterruptedException {
    FaultProxy proxy = run.proxy();
    try (DirectBackend direct = run.direct(proxy)) {
      String name = run.name();
      Injection injection = proxy.inject(
          Injection.of(lost.effect(), name, lost.from(), Integer.MAX_VALUE, Duration.ZERO));
      expectKnown(run, direct, observer, name, lost.effect());
      proxy.heal();
      return injection.hits();
    }
  }

  private static void expectKnown(
      RuleRun run, DirectBackend direct, LockClient observer, String name, Effect effect) {
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
          "the lock is held after " + effect.words() + ": " + RuleRun.inspection(observer, name));
      return;
    }
    run.expect(
        result instanceof Grant,
        "an attempt for a free lock is granted, or fails",
        "it was answered " + result + " after " + effect.words());
    try {
      direct.release(name, id);
    } catch (LockException e) {
      // Its answer is lost as well.
    }
  }

  private static LockRequest fixed(RuleRun run, String name) {
    return LockRequest.of(name).withLease(run.ms(30_000));
  }

  private static CompletableFuture<Answer> call(String name, Callable<?> action) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    Thread thread = new Thread(
        () -> {
          long start = System.nanoTime();
          Object value = null;
          Throwable error = null;
          try {
            value = action.call();
          } catch (ExecutionException e) {
            error = e.getCause();
          } catch (Throwable t) {
            error = t;
          }
          answer.complete(new Answer(name, value, error, System.nanoTime() - start));
        },
        "tck-call");
    thread.setDaemon(true);
    thread.start();
    return answer;
  }

  private static void judge(RuleRun run, Injury injury, Answer answer) {
    String when = answer.call() + " with " + injury.words();
    Throwable error = answer.error();
    boolean fits =
        error instanceof BackendUnavailableException || error instanceof OutcomeUnknownException;
    // A server that only refuses writes may be asked, and says the truth.
    boolean read = injury.refusesWritesOnly() && answer.call().equals("inspect");
    if (!fits && !(read && error == null)) {
      throw new RuleViolation(
          when + " throws BackendUnavailableException or OutcomeUnknownException",
          error == null ? "it answered " + answer.value() : "it threw " + error,
          List.of());
    }
    run.expect(
        answer.took() <= run.limit(LONGEST_ANSWER).toNanos(),
        when + " ends within " + LONGEST_ANSWER + " ms",
        "it took " + answer.took() / 1_000_000 + " ms");
  }

  @Rule(
      value = "E4",
      check = "which answers of the server mean \"again\", and that each operation retries them",
      company = Company.NONE,
      limit = 120,
      needs = TckFault.DISTURB)
  public static void transientAnswersAreRetried(RuleRun run) throws Exception {
    TckServer server = run.server();
    LockClient client = run.client();
    LockClient other = run.client();
    String name = run.name();
    int disturbed = 0;
    for (int i = 0; i < run.amount(20, 200, 1_000); i++) {
      disturbed += server.disturb() ? 1 : 0;
      Optional<Lease> lease = client.tryAcquire(fixed(run, name));
      run.expect(
          lease.isPresent(), "tryAcquire of a free lock gives a lease", "empty in round " + i);
      disturbed += server.disturb() ? 1 : 0;
      run.expectHeld(other, name, "while one client holds");
      disturbed += server.disturb() ? 1 : 0;
      run.expect(other.inspect(name).isPresent(), "inspect finds the hold", "it says free");
      CompletableFuture<Lease> next = other.acquireAsync(fixed(run, name).withWait(run.ms(10_000)));
      disturbed += server.disturb() ? 1 : 0;
      lease.orElseThrow().release();
      next.get(run.limit(10_000).toMillis(), TimeUnit.MILLISECONDS).release();
    }
    run.requireHit(disturbed, "transient answers of the server");
    run.note("no operation failed or was refused for an answer that says \"again\"");
  }

  @Rule(
      value = "E5",
      check = "that connections and subscriptions that failed are replaced",
      company = Company.NONE,
      timed = true,
      limit = 150,
      needs = TckFault.CONNECTION)
  public static void theSameClientWorksAgain(RuleRun run) throws Exception {
    FaultProxy proxy = run.proxy();
    LockClient client = run.client(proxy);
    LockClient other = run.client();
    List<Injury> injuries = new ArrayList<>(Injury.brief(run, proxy));
    injuries.addAll(Injury.lasting(run, proxy));
    int hit = 0;
    long slowest = 0;
    for (Injury injury : injuries) {
      useManyConnections(run, client);
      if (injury.begin().act() == 0) {
        continue; // there was nothing to harm: a provider without scripts has none to forget
      }
      hit++;
      run.fault(injury.words());
      // Somebody uses the client meanwhile, and it is left with what that brings.
      var unused = call("tryAcquire", () -> client.tryAcquire(fixed(run, run.name())));
      RuleRun.pause(run.ms(400));
      injury.end().act();
      String when = "after " + injury.words();
      long start = System.nanoTime();
      run.expectWorking(client, run.limit(5_000), when);
      slowest = Math.max(slowest, System.nanoTime() - start);
      handOver(run, client, other, when);
    }
    run.note("after %d kinds of faults the same client worked again, at the latest %d ms later"
        .formatted(hit, slowest / 1_000_000));
  }

  private static void useManyConnections(RuleRun run, LockClient client) throws Exception {
    List<CompletableFuture<Answer>> calls = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      calls.add(call("inspect", () -> client.inspect(run.name())));
    }
    for (CompletableFuture<Answer> call : calls) {
      call.get(run.limit(LONGEST_ANSWER).toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** Both ways: from the client that met the fault, and to it. */
  private static void handOver(RuleRun run, LockClient client, LockClient other, String when)
      throws Exception {
    String name = run.name();
    Lease held = client.acquire(fixed(run, name).withWait(run.ms(5_000)));
    CompletableFuture<Lease> next = other.acquireAsync(fixed(run, name).withWait(run.ms(10_000)));
    RuleRun.pause(run.ms(50));
    held.release();
    Lease there = next.get(run.limit(10_000).toMillis(), TimeUnit.MILLISECONDS);
    CompletableFuture<Lease> back = client.acquireAsync(fixed(run, name).withWait(run.ms(10_000)));
    RuleRun.pause(run.ms(50));
    there.release();
    try {
      back.orTimeout(run.limit(3_000).toMillis(), TimeUnit.MILLISECONDS).join().release();
    } catch (CompletionException e) {
      throw new RuleViolation(
          when + " the same client is handed a lock", "it was not: " + e, List.of());
    }
    run.count(3);
  }

  @Rule(
      value = "W4",
      check = "that no step of a wait blocks for longer than an answer may take",
      company = Company.NONE,
      timed = true,
      needs = TckFault.PAUSE)
  public static void aWaitEndsInTimeThoughTheServerStalls(RuleRun run) throws Exception {
    TckServer server = run.server();
    LockClient client = run.client();
    run.expectFree(client, run.name(), run.limit(2_000), "before the stall");
    LockRequest request = LockRequest.of(run.name()).withLease(run.ms(1_000)).withWait(run.ms(300));
    server.pause();
    run.fault("a stalled server");
    List<CompletableFuture<Answer>> calls = List.of(
        call("acquire", () -> client.acquire(request)),
        call("acquireAsync", () -> client.acquireAsync(request).get()),
        call("acquireAll", () -> client.acquireAll(List.of(request))),
        call("tryLock", () -> client.lock(run.name()).tryLock(run.ms(300), run.ms(1_000))));
    long limit = 300 + LONGEST_ANSWER;
    for (CompletableFuture<Answer> call : calls) {
      Answer answer = call.get(run.limit(2 * limit).toMillis(), TimeUnit.MILLISECONDS);
      run.expect(
          answer.error() != null && answer.took() <= run.limit(limit).toNanos(),
          answer.call() + " with a wait of 300 ms and a stalled server fails within " + limit
              + " ms",
          "after " + answer.took() / 1_000_000 + " ms: "
              + (answer.error() == null ? answer.value() : answer.error()));
    }
    server.resume();
    run.expectWorking(client, run.limit(5_000), "after the stall");
  }

  @Rule(
      value = "L7",
      check = "what a renewal and a release make of a hold that the server does not know",
      timed = true,
      company = Company.NONE,
      needs = TckFault.LOSE_STATE)
  public static void aHoldLostWithTheServersStateIsReported(RuleRun run) throws Exception {
    TckServer server = run.server();
    LockClient client = run.client();
    LockClient other = run.client();
    String renewed = run.name();
    String fixed = run.name();
    Lease renewing = client.acquire(Leases.lasting(run, renewed, 1_200));
    Lease lasting = client.acquire(Leases.fixed(run, fixed, 30_000));
    server.loseState();
    run.fault("loss of the server's state");
    if (run.has(Capability.RENEWABLE)) {
      Leases.expectLost(
          run, renewing, run.within(1_200, 100), "after the loss of the server's state");
      run.expect(!renewing.isValid(), "a lost lease is not valid", "it is");
    }
    Duration took = run.expectFree(other, renewed, run.limit(1_500), "after the loss of the state");
    run.expectThrows(LeaseLostException.class, "release of a hold that was lost", () -> {
      lasting.release();
      return "released";
    });
    run.note("a hold lost with the server's state was reported; the lock was free after "
        + took.toMillis() + " ms");
  }
}
