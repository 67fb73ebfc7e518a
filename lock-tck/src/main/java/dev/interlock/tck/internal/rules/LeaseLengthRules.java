package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** Rule L4 for leases of every length: by the server's own count, at once. */
public final class LeaseLengthRules {
  /** What a server may round: it keeps milliseconds. */
  private static final long ROUNDED = 10;

  private static final int USES = 120;

  /** As many as there is time for. */
  private static final int MANY_USES = 1_100;

  private static final long LONGEST_USE = 2_500;
  private static final int CAPPED_WHEN_SEEN = 16_000;

  private static final List<Long> BRIEF = List.of(50L, 180L, 700L, 1_600L);

  // Milliseconds, whatever the time scale: what is cut, capped or wrapped does not stretch with it.
  private static final List<Long> LENGTHS = List.of(
      1_999L,
      2_750L,
      5_500L,
      10_900L,
      15_600L,
      30_750L,
      61_250L,
      299_900L,
      901_300L,
      3_601_450L,
      // Longer than a day, than 31 and 32 bits of milliseconds, than 31 bits of 10 ms.
      86_400_777L,
      2_147_483_647L + 5_300L,
      4_294_967_296L + 90_250L,
      21_474_836_480L + 7_650L);

  private static final List<Long> REPEATED = List.of(5_500L, 61_250L, 3_601_450L);

  private interface Grant {
    /** Returns a moment before which the server did not begin to count. */
    long grant(String name, Duration lease) throws Exception;
  }

  private LeaseLengthRules() {}

  @Rule(
      value = "L4",
      check = "whether a lease is cut, rounded, capped or wrapped on its way to the server",
      limit = 90,
      timed = true)
  public static void aLeaseOfAnyLengthIsKept(RuleRun run) throws Exception {
    run.ifOffered(() -> keepLengths(run));
  }

  private static void keepLengths(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockClient observer = run.client();
    Duration wait = run.limit(3_000);
    for (long millis : LENGTHS) {
      Duration lease = Duration.ofMillis(millis);
      for (Map.Entry<String, UnaryOperator<LockRequest>> kind :
          Leases.kinds(run).entrySet()) {
        expectKept(run, observer, lease, "acquire of " + kind.getKey(), (name, asked) -> {
          long called = System.nanoTime();
          client.acquire(
              kind.getValue().apply(LockRequest.of(name).withLease(asked).withWait(wait)));
          return called;
        });
      }
      for (Map.Entry<String, UnaryOperator<LockRequest>> kind :
          renewable(run, Leases.kinds(run)).entrySet()) {
        expectKept(run, observer, lease, "extend of " + kind.getKey(), (name, asked) -> {
          LockRequest request = LockRequest.of(name).withLease(before(asked)).withWait(wait);
          Lease held = client.acquire(kind.getValue().apply(request));
          long called = System.nanoTime();
          run.expectWhileHeld(
              name, () -> held.extend(asked), "extend of a held lease answers true", "false");
          return called;
        });
      }
    }
    run.note(LENGTHS.size() + " leases from 2 s to 248 days were kept to 10 ms");
  }

  /** Without the engine, which gives back what is over when it comes. */
  @Rule(value = "L4", check = "whether a lease is made longer than it is asked for", timed = true)
  public static void aBriefLeaseIsNotMadeLonger(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend direct = run.direct();
    for (long millis : BRIEF) {
      String name = run.name();
      var id = direct.newId();
      direct.acquire(name, id, Duration.ofMillis(millis / 2), run.limit(3_000));
      expectAtMost(run, direct, name, millis / 2, "a grant");
      if (run.has(Capability.RENEWABLE)) {
        direct.renew(name, id, Duration.ofMillis(millis));
        expectAtMost(run, direct, name, millis, "a renewal");
      }
      direct.release(name, id);
    }
  }

  private static void expectAtMost(
      RuleRun run, DirectBackend direct, String name, long millis, String way) {
    Duration left = direct.backend().inspect(name).map(HoldInfo::remaining).orElse(Duration.ZERO);
    run.expect(
        left.compareTo(run.expiry(0).plusMillis(millis + ROUNDED)) <= 0,
        "of a lease of " + millis + " ms by " + way + " no more than that remains",
        left + " remain");
  }

