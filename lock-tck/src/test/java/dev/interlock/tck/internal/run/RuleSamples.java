package dev.interlock.tck.internal.run;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.tck.NotOfferedException;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.history.History;
import dev.interlock.tck.internal.history.Hold;
import dev.interlock.tck.internal.history.Operation;
import dev.interlock.tck.internal.history.Operation.Kind;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Tests of rules, as the kit's own are written. */
public final class RuleSamples {
  static final String CHECK = "what to look at";

  static final AtomicInteger RUNS = new AtomicInteger();
  static final AtomicReference<CompletableFuture<String>> INTERRUPTED = new AtomicReference<>();

  private RuleSamples() {}

  @Rule(value = "X3", check = CHECK)
  public static void failsAtFirst(RuleRun run) {
    run.expect(RUNS.incrementAndGet() > 1, "it is run once more", "it is not");
  }

  @Rule(value = "X3", check = CHECK, timed = true)
  public static void failsAtFirstByTheTime(RuleRun run) {
    failsAtFirst(run);
  }

  @Rule(value = "X3", check = CHECK, timed = true)
  public static void isNotAnsweredAtFirst(RuleRun run) {
    if (RUNS.incrementAndGet() == 1) {
      isNeverAnswered(run);
    }
  }

  @Rule(value = "X3", check = CHECK)
  public static void isNotAnsweredAtFirstInATestThatIsNotAboutTime(RuleRun run) {
    isNotAnsweredAtFirst(run);
  }

  @Rule(value = "X3", check = CHECK)
  public static void isNeverAnsweredInATestThatIsNotAboutTime(RuleRun run) {
    isNeverAnswered(run);
  }

  @Rule(value = "X3", check = CHECK)
  public static void isNotAnsweredAndThenFails(RuleRun run) {
    isNotAnsweredAtFirst(run);
    fails(run);
  }

  @Rule(value = "X3", check = CHECK, timed = true)
  public static void isNeverAnswered(RuleRun run) {
    // As a future tells it.
    throw new CompletionException(new BackendUnavailableException("planted for " + run.name()));
  }

  @Rule(value = "X3", check = CHECK, timed = true)
  public static void isNotAnsweredAtFirstAfterHarm(RuleRun run) {
    var unused = run.server();
    isNotAnsweredAtFirst(run);
  }

  @Rule(value = "X3", check = CHECK, timed = true)
  public static void isNotAnsweredAtFirstThoughNothingWasCut(RuleRun run) throws IOException {
    var unused = run.proxy();
    isNotAnsweredAtFirst(run);
  }

  @Rule(value = "X3", check = CHECK, timed = true)
  public static void isNotAnsweredAtFirstAfterACut(RuleRun run) throws IOException {
    run.proxy().cut();
    isNotAnsweredAtFirst(run);
  }

  @Rule(value = "X3", check = CHECK, timed = true)
  public static void failsByTheTime(RuleRun run) {
    run.expect(false, "it is in time", "it is late");
  }

  @Rule(value = "X3", check = CHECK, timed = true)
  public static void isEnteredBesideALease(RuleRun run) {
    RUNS.incrementAndGet();
    run.willBeHeld("orders", Duration.ofMinutes(1));
    run.expectWhileHeld("orders", () -> false, "others are kept out", "one entered");
  }

  @Rule(value = "X3", check = CHECK)
  public static void isEnteredAfterTheLease(RuleRun run) throws InterruptedException {
    RUNS.incrementAndGet();
    run.willBeHeld("orders", Duration.ofMillis(1));
    RuleRun.pause(Duration.ofMillis(5));
    run.expectWhileHeld("orders", () -> false, "others are kept out", "one entered");
  }

  @Rule(value = "X3", check = CHECK)
  public static void isEnteredAfterTheLeaseAtFirst(RuleRun run) throws InterruptedException {
    if (RUNS.get() == 0) {
      isEnteredAfterTheLease(run);
    }
  }

  @Rule(value = "X3", check = CHECK, timed = true)
  public static void isEnteredWithoutAnyLease(RuleRun run) {
    run.expectWhileHeld("orders", () -> RUNS.incrementAndGet() > 1, "nobody enters", "one did");
  }

  @Rule(value = "X3", check = CHECK)
  public static void releasesAfterTheLease(RuleRun run) throws InterruptedException {
    LockRequest brief = LockRequest.of(run.name()).withLease(Duration.ofMillis(20));
    Lease lease = run.client().acquire(brief);
    RuleRun.pause(Duration.ofMillis(60));
    lease.release();
  }

  @Rule(value = "X3", check = CHECK)
  public static void isLateAtFirst(RuleRun run) throws Exception {
    boolean comes = RUNS.incrementAndGet() > 1;
    run.await(Duration.ofMillis(1), "it comes about", () -> comes);
  }

  @Rule(value = "X3", check = CHECK)
  public static void judgesAHistory(RuleRun run) {
    Hold one = new Hold("lock", "a", 1, 0, 10, 10);
    Hold other = new Hold("lock", "b", 2, 9, 20, 20);
    run.judge(History.ofTokens(List.of(one, other)), "tokens grow");
    run.judge(History.ofOverlaps(List.of(one, other)), "holds do not overlap");
  }

