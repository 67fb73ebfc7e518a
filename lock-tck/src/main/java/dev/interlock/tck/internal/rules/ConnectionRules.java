package dev.interlock.tck.internal.rules;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.fault.Injection;
import dev.interlock.tck.internal.fault.MessageFault;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** W3, W11 and P2, and what E1, E2 and E6 say about replies that are lost on the wire. */
public final class ConnectionRules {
  private static final int WAITERS = 10;

  private ConnectionRules() {}

  @Rule(
      value = "W3",
      check = "how soon a waiter looks again when its connections were cut, or its messages lost",
      neighbours = Neighbours.NONE,
      timed = true,
      limit = 150,
      needs = TckFault.CONNECTION)
  public static void aLostMessageIsOnlyADelay(RuleRun run) throws Exception {
    FaultProxy proxy = run.proxy();
    LockClient waiting = run.client(proxy);
    LockClient holding = run.client();
    long slowest = 0;
    int rounds = run.amount(3, 30, 100);
    for (int round = 0; round < rounds; round++) {
      List<Lease> held = new ArrayList<>();
      List<CompletableFuture<Lease>> waits = new ArrayList<>();
      for (int i = 0; i < WAITERS; i++) {
        String name = run.name();
        held.add(holding.acquire(Leases.fixed(run, name, 40_000)));
        LockRequest request = LockRequest.of(name).withLease(run.ms(40_000));
        request = Leases.fairInTurns(run, request, i);
        waits.add(waiting.acquireAsync(request.withWait(run.ms(30_000))));
      }
      RuleRun.pause(Duration.ofMillis(run.random().nextInt(30, 120)));
      releaseAndCut(run, proxy, held, round);
      slowest = Math.max(slowest, awaitAll(run, waits));
      waits.forEach(wait -> Leases.release(wait.join()));
    }
    run.note("the slowest of " + rounds * WAITERS + " waiters whose connections were cut at the"
        + " release acquired after " + slowest / 1_000_000 + " ms");
  }

  /** Cuts before the releases, among them, or after their messages have come to nothing. */
  private static void releaseAndCut(RuleRun run, FaultProxy proxy, List<Lease> held, int round)
      throws InterruptedException {
    int cut = 0;
    int before = round % 3 == 0 ? 0 : run.random().nextInt(held.size());
    if (round % 3 == 2) {
      proxy.holdReplies(true);
      held.forEach(Lease::release);
      RuleRun.pause(Duration.ofMillis(50));
      cut = proxy.cut();
      proxy.holdReplies(false);
    } else {
      for (int i = 0; i < held.size(); i++) {
        cut += i == before ? proxy.cut() : 0;
        held.get(i).release();
      }
    }
    run.requireHit(cut, "all connections of a waiting client cut at a release");
  }

  private static long awaitAll(RuleRun run, List<CompletableFuture<Lease>> waits) throws Exception {
    long start = System.nanoTime();
    Duration limit = run.limit(3_000);
    try {
      CompletableFuture.allOf(waits.toArray(new CompletableFuture<?>[0]))
          .get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      long still = waits.stream().filter(wait -> !wait.isDone()).count();
      run.expect(
          false,
          "waiters acquire within " + limit.toMillis() + " ms of a release that they may not have"
              + " heard of",
          still + " of " + waits.size() + " still wait");
    }
    run.count(waits.size());
    return System.nanoTime() - start;
  }

  @Rule(
      value = "W11",
      check = "that a connection is closed, and another one opened, when answers stay out on it",
      timed = true,
      limit = 120,
      needs = TckFault.CONNECTION)
  public static void aDeafConnectionIsGivenUp(RuleRun run) throws Exception {
    FaultProxy proxy = run.proxy();
    LockClient client = run.client(proxy);
    LockClient other = run.client();
    Duration limit = run.limit(8_000); // an answer may be on its way
    for (int round = 0; round < run.amount(1, 3, 10); round++) {
      String kept = run.name();
      Lease lease = client.acquire(Leases.lasting(run, kept, 16_000));
      // Several connections, where a client has them.
      List<CompletableFuture<Lease>> crowd = new ArrayList<>();
      for (int i = 0; i < WAITERS; i++) {
        crowd.add(client.acquireAsync(Leases.fixed(run, run.name(), 20_000)));
      }
      for (CompletableFuture<Lease> each : crowd) {
        each.get(run.limit(5_000).toMillis(), TimeUnit.MILLISECONDS).release();
      }
      run.requireHit(proxy.silence(), "connections that stay deaf while new ones work");
      long start = System.nanoTime();
      acquireInTime(run, client, other, limit);
      expectReleased(run, client, other, limit, start);
      Leases.until(start + run.ms(17_000).toNanos());
      run.expect(lease.isValid(), "a renewed lease of 16 s is still valid after 17 s", "it is not");
      lease.release();
      run.expectFree(other, kept, run.limit(1_000), "after a release over a new connection");
    }
  }