  /** A grant to a waiter, and a renewal, may go other ways than an attempt on a free lock. */
  @Rule(
      value = "L4",
      check = "the lease of a grant to a waiter, and that of a renewal",
      timed = true)
  public static void aLeaseOfAnyLengthIsKeptOnOtherWays(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend direct = run.direct();
    LockClient client = run.client();
    LockClient observer = run.client();
    for (long millis : LENGTHS.subList(1, LENGTHS.size())) {
      Duration lease = Duration.ofMillis(millis);
      for (Map.Entry<String, UnaryOperator<LockRequest>> kind :
          Leases.kinds(run).entrySet()) {
        String way = "a grant of " + kind.getKey() + " to a waiter";
        expectKept(run, observer, lease, way, (name, asked) -> {
          Lease before = client.acquire(Leases.fixed(run, name, 20_000));
          var waiting = observer.acquireAsync(kind.getValue()
              .apply(LockRequest.of(name).withLease(asked).withWait(run.ms(10_000))));
          // Longer than what a server may round.
          RuleRun.pause(Duration.ofMillis(2 * ROUNDED));
          long released = System.nanoTime();
          before.release();
          waiting.get();
          return released;
        });
      }
      for (Map.Entry<String, UnaryOperator<Attempt>> kind :
          renewable(run, Leases.attempts(run)).entrySet()) {
        expectKept(run, observer, lease, "a renewal of " + kind.getKey(), (name, asked) -> {
          Attempt attempt = Attempt.of(name, direct.newId(), "tck", before(asked));
          direct.acquire(kind.getValue().apply(attempt), run.limit(3_000));
          long called = System.nanoTime();
          direct.renew(name, attempt.id(), asked);
          return called;
        });
      }
    }
  }

  /** The engine counts the validity from the attempt that was answered, which may be the second. */
  @Rule(
      value = "L4",
      check = "that an attempt which is repeated begins its lease anew",
      timed = true)
  public static void aRepeatedAttemptHasAllOfItsLease(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend direct = run.direct();
    LockClient observer = run.client();
    for (long millis : REPEATED) {
      Map<String, Attempt> attempts = new LinkedHashMap<>();
      for (Map.Entry<String, UnaryOperator<Attempt>> kind : Leases.attempts(run).entrySet()) {
        Attempt attempt = Attempt.of(run.name(), direct.newId(), "tck", Duration.ofMillis(millis));
        attempts.put(kind.getKey(), kind.getValue().apply(attempt.withPatience(run.ms(3_000))));
        direct.acquire(attempts.get(kind.getKey()), run.limit(3_000));
      }
      // Far longer than what a server may round, and than an answer takes.
      RuleRun.pause(Duration.ofMillis(20 * ROUNDED));
      for (Map.Entry<String, Attempt> attempt : attempts.entrySet()) {
        long called = System.nanoTime();
        direct.acquire(attempt.getValue(), run.limit(3_000));
        String way = "a repeated attempt of " + attempt.getKey();
        Attempt repeated = attempt.getValue();
        expectKept(run, observer, repeated.name(), repeated.lease(), way, called);
      }
    }
  }

  /** How a hold ends before another one begins. */
  private interface Ending {
    void end(DirectBackend direct, LockClient operator, Attempt held) throws Exception;
  }

  @Rule(
      value = "L4",
      check = "that nothing of a hold's lease is left when it has ended, however that was",
      timed = true)
  public static void noLeaseOutlivesItsHold(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend direct = run.direct();
    LockClient client = run.client();
    Map<String, Ending> endings = new LinkedHashMap<>();
    endings.put("a release", (backend, operator, held) -> backend.release(held.name(), held.id()));
    endings.put(
        "an abandonment", (backend, operator, held) -> backend.abandon(held.name(), held.id()));
    endings.put(
        "a forced release", (backend, operator, held) -> operator.forceRelease(held.name()));
    for (Map.Entry<String, Ending> ending : endings.entrySet()) {
      for (Map.Entry<String, UnaryOperator<Attempt>> kind : Leases.attempts(run).entrySet()) {
        Attempt former = Attempt.of(run.name(), direct.newId(), "tck", Duration.ofMinutes(10));
        direct.acquire(kind.getValue().apply(former), run.limit(3_000));
        ending.getValue().end(direct, client, former);
        Attempt next = kind.getValue()
            .apply(Attempt.of(former.name(), direct.newId(), "tck", Duration.ofSeconds(8)));
        long called = System.nanoTime();
        direct.acquire(next, run.limit(3_000));
        String way = kind.getKey() + " after " + ending.getKey() + " of a longer one";
        expectKept(run, client, next.name(), next.lease(), way, called);
      }
    }
  }

  private static <T> Map<String, T> renewable(RuleRun run, Map<String, T> kinds) {
    return run.has(Capability.RENEWABLE) ? kinds : Map.of();
  }

  /** What is left of a lease before it is made longer. */
  private static Duration before(Duration longer) {
    Duration third = longer.dividedBy(3);
    Duration enough = Duration.ofSeconds(5);
    return third.compareTo(enough) < 0 ? third : enough;
  }

  private static void expectKept(
      RuleRun run, LockClient observer, Duration lease, String way, Grant grant) throws Exception {
    String name = run.name();
    expectKept(run, observer, name, lease, way, grant.grant(name, lease));
  }

  private static void expectKept(
      RuleRun run, LockClient observer, String name, Duration lease, String way, long called) {
    Duration left = observer.inspect(name).map(HoldInfo::remaining).orElse(Duration.ZERO);
    // However slow all was: the server began to count after the call, and was asked before now.
    Duration least = lease.minusNanos(System.nanoTime() - called).minusMillis(ROUNDED);
    run.expect(
        left.compareTo(least) >= 0
            && left.compareTo(lease.plus(run.expiry(0)).plusMillis(ROUNDED)) <= 0,
        "of a lease of %s by %s at least %s remain on the server, and no more than the lease"
            .formatted(lease, way, least),
        left + " remain");
    observer.forceRelease(name);
  }

