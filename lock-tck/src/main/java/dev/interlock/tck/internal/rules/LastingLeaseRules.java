package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Rule L4 for leases that nobody renews: whether they last, whatever was before them. What inspect
 * tells is what was written, and what lives may end sooner. Each lock is looked at once, late, for
 * a look, a renewal, or a waiter may repair what is wrong.
 */
public final class LastingLeaseRules {
  private static final long LONG = 60_000;
  private static final long BRIEF = 500;

  // Not stretched: what ends too early does not stretch either. Longer than a grant to a waiter may
  // stay unconfirmed, and so long before the look that one which was not extended is over by then.
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final Duration UNTIL_EXTENDED = Duration.ofSeconds(3);
  private static final Duration LOOKED_AT_AFTER = Duration.ofMillis(3_600);

  private LastingLeaseRules() {}

  /** A hold that comes before. */
  private interface Before {
    /** Takes the lock, and answers how it is given up. */
    Ending take(String name) throws Exception;
  }

  /** How it is given up. */
  private interface Ending {
    void end() throws Exception;
  }

  /**
   * A way by which a hold comes about.
   *
   * @param before what was before
   * @param isAwaited whether it is asked for before that has ended
   * @param isExtended whether it has most of its lease by an extension
   */
  private record Way(Before before, boolean isAwaited, boolean isExtended) {
    static Way awaited(Before before) {
      return new Way(before, true, false);
    }
  }

  /** One hold that is to come about. */
  private record Wanted(String what, LockRequest request, Way way) {
    Started start(LockClient client) throws Exception {
      Ending ending = way.before().take(request.name());
      LockRequest next = way.isExtended() ? request.withLease(UNTIL_EXTENDED) : request;
      return new Started(this, ending, way.isAwaited() ? client.acquireAsync(next) : null);
    }
  }

  /** The same while the hold before is there. */
  private record Started(
      Wanted wanted, Ending before, @Nullable CompletableFuture<Lease> awaited) {
    Lasting succeed(RuleRun run, LockClient client) throws Exception {
      before.end();
      Lease lease = awaited == null
          ? client.acquire(wanted.request())
          : awaited.get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS);
      if (wanted.way().isExtended()) {
        run.expectWhileHeld(
            lease.name(), () -> lease.extend(LEASE), "extend of a held lease is true", "false");
      }
      return new Lasting(wanted.what(), lease);
    }
  }

  /** The same when it has come about. */
  private record Lasting(String what, Lease lease) {}

  @Rule(
      value = "L4",
      check = "whether a lease that nobody renews ends early, whatever was before it",
      limit = 90,
      timed = true)
  public static void aLeaseLastsWhateverWasBefore(RuleRun run) throws Exception {
    run.ifOffered(() -> lastAfterAll(run));
  }

  private static void lastAfterAll(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockClient operator = run.client();
    List<Wanted> wanted = new ArrayList<>();
    for (Map.Entry<String, Way> way : ways(run, client, operator).entrySet()) {
      for (Map.Entry<String, UnaryOperator<LockRequest>> kind :
          Leases.kinds(run).entrySet()) {
        LockRequest request = LockRequest.of(run.name()).withLease(LEASE).withWait(run.ms(LONG));
        String what = "a lease of a minute of " + kind.getKey() + " after " + way.getKey();
        wanted.add(new Wanted(what, kind.getValue().apply(request), way.getValue()));
      }
    }
    List<Started> started = SideBySide.each(wanted, one -> one.start(client));
    // Those who wait stand in the queue by then, or are noted.
    RuleRun.pause(run.ms(50));
    List<Lasting> lasting = SideBySide.each(started, one -> one.succeed(run, client));
    RuleRun.pause(run.expiry(0).plus(LOOKED_AT_AFTER));
    SideBySide.each(lasting, one -> {
      expectHeldLate(run, operator, one.lease().name(), one.what());
      one.lease().release();
      return one;
    });
    run.note(lasting.size() + " leases that nobody renews outlived what was before them");
  }

  private static Map<String, Way> ways(RuleRun run, LockClient client, LockClient operator) {
    LockClient other = run.client();
    Map<String, Way> ways = new LinkedHashMap<>();
    Before own = name -> client.acquire(Leases.fixed(run, name, LONG))::release;
    ways.put("a release by the same client", Way.awaited(own));
    ways.put(
        "a release by another client",
        Way.awaited(name -> other.acquire(Leases.fixed(run, name, LONG))::release));
    ways.put("the expiry of what it waited for", Way.awaited(name -> {
      other.acquire(Leases.fixed(run, name, BRIEF));
      return () -> {};
    }));
    Before expires = name -> {
      other.acquire(Leases.fixed(run, name, BRIEF));
      return () -> RuleRun.pause(run.expiry(2 * BRIEF));
    };
    ways.put("an expiry", new Way(expires, false, false));
    if (run.has(Capability.RENEWABLE)) {
      ways.put("a release by the same client, and an extension", new Way(own, true, true));
    }
    // The end of a client is another API's own matter, and what follows may be lacking there.
    if (run.isForeign()) {
      return ways;
    }
    ways.put("the end of another client", Way.awaited(name -> {
      LockClient leaving = run.client();
      leaving.acquire(Leases.fixed(run, name, LONG));
      return leaving::close;
    }));
    ways.put("a forced release", Way.awaited(name -> {
      other.acquire(Leases.fixed(run, name, LONG));
      return () -> Leases.force(run, operator, name);
    }));
    DirectBackend direct = run.direct();
    ways.put("an abandonment", Way.awaited(name -> {
      HoldId id = direct.newId();
      direct.acquire(name, id, run.ms(LONG), run.limit(3_000));
      return () -> direct.abandon(name, id);
    }));
    return ways;
  }

  /** By a single attempt. */
  private static void expectHeldLate(RuleRun run, LockClient other, String name, String what) {
    run.expectHeld(other, name, LOOKED_AT_AFTER.toMillis() + " ms into " + what);
  }

  /** The engine gives back what is to be given back; what a client keeps lasts. */
  @Rule(
      value = "L4",
      check = "whether the close of a backend ends what its client holds",
      timed = true)
  public static void aLeaseLastsWhenItsBackendIsClosed(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    LockClient other = run.client();
    DirectBackend closed = run.direct();
    Map<String, String> atOnce = new LinkedHashMap<>();
    Map<String, String> late = new LinkedHashMap<>();
    for (Map.Entry<String, UnaryOperator<Attempt>> kind : Leases.attempts(run).entrySet()) {
      for (Map<String, String> names : List.of(atOnce, late)) {
        Attempt attempt =
            kind.getValue().apply(Attempt.of(run.name(), closed.newId(), "tck", LEASE));
        closed.acquire(attempt, run.limit(3_000));
        names.put(attempt.name(), kind.getKey() + " whose backend was closed");
      }
    }
    closed.close();
    atOnce.forEach(
        (name, what) -> run.expectHeld(other, name, "at once into a lease of a minute of " + what));
    RuleRun.pause(LOOKED_AT_AFTER);
    late.forEach(
        (name, what) -> expectHeldLate(run, other, name, "a lease of a minute of " + what));
  }
}