  private static void acquireInTime(
      RuleRun run, LockClient client, LockClient other, Duration limit) throws Exception {
    long start = System.nanoTime();
    LockException last = null;
    while (System.nanoTime() - start < limit.toNanos()) {
      String name = run.name();
      try {
        Lease lease = client.acquire(Leases.fixed(run, name, 20_000).withWait(limit));
        run.note("after the connections went deaf, a free lock was acquired within "
            + (System.nanoTime() - start) / 1_000_000 + " ms");
        Leases.release(lease);
        run.expectFree(other, name, limit, "after its release");
        return;
      } catch (LockException e) {
        last = e;
      }
    }
    run.expect(
        false,
        "a free lock is acquired within " + limit.toMillis()
            + " ms of the moment at which the connections went deaf",
        "it was not; the last failure: " + last);
  }

  /** A release by another client reaches a waiter whose connection for messages is deaf. */
  private static void expectReleased(
      RuleRun run, LockClient client, LockClient other, Duration limit, long start)
      throws Exception {
    long took = handOff(run, client, other, () -> {});
    run.expect(
        took <= limit.toNanos(),
        "a waiter acquires within " + limit.toMillis() + " ms of a release",
        "after " + took / 1_000_000 + " ms, " + (System.nanoTime() - start) / 1_000_000
            + " ms after the connections went deaf");
  }

  @Rule(
      value = "P2",
      check = "that a subscription is made again when its connection ends, without a request",
      neighbours = Neighbours.NONE,
      timed = true,
      limit = 120,
      needs = TckFault.CONNECTION)
  public static void theSubscriptionSurvivesACut(RuleRun run) throws Exception {
    FaultProxy proxy = run.proxy();
    LockClient waiting = run.client(proxy);
    LockClient holding = run.client();
    handOff(run, waiting, holding, () -> {});
    long slowest = 0;
    int cuts = run.amount(3, 9, 24);
    for (int i = 0; i < cuts; i++) {
      boolean fails = i % 3 == 1;
      long meanwhile = handOff(run, waiting, holding, () -> cut(run, proxy, fails));
      String which = fails ? "a cut whose first reconnect fails" : "cut " + (i + 1);
      run.expect(
          meanwhile <= run.limit(3_000).toNanos(),
          "a waiter acquires within 3 s of a release that comes after " + which,
          "after " + meanwhile / 1_000_000 + " ms");
      slowest = Math.max(slowest, expectListening(run, waiting, holding, which));
    }
    run.note("the medians of hand-offs after each of %d cuts were %.2f ms at most"
        .formatted(cuts, slowest / 1e6));
  }

  /** Cuts all connections; new ones are refused for some time, or made at once. */
  private static void cut(RuleRun run, FaultProxy proxy, boolean fails)
      throws InterruptedException {
    int refused = proxy.refused();
    proxy.refuse(fails);
    int cut = proxy.cut();
    run.requireHit(cut, "all connections of a waiting client cut");
    if (!fails) {
      RuleRun.pause(run.ms(run.random().nextInt(300)));
      return;
    }
    // Whichever asks first: each connection that was cut has failed once, or the client is slow.
    long start = System.nanoTime();
    while (proxy.refused() - refused < cut && RuleRun.since(start).compareTo(run.ms(700)) < 0) {
      RuleRun.pause(Duration.ofMillis(5));
    }
    proxy.refuse(false);
    if (proxy.refused() > refused) {
      run.fault("new connections refused after a cut");
    }
  }

  /** Answers how long a usual hand-off took, in nanoseconds. */
  private static long expectListening(
      RuleRun run, LockClient waiting, LockClient holding, String which) throws Exception {
    List<Long> times = new ArrayList<>();
    for (int after = 0; after < 3; after++) {
      times.add(handOff(run, waiting, holding, () -> {}));
    }
    Collections.sort(times);
    long median = times.get(times.size() / 2);
    run.expect(
        median <= run.limit(200).toNanos(),
        "hand-offs after " + which + " take at most 200 ms",
        "their median is " + median / 1_000_000 + " ms");
    return median;
  }

