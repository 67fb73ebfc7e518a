package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** Groups R and C for those who come in together, however the hold before them ends. */
public final class ServedTogetherRules {
  private static final int TOGETHER = 3;
  private static final long BRIEF = 1_500;
  private static final long LONG = 30_000;

  private ServedTogetherRules() {}

  @Rule(
      value = "R2",
      check = "that each step that ends a writer's hold lets in all readers in front",
      timed = true)
  public static void howeverAWriterEndsAllReadersComeIn(RuleRun run) throws Exception {
    serveHoweverItEnds(run, LockRequest::shared);
  }

  @Rule(
      value = "C3",
      check = "that each step that ends a hold serves all whom it makes room for",
      timed = true)
  public static void howeverAHoldEndsAllThatFitComeIn(RuleRun run) throws Exception {
    serveHoweverItEnds(run, request -> request.permits(1, TOGETHER));
  }

  private static void serveHoweverItEnds(RuleRun run, UnaryOperator<LockRequest> part)
      throws Exception {
    LockClient operator = run.client();
    Map<String, CountedEndRules.Ending> endings = CountedEndRules.endings(run, operator);
    endings.put("an expiry", (whole, holder) -> {});
    for (Map.Entry<String, CountedEndRules.Ending> ending : endings.entrySet()) {
      boolean expires = ending.getKey().equals("an expiry");
      LockRequest request = Queues.request(run, run.name());
      LockClient holder = run.client();
      Lease whole = holder.acquire(Leases.fixed(run, request.name(), expires ? BRIEF : LONG));
      long held = System.nanoTime();
      List<CompletableFuture<Lease>> queue = enter(run, operator, part.apply(request));
      ending.getValue().end(whole, holder);
      Duration bound = Queues.servedWithin(run);
      Duration limit =
          expires ? run.pastLease(BRIEF, 0).plus(bound).minus(RuleRun.since(held)) : bound;
      run.await(
          limit,
          "all of " + TOGETHER + " that fit together come in after " + ending.getKey(),
          () -> queue.stream().allMatch(CompletableFuture::isDone));
      for (CompletableFuture<Lease> served : queue) {
        served.get().release();
      }
      run.expectFree(operator, request.name(), run.limit(1_000), "after all of them");
    }
    run.note("those who fit together came in after " + String.join(", ", endings.keySet()));
  }

  private static List<CompletableFuture<Lease>> enter(
      RuleRun run, LockClient observer, LockRequest request) throws Exception {
    List<LockClient> clients = List.of(run.client(), run.client());
    List<CompletableFuture<Lease>> queue = new ArrayList<>();
    for (int i = 0; i < TOGETHER; i++) {
      queue.add(Queues.enter(run, clients, observer, request, i));
    }
    return queue;
  }

  @Rule(value = "R4", check = "that each of the readers that one step lets in has its own token")
  public static void readersThatComeInTogetherHaveTheirOwnTokens(RuleRun run) throws Exception {
    expectOwnTokens(run, LockRequest::shared);
  }

  @Rule(value = "C1", check = "that each of those whom one step serves has its own token")
  public static void thoseServedTogetherHaveTheirOwnTokens(RuleRun run) throws Exception {
    expectOwnTokens(run, request -> request.permits(1, TOGETHER));
  }

  private static void expectOwnTokens(RuleRun run, UnaryOperator<LockRequest> part)
      throws Exception {
    if (!run.has(Capability.FENCED)) {
      return;
    }
    LockRequest request = Queues.request(run, run.name());
    LockClient holder = run.client();
    Lease whole = holder.acquire(Leases.fixed(run, request.name(), LONG));
    long last = whole.fencingToken();
    List<CompletableFuture<Lease>> queue = enter(run, holder, part.apply(request));
    whole.release();
    List<Lease> served = new ArrayList<>();
    for (CompletableFuture<Lease> one : queue) {
      Queues.expectServed(run, one, "one of those that fit together");
      served.add(one.get());
      long token = one.get().fencingToken();
      run.expect(
          token > last,
          "the token of one who comes in with others is larger than that before it, " + last,
          "it is " + token);
      last = token;
    }
    served.forEach(Lease::release);
  }
}
