package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Rule L1 for holds of each kind, and for leases that began in each way. */
public final class ValidityEndRules {
  private static final long LEASE = 1_500;
  private static final long LONG = 30_000;

  /** Far shorter than a part of a lease that a store might leave out. */
  private static final Duration TRY = Duration.ofMillis(4);

  private static final int WATCHERS = 8;

  /** So many at the least, for a machine that is busy looks at some too late. */
  private static final int LINES = 15;

  private ValidityEndRules() {}

  /** A way in which the lease of a hold begins. */
  private interface Way {
    Lease begin(LockRequest request) throws Exception;
  }

  private record Line(String what, LockRequest request, Way way) {}

  private record Kept(String what, Lease lease) {}

  @Rule(
      value = "L1",
      check = "that the server keeps each kind of lease until its holder's validUntil",
      timed = true)
  public static void nobodyComesInBeforeAValidityIsOver(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return; // it has one kind of holds, and need not know of its validity
    }
    LockClient client = run.client();
    LockClient other = run.client();
    Map<String, Way> ways = new LinkedHashMap<>();
    ways.put("granted", client::acquire);
    ways.put("handed on", request -> {
      Lease before = other.acquire(Leases.fixed(run, request.name(), LONG));
      CompletableFuture<Lease> next = client.acquireAsync(request.withWait(run.ms(LONG)));
      RuleRun.pause(run.ms(50));
      before.release();
      return next.get();
    });
    if (run.has(Capability.RENEWABLE)) {
      ways.put("extended", request -> {
        Lease lease = client.acquire(request);
        lease.extend(request.lease().orElseThrow());
        return lease;
      });
    }
    List<Line> lines = new ArrayList<>();
    while (lines.size() < LINES) {
      for (Map.Entry<String, Way> way : ways.entrySet()) {
        Leases.kinds(run)
            .forEach((what, kind) -> lines.add(new Line(
                what + " that was " + way.getKey(),
                kind.apply(Leases.fixed(run, run.name(), LEASE)),
                way.getValue())));
      }
    }
    List<Kept> all =
        SideBySide.each(lines, line -> new Kept(line.what(), line.way().begin(line.request())));
    List<List<Kept>> parts = new ArrayList<>();
    for (int i = 0; i < WATCHERS; i++) {
      int watcher = i;
      parts.add(IntStream.range(0, all.size())
          .filter(place -> place % WATCHERS == watcher)
          .mapToObj(all::get)
          .collect(Collectors.toCollection(ArrayList::new)));
    }
    SideBySide.each(parts, part -> {
      watch(run, other, part);
      return part;
    });
    run.note("nobody came in beside a valid lease that was " + String.join(", ", ways.keySet()));
  }

  /** Another one tries each of them again and again until it has got all. */
  private static void watch(RuleRun run, LockClient other, List<Kept> kept)
      throws InterruptedException {
    while (!kept.isEmpty()) {
      kept.removeIf(one -> isOver(run, other, one));
      RuleRun.pause(TRY);
    }
  }

  private static boolean isOver(RuleRun run, LockClient other, Kept one) {
    Lease held = one.lease();
    Optional<Lease> entered = other.tryAcquire(Leases.once(run, held.name(), LONG));
    // It has the lock by now, so nobody else may believe to have it.
    run.expect(
        entered.isEmpty() || !held.isValid(),
        "while the lease of " + one.what() + " is valid nobody else gets the lock",
        "another client got it, and " + held.remaining() + " remain");
    entered.ifPresent(Leases::drop);
    return entered.isPresent();
  }
}