  /** What is done to a client while it waits. */
  interface Harm {
    void act() throws Exception;
  }

  /** Answers how long after the release the waiter had the lock. */
  static long handOff(RuleRun run, LockClient waiting, LockClient holding, Harm harm)
      throws Exception {
    String name = run.name();
    Lease held = holding.acquire(Leases.fixed(run, name, 40_000));
    CompletableFuture<Long> acquired = waiting
        .acquireAsync(LockRequest.of(name).withLease(run.ms(40_000)).withWait(run.ms(30_000)))
        .thenApply(lease -> {
          long now = System.nanoTime();
          Leases.release(lease);
          return now;
        });
    RuleRun.pause(run.ms(100));
    harm.act();
    long released = System.nanoTime();
    held.release();
    run.count(1);
    return acquired.get(run.limit(30_000).toMillis(), TimeUnit.MILLISECONDS) - released;
  }

  @Rule(
      value = "E1",
      check = "that a retry after a cut carries the id of the first attempt",
      timed = true,
      needs = TckFault.CONNECTION)
  public static void anAttemptLostOnTheWireMakesOneHold(RuleRun run) throws Exception {
    FaultProxy proxy = run.proxy();
    LockClient client = run.client(proxy);
    LockClient observer = run.client();
    List<MessageFault> effects = List.of(
        MessageFault.REQUEST_LOST,
        MessageFault.REQUEST_TORN,
        MessageFault.REPLY_LOST,
        MessageFault.REPLY_LATE,
        MessageFault.REPLY_FRAGMENTED);
    for (int i = 0; i < run.amount(5, 25, 100); i++) {
      String name = run.name();
      MessageFault fault = effects.get(i % effects.size());
      Injection injection = proxy.inject(Injection.of(fault, name, 1, 1, Duration.ofMillis(100)));
      Lease lease = client.acquire(Leases.fixed(run, name, 20_000).withWait(run.limit(8_000)));
      run.requireHit(injection);
      run.expectHeld(observer, name, "after " + fault.words());
      lease.release();
      run.expectFree(observer, name, run.limit(1_000), "after one release");
    }
  }

  @Rule(
      value = "E2",
      check = "that a retry of a release frees the hold of its own id and no other",
      timed = true,
      needs = TckFault.CONNECTION)
  public static void aReleaseLostOnTheWireFreesNoSuccessor(RuleRun run) throws Exception {
    FaultProxy proxy = run.proxy();
    LockClient client = run.client(proxy);
    LockClient successor = run.client();
    LockClient observer = run.client();
    for (int i = 0; i < run.amount(3, 15, 60); i++) {
      String name = run.name();
      Lease lease = client.acquire(Leases.fixed(run, name, 20_000));
      CompletableFuture<Lease> next = successor.acquireAsync(
          LockRequest.of(name).withLease(run.ms(20_000)).withWait(run.ms(10_000)));
      RuleRun.pause(Duration.ofMillis(30));
      Injection injection =
          proxy.inject(Injection.of(MessageFault.REPLY_LOST, name, 1, 1, Duration.ZERO));
      Leases.release(lease);
      run.requireHit(injection);
      Lease after = next.get(run.limit(10_000).toMillis(), TimeUnit.MILLISECONDS);
      for (int look = 0; look < 10; look++) {
        run.expectHeld(observer, name, "after the reply to a release was lost");
        RuleRun.pause(Duration.ofMillis(10));
      }
      Leases.expectValid(run, after, "the successor's lease");
      after.release();
    }
    run.note("no successor was touched by a release that was repeated");
  }

  @Rule(
      value = "E6",
      check = "that an attempt whose replies were all lost is abandoned in the background",
      needs = TckFault.CONNECTION,
      timed = true)
  public static void whatNobodyHeardOfIsCleanedUp(RuleRun run) throws Exception {
    FaultProxy proxy = run.proxy();
    LockClient client = run.client(proxy);
    LockClient observer = run.client();
    for (int i = 0; i < run.amount(2, 8, 30); i++) {
      String name = run.name();
      Injection injection = proxy.inject(
          Injection.of(MessageFault.REPLY_LOST, name, 1, Integer.MAX_VALUE, Duration.ZERO));
      LockRequest request = Leases.lasting(run, name, 1_500).withWait(run.ms(300));
      run.expectThrows(
          LockException.class, "acquire without any reply", () -> client.acquire(request));
      run.requireHit(injection);
      proxy.heal();
      run.expectFree(observer, name, run.pastLease(1_500, 1_000), "after replies lost on the wire");
    }
  }
}
