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
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** Groups R and C for many who hold together or are served together, and for many permits. */
public final class CountedSizeRules {
  /** More than a byte counts, and than a list of holders with a usual bound has room for. */
  private static final int MANY = 304;

  private static final int AT_ONCE = 8;

  /** More than a usual bound on what is done in one step. */
  private static final int TOGETHER = 70;

  private static final int FEW = 4;
  private static final int ROUNDS = 3;

  /** Sooner, in milliseconds, than one who is told nothing looks again by itself. */
  private static final long SOON = 500;

  // On either side of what 8, 15 and 16 bits count, and the most that the API allows.
  private static final List<Integer> SIZES =
      List.of(127, 128, 255, 256, 32_767, 32_768, 65_535, 65_536, LockRequest.MAX_PERMITS);

  private CountedSizeRules() {}

  @Rule(value = "C1", check = "whether units and sizes are kept in as many bits as they come in")
  public static void largeSemaphoresAreCountedToo(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockClient other = run.client();
    for (int size : SIZES) {
      LockRequest request = Leases.once(run, run.name(), 20_000);
      Lease most = client.acquire(request.permits(size - 1, size).withWait(run.limit(3_000)));
      run.expectWhileHeld(
          request.name(),
          () -> other.tryAcquire(request.permits(2, size)).isEmpty(),
          "two permits are refused while all but one of " + size + " are held",
          "they were given");
      Lease last = Leases.expectGiven(run, other, request.permits(1, size), "the last of " + size);
      run.expectWhileHeld(
          request.name(),
          () -> other.tryAcquire(request.permits(1, size)).isEmpty(),
          "no permit is given while all of " + size + " are held",
          "one was");
      most.release();
      last.release();
      Leases.expectGiven(run, other, request.permits(size, size), "all of " + size)
          .release();
    }
    run.note("semaphores of " + SIZES + " permits were counted");
  }

  @Rule(value = "C1", check = "whether anything but the size bounds how many hold permits")
  public static void asManyHoldAsThereArePermits(RuleRun run) throws Exception {
    expectOwnTokens(run, Leases.fixed(run, run.name(), 60_000).permits(1, FEW));
    holdTogether(run, Leases.once(run, run.name(), 60_000).permits(1, MANY));
    run.note(MANY + " holders of one permit each held together, and no more");
  }

  @Rule(value = "R1", check = "whether anything bounds the number of readers")
  public static void manyReadersHoldTogether(RuleRun run) throws Exception {
    holdTogether(run, Leases.once(run, run.name(), 60_000).shared());
    run.note(MANY + " readers held together");
  }

  private static void expectOwnTokens(RuleRun run, LockRequest request) throws Exception {
    if (!run.has(Capability.FENCED)) {
      return;
    }
    List<LockClient> clients = List.of(run.client(), run.client());
    long last = Long.MIN_VALUE;
    for (int i = 0; i < FEW; i++) {
      long token = clients.get(i % 2).acquire(request).fencingToken();
      run.expect(token > last, "the token of a further permit is larger than " + last, "" + token);
      last = token;
    }
  }

  /** Lets so many enter, and in between and at last one who must not. */
  private static void holdTogether(RuleRun run, LockRequest request) throws Exception {
    List<LockClient> clients = new ArrayList<>();
    for (int i = 0; i < AT_ONCE; i++) {
      clients.add(run.client());
    }
    LockClient other = run.client();
    LockRequest whole = Leases.once(run, request.name(), 1_000);
    List<List<Lease>> held = SideBySide.each(clients, client -> {
      List<Lease> mine = new ArrayList<>();
      for (int i = 0; i < MANY / AT_ONCE; i++) {
        mine.add(Leases.expectGiven(run, client, request, "one of " + MANY + " parts"));
      }
      return mine;
    });
    run.expectWhileHeld(
        whole.name(),
        () -> other.tryAcquire(whole).isEmpty(),
        "the whole is refused beside parts",
        "it was given");
    run.ifOffered(() -> {
      int told =
          other.inspect(whole.name()).map(info -> 1 + info.others().size()).orElse(0);
      run.expectWhileHeld(
          whole.name(),
          () -> told == MANY,
          "inspect tells all " + MANY + " who hold it together",
          "it tells " + told);
    });
    SideBySide.each(held, mine -> {
      mine.subList(1, mine.size()).forEach(Lease::release);
      return mine.size();
    });
    run.expectWhileHeld(
        whole.name(),
        () -> other.tryAcquire(whole).isEmpty(),
        "the whole is refused while " + AT_ONCE + " of " + MANY + " parts are held",
        "it was given");
    held.forEach(mine -> mine.get(0).release());
    run.expectFree(other, request.name(), run.limit(1_000), "after the last of many parts");
  }

  @Rule(
      value = "R2",
      check = "that one release lets in all readers in front, however many",
      timed = true)
  public static void manyReadersComeInTogether(RuleRun run) throws Exception {
    serveTogether(run, LockRequest::shared);
    run.note(TOGETHER + " readers in the queue came in together");
  }

  @Rule(
      value = "C3",
      check = "that one release serves all whom it makes room for, however many",
      timed = true)
  public static void manySmallRequestsAreServedTogether(RuleRun run) throws Exception {
    serveTogether(run, request -> request.permits(1, TOGETHER));
    run.note(TOGETHER + " requests in the queue were served by one release");
  }

  private static void serveTogether(RuleRun run, UnaryOperator<LockRequest> part) throws Exception {
    Crowd crowd = new Crowd(run.client(), List.of(run.client(), run.client()), run.client());
    Duration least = timeBetween(run, crowd, part, TOGETHER);
    for (int i = 1; i < ROUNDS; i++) {
      Duration next = timeBetween(run, crowd, part, FEW);
      least = next.compareTo(least) < 0 ? next : least;
    }
    run.expect(
        !run.has(Capability.PUSH) || least.compareTo(run.limit(SOON)) <= 0,
        "whoever comes in together is told together: once in " + ROUNDS + " rounds the last is"
            + " served within " + SOON + " ms of the first",
        "it took " + least.toMillis() + " ms at least");
  }

  private record Crowd(LockClient holder, List<LockClient> clients, LockClient observer) {}

  /** Answers how long after the first one the last one had it. */
  private static Duration timeBetween(
      RuleRun run, Crowd crowd, UnaryOperator<LockRequest> part, int count) throws Exception {
    LockRequest request = Queues.request(run, run.name());
    Lease whole = crowd.holder().acquire(Leases.fixed(run, request.name(), 30_000));
    List<CompletableFuture<Lease>> queue = new ArrayList<>();
    List<CompletableFuture<Long>> times = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      queue.add(Queues.enter(run, crowd.clients(), crowd.observer(), part.apply(request), i));
      times.add(queue.get(i).thenApply(lease -> System.nanoTime()));
    }
    whole.release();
    for (int i = 0; i < count; i++) {
      Queues.expectServed(run, queue.get(i), "number " + (i + 1) + " of those that fit together");
    }
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (CompletableFuture<Long> time : times) {
      first = Math.min(first, time.get());
      last = Math.max(last, time.get());
    }
    for (CompletableFuture<Lease> served : queue) {
      served.get().release();
    }
    return Duration.ofNanos(last - first);
  }
}
