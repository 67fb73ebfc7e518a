package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.DistributedLock;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LeaseSet;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Rule L4: every way to acquire honours the lease it was given. */
public final class LeaseRules {
  private static final long LEASE = 1_200;

  /** A hold that nobody releases. */
  private record Taken(String way, String name, long called, long returned) {}

  private interface Way {
    void acquire(LockClient client, String name) throws Exception;
  }

  private LeaseRules() {}

  @Rule(
      value = "L4",
      check = "that the lease of the request reaches the server on every path",
      timed = true)
  public static void everyWayHonoursTheLease(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockClient other = run.client();
    Map<String, Taken> taken = new LinkedHashMap<>();
    for (Map.Entry<String, Way> way : ways(run).entrySet()) {
      String name = run.name();
      run.ifOffered(() -> {
        long called = System.nanoTime();
        way.getValue().acquire(client, name);
        taken.put(way.getKey(), new Taken(way.getKey(), name, called, System.nanoTime()));
      });
    }
    for (Taken hold : taken.values()) {
      expectClosedPastTheMiddle(run, other, hold);
    }
    for (Taken hold : taken.values()) {
      Leases.until(hold.returned() + run.ms(LEASE).toNanos());
      run.expectFree(other, hold.name(), run.pastLease(0, 1_000), "after a lease by " + hold.way());
    }
    run.note(taken.size() + " ways to acquire kept their lease and no more");
  }

  @Rule(
      value = "L4",
      check = "that acquireAll extends what it took first, when it has taken the last",
      timed = true)
  public static void eachLeaseOfAcquireAllHasItsFullTime(RuleRun run) throws Exception {
    if (!run.has(Capability.RENEWABLE)) {
      return;
    }
    List<String> names = Stream.of(run.name(), run.name(), run.name()).sorted().toList();
    LockClient client = run.client();
    LockClient other = run.client();
    Lease blocker = other.acquire(Leases.fixed(run, names.get(2), 60_000));
    List<LockRequest> requests = names.stream()
        .map(name -> Leases.once(run, name, 6_000).withWait(run.ms(20_000)))
        .toList();
    CompletableFuture<LeaseSet> waiting = new CompletableFuture<>();
    Thread thread = new Thread(() -> {
      try {
        waiting.complete(client.acquireAll(requests));
      } catch (InterruptedException | RuntimeException e) {
        waiting.completeExceptionally(e);
      }
    });
    thread.setDaemon(true);
    thread.start();
    run.await(
        run.limit(5_000),
        "the first lock is taken and has lost time",
        () -> other
            .inspect(names.get(0))
            .filter(held -> held.remaining().compareTo(run.ms(4_000)) < 0)
            .isPresent());
    blocker.release();
    long released = System.nanoTime();
    LeaseSet all = waiting.get(run.limit(5_000).toMillis(), TimeUnit.MILLISECONDS);
    for (Lease lease : all.leases()) {
      Duration left = lease.remaining();
      Duration kept = other.inspect(lease.name()).map(HoldInfo::remaining).orElse(Duration.ZERO);
      // However slow all was: they were extended after the release.
      Duration least = run.ms(5_000).minus(RuleRun.since(released));
      run.expect(
          left.compareTo(least) > 0 && kept.compareTo(least) > 0,
          "each lease of acquireAll has its 6 s when the call returns",
          "lock " + names.indexOf(lease.name()) + " of 3 has " + left + ", on the server " + kept);
    }
    all.release();
    run.note("the leases that were taken first had their full time in the end");
  }

  private static Map<String, Way> ways(RuleRun run) {
    Duration lease = run.ms(LEASE);
    Duration wait = run.limit(2_000);
    Map<String, Way> ways = new LinkedHashMap<>();
    ways.put("acquire", (client, name) -> client.acquire(request(run, name)));
    ways.put(
        "acquire without a limit of the wait",
        (client, name) -> client.acquire(LockRequest.of(name).withLease(lease)));
    ways.put("tryAcquire", (client, name) -> {
      Optional<Lease> held = client.tryAcquire(Leases.once(run, name, LEASE));
      if (held.isEmpty()) {
        client.acquire(request(run, name));
      }
    });
    ways.put(
        "acquireAsync",
        (client, name) -> client
            .acquireAsync(request(run, name))
            .get(run.limit(5_000).toMillis(), TimeUnit.MILLISECONDS));
    ways.put("acquireAll", (client, name) -> client.acquireAll(List.of(request(run, name))));
    ways.put("tryLock", (client, name) -> tryLock(client.lock(name), wait, lease));
    ways.put(
        "acquire withOwner",
        (client, name) -> client.acquire(request(run, name).withOwner("tck-" + name)));
    ways.put("tryLock after a shorter lease on the same object", (client, name) -> {
      DistributedLock lock = client.lock(name);
      tryLock(lock, wait, run.ms(200));
      unlockIfHeld(lock); // on a machine that is slow it may be over
      tryLock(lock, wait, lease);
    });
    ways.put("tryLock after a longer lease on the same object", (client, name) -> {
      DistributedLock lock = client.lock(name);
      tryLock(lock, wait, run.ms(60_000));
      lock.unlock();
      tryLock(lock, wait, lease);
    });
    if (run.has(Capability.FAIR)) {
      ways.put(
          "acquire with fair(true)",
          (client, name) -> client.acquire(request(run, name).fair(true)));
    }
    return ways;
  }