  @Rule(value = "X3", check = CHECK)
  public static void judgesWhatCannotBeDecided(RuleRun run) {
    List<Operation> calls = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      calls.add(new Operation(Kind.ACQUIRED, "lock", "owner-" + i, 24 - i, 0, 1_000));
      calls.add(new Operation(Kind.RELEASED, "lock", "owner-" + i, 0, 0, 1_000));
    }
    calls.add(new Operation(Kind.REFUSED, "lock", "nobody", 0, 2_000, 2_001));
    run.judge(History.ofCalls(calls), "there is an order");
  }

  @Rule(value = "X3", check = CHECK)
  public static void passes(RuleRun run) {
    run.expect(true, "so it is", "it is not");
    run.count(4);
    run.fault("a fault");
    run.fault("a fault");
    run.note("one thing");
    run.note("another");
    run.note("one thing");
  }

  @Rule(value = "X3", check = CHECK)
  public static void fails(RuleRun run) {
    run.expect(false, "so it is", "it is not");
  }

  @Rule(value = "X3", check = CHECK)
  public static void usesAClientAndPasses(RuleRun run) throws Exception {
    run.client().acquire(LockRequest.of("in the test before")).release();
  }

  @Rule(value = "X3", check = CHECK)
  public static void usesClientsAndFails(RuleRun run) throws Exception {
    run.client().acquire(LockRequest.of("orders")).release();
    run.fault("a fault");
    try (LockClient listening = run.client(new LockListener() {})) {
      listening.tryAcquire(LockRequest.of("orders")).orElseThrow().release();
    }
    run.expect(false, "so it is", "it is not");
  }

  @Rule(value = "X3", check = "")
  public static void throwsSomething(RuleRun run) {
    throw new IllegalStateException("planted", new IOException("below it"));
  }

  @Rule(value = "X3", check = CHECK)
  public static void doesNotReachIt(RuleRun run) {
    run.requireHit(0, "a fault");
  }

  @Rule(value = "X3", check = CHECK)
  public static void seesTooLittle(RuleRun run) {
    run.count(19);
    RuleRun.requireEnough(19, 20, "holds came about");
  }

  @Rule(value = "X3", check = CHECK)
  public static void seesEnough(RuleRun run) {
    run.count(20);
    RuleRun.requireEnough(20, 20, "holds came about");
  }

  @Rule(value = "X3", check = CHECK)
  public static void lacksAnOperation(RuleRun run) {
    throw new IllegalStateException(new NotOfferedException("renaming"));
  }

  @Rule(value = "X3", check = CHECK, limit = 1)
  public static void hangs(RuleRun run) throws InterruptedException {
    CompletableFuture<String> interrupted = INTERRUPTED.get();
    try {
      new CountDownLatch(1).await();
    } finally {
      interrupted.complete(Thread.currentThread().getName());
    }
  }

  @Rule(value = "X3", check = CHECK, limit = 1)
  public static void isSlow(RuleRun run) throws InterruptedException {
    LockClient client = run.client();
    while (!Thread.interrupted()) {
      client.inspect(run.name());
    }
  }

  @Rule(value = "X3", check = CHECK, limit = 1)
  public static void hangsWhileOthersGoOn(RuleRun run) throws Exception {
    LockClient client = run.client();
    Thread other = new Thread(() -> {
      while (!Thread.currentThread().isInterrupted()) {
        client.inspect(run.name());
      }
    });
    other.start();
    try {
      new CountDownLatch(1).await();
    } finally {
      other.interrupt();
      other.join();
    }
  }

  @Rule(value = "X3", check = CHECK, limit = 1)
  public static void startsAJvmSlowly(RuleRun run) throws Exception {
    run.starts().during(() -> {
      Thread.sleep(500);
      return run;
    });
    run.count(1);
  }

  @Rule(value = "W9", check = CHECK)
  public static void asksForWhatShouldBe(RuleRun run) {
    fails(run);
  }

  @Rule(value = "W9", check = CHECK, limit = 1)
  public static void hangsInARuleOfWhatShouldBe(RuleRun run) throws InterruptedException {
    new CountDownLatch(1).await();
  }

  @Rule(value = "W9", check = CHECK)
  public static void waitsForAnAnswerInARuleOfWhatShouldBe(RuleRun run) throws Exception {
    new CompletableFuture<String>().get(10, TimeUnit.MILLISECONDS);
  }

  @Rule(value = "W3", check = CHECK, limit = 1)
  public static void hangsInARuleOnWaiting(RuleRun run) throws InterruptedException {
    new CountDownLatch(1).await();
  }

  @Rule(value = "X3", check = CHECK, needs = TckFault.PAUSE)
  public static void needsAPause(RuleRun run) {
    run.note("it was paused");
  }

  @Rule(value = "X3", check = CHECK)
  public static void leavesTheServerPaused(RuleRun run) throws Exception {
    run.server().pause();
  }

  @Rule(value = "X3", check = CHECK)
  public static void leavesWhatCannotBeClosed(RuleRun run) {
    run.keep(() -> {
      throw new IOException("it cannot be closed");
    });
  }

  @Rule(value = "X3", check = CHECK)
  public static void failsAndLeavesWhatCannotBeClosed(RuleRun run) {
    leavesWhatCannotBeClosed(run);
    fails(run);
  }

  @Rule(value = "X3", check = CHECK, limit = 1, timed = true)
  public static void isSlowAtFirst(RuleRun run) throws InterruptedException {
    if (RUNS.incrementAndGet() == 1) {
      isSlow(run);
    }
  }

  @Rule(value = "W9", check = CHECK, limit = 1)
  public static void isSlowInARuleOfWhatShouldBe(RuleRun run) throws InterruptedException {
    isSlow(run);
  }
}