  @Rule(value = "L4", check = "that neither a renewal nor a repeated attempt makes a lease shorter")
  public static void noRenewalShortensALease(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend direct = run.direct();
    LockClient observer = run.client();
    Duration longer = Duration.ofMinutes(2);
    Duration shorter = Duration.ofSeconds(5);
    String name = run.name();
    var id = direct.newId();
    direct.acquire(name, id, longer, run.limit(3_000));
    direct.attempt(name, id, shorter);
    expectLeft(run, observer, name, "an attempt that was repeated with five seconds");
    if (run.has(Capability.RENEWABLE)) {
      direct.renew(name, id, shorter);
      expectLeft(run, observer, name, "a renewal for five seconds");
    }
    direct.release(name, id);
  }

  private static void expectLeft(RuleRun run, LockClient observer, String name, String after) {
    Duration left = observer.inspect(name).map(HoldInfo::remaining).orElse(Duration.ZERO);
    run.expect(
        left.compareTo(Duration.ofMinutes(1)) > 0,
        "of a lease of two minutes most remains after " + after,
        left + " remain");
  }

  /** What inspect tells may be what was asked for, and not what is. */
  @Rule(
      value = "L4",
      check = "whether a long lease ends early, and who is told when it is released late",
      limit = 90,
      timed = true)
  public static void aLongLeaseLasts(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockClient other = run.client();
    Map<String, String> leases = new LinkedHashMap<>();
    Duration lease = Duration.ofMinutes(10);
    for (Map.Entry<String, UnaryOperator<LockRequest>> kind : Leases.kinds(run).entrySet()) {
      String fixed = run.name();
      LockRequest request = LockRequest.of(fixed).withLease(lease).withWait(run.limit(3_000));
      client.acquire(kind.getValue().apply(request));
      leases.put(fixed, "a lease of ten minutes of " + kind.getKey());
      if (run.has(Capability.RENEWABLE)) {
        String extended = run.name();
        Lease held = client.acquire(kind.getValue().apply(Leases.fixed(run, extended, 3_000)));
        run.expectWhileHeld(
            extended, () -> held.extend(lease), "extend of a held lease answers true", "false");
        leases.put(extended, "a lease of " + kind.getKey() + " that was extended to ten minutes");
      }
    }
    Map<Lease, CompletableFuture<Lease>> waits = beginWaits(run, client, other, lease);
    RuleRun.pause(Duration.ofMillis(CAPPED_WHEN_SEEN));
    leases.forEach((name, what) -> run.expectHeld(other, name, "16 s into " + what));
    for (Map.Entry<Lease, CompletableFuture<Lease>> wait : waits.entrySet()) {
      wait.getKey().release();
      Queues.expectServed(run, wait.getValue(), "one who has waited for 16 s");
      wait.getValue().get().release();
    }
  }

  /** Begins a wait of each kind, for what is released when there is time for nothing else. */
  private static Map<Lease, CompletableFuture<Lease>> beginWaits(
      RuleRun run, LockClient holder, LockClient waiting, Duration lease) throws Exception {
    Map<Lease, CompletableFuture<Lease>> waits = new LinkedHashMap<>();
    if (run.isForeign()) {
      return waits;
    }
    for (UnaryOperator<LockRequest> kind : Leases.kinds(run).values()) {
      LockRequest request = LockRequest.of(run.name()).withLease(lease);
      Lease held = holder.acquire(request.withWait(run.limit(3_000)));
      waits.put(held, waiting.acquireAsync(kind.apply(request.withWait(lease))));
    }
    return waits;
  }

  @Rule(value = "L4", check = "whether the lease depends on how often the lock was used")
  public static void theHundredthUseHasItsLeaseToo(RuleRun run) throws Exception {
    run.ifOffered(() -> useOften(run));
  }

  private static void useOften(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockClient observer = run.client();
    String name = run.name();
    Duration lease = run.ms(20_000);
    long end = System.nanoTime() + run.ms(LONGEST_USE).toNanos();
    int uses = 0;
    for (int i = 1; i <= USES || (i <= MANY_USES && System.nanoTime() - end < 0); i++) {
      uses = i;
      long called = System.nanoTime();
      Lease held = client.acquire(Leases.fixed(run, name, 20_000));
      Duration left = observer.inspect(name).map(HoldInfo::remaining).orElse(Duration.ZERO);
      run.expect(
          left.compareTo(lease.dividedBy(2).minus(RuleRun.since(called))) > 0,
          "use " + i + " of a lock has its lease of 20 s",
          left + " remain");
      held.release();
    }
    run.note(uses + " uses of a lock each had their lease");
  }
}