  private static LockRequest request(RuleRun run, String name) {
    return Leases.fixed(run, name, LEASE);
  }

  private static void tryLock(DistributedLock lock, Duration wait, Duration lease)
      throws InterruptedException {
    if (!lock.tryLock(wait, lease)) {
      throw new RuleViolation("a free lock is locked", "tryLock answered false", List.of());
    }
  }

  private static void expectClosedPastTheMiddle(RuleRun run, LockClient other, Taken hold)
      throws InterruptedException {
    Leases.until(hold.called() + run.ms(LEASE * 2 / 3).toNanos());
    // The lease outlasts a late answer, for one that comes after the lease is no answer at all.
    Optional<Lease> entered =
        other.tryAcquire(LockRequest.of(hold.name()).withLease(run.limit(10_000)));
    long surelyHeldUntil = hold.called() + run.ms(LEASE).toNanos();
    // On a machine that stood still for long the lease may have ended rightly.
    boolean stillDue = System.nanoTime() - surelyHeldUntil < 0;
    entered.ifPresent(Lease::release);
    run.expect(
        entered.isEmpty() || !stillDue,
        "past two thirds of a lease by " + hold.way() + " another client is kept out",
        "it entered");
  }

  @Rule(
      value = "L4",
      check = "that a lock object keeps nothing of an earlier request",
      timed = true)
  public static void anEarlierLeaseDoesNotShortenTheDefaultOne(RuleRun run) throws Exception {
    if (!run.has(Capability.RENEWABLE)) {
      return;
    }
    String name = run.name();
    LockClient other = run.client();
    DistributedLock lock = run.client().lock(name);
    tryLock(lock, run.ms(2_000), run.ms(200));
    RuleRun.pause(run.expiry(350));
    // The first lease has ended by itself, so there is nothing to unlock.
    lock.lock();
    boolean entered;
    try {
      RuleRun.pause(run.ms(800));
      entered = other.tryAcquire(LockRequest.of(name).withLease(run.ms(1_000))).isPresent();
    } finally {
      unlockIfHeld(lock);
    }
    run.expect(
        !entered,
        "800 ms after lock(), on an object whose last lease was of 200 ms, others are kept out",
        "another client entered");
  }

  /** How another API refuses is for it to say. */
  private static void expectRefused(RuleRun run, DistributedLock lock, Duration tooShort)
      throws InterruptedException {
    boolean locked;
    try {
      locked = lock.tryLock(Duration.ZERO, tooShort);
    } catch (LockException | IllegalArgumentException e) {
      return;
    }
    run.expect(!locked, "a lease of 500 us is refused, not rounded", "tryLock answered true");
  }

  private static void unlockIfHeld(DistributedLock lock) {
    try {
      lock.unlock();
    } catch (IllegalMonitorStateException | LeaseLostException e) {
      // Lost, which is what the test tells.
    }
  }

  @Rule(value = "L4", check = "that a lease is never rounded")
  public static void aLeaseBelowTheMinimumIsRefused(RuleRun run) throws Exception {
    LockClient client = run.client();
    Duration tooShort = Duration.ofNanos(500_000);
    LockRequest request = LockRequest.of(run.name());
    DistributedLock lock = client.lock(run.name());
    run.expectThrows(
        IllegalArgumentException.class, "withLease(500 us)", () -> request.withLease(tooShort));
    if (run.isForeign()) {
      expectRefused(run, lock, tooShort);
    } else {
      run.expectThrows(
          IllegalArgumentException.class,
          "tryLock with a lease of 500 us",
          () -> lock.tryLock(Duration.ZERO, tooShort));
    }
    run.expectThrows(
        IllegalArgumentException.class, "withLease(0)", () -> request.withLease(Duration.ZERO));
    if (run.has(Capability.RENEWABLE)) {
      Lease lease = client.acquire(Leases.fixed(run, run.name(), 5_000));
      run.expectThrows(
          IllegalArgumentException.class, "extend(500 us)", () -> lease.extend(tooShort));
      lease.release();
    }
  }
}
