package dev.interlock.compare.facts;

import dev.interlock.HoldInfo;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.compare.cli.ChildJvm;
import dev.interlock.compare.figures.HolderMain;
import dev.interlock.compare.figures.Waiting;
import dev.interlock.compare.servers.Backend;
import dev.interlock.tck.Effort;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Kills the JVM of the holder, and looks when the next waiter has the lock. */
final class HolderKilled implements Observation {
  private static final String NAME = "fact-holder-killed";
  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final Duration WAIT = Duration.ofSeconds(15);

  @Override
  public Happening happening() {
    return Happening.HOLDER_KILLED;
  }

  @Override
  public Fact observe(Backend backend, Effort effort) throws Exception {
    if (backend.isInOneJvm()) {
      return Fact.none(happening(), "the lock dies with its JVM");
    }
    Waiting waiting = new Waiting();
    try (LockClient client = waiting.open(backend.uri());
        ChildJvm holder = ChildJvm.start(HolderMain.class)) {
      holder.tell(backend.uri());
      holder.tell(NAME);
      holder.tell(LEASE.toString());
      holder.expect(HolderMain.HELD);
      CompletableFuture<Long> next = client
          .acquireAsync(LockRequest.of(NAME).withLease(LEASE).withWait(WAIT))
          .thenApply(lease -> System.nanoTime());
      waiting.await();
      long killed = System.nanoTime();
      holder.kill();
      // Asked after the death: before it the holder might renew once more. What the server says
      // counts from when it says so, which is not before it was asked.
      long asked = System.nanoTime();
      Optional<Long> end = Offered.ask(() -> asked
          + client.inspect(NAME).map(HoldInfo::remaining).orElse(Duration.ZERO).toNanos());
      return fact(next.get(WAIT.toSeconds() + 5, TimeUnit.SECONDS), killed, end);
    }
  }

  private Fact fact(long next, long killed, Optional<Long> end) {
    double millis = Text.millis(next - killed);
    double leases = (double) (next - killed) / LEASE.toNanos();
    Map<String, Double> figures = new TreeMap<>(Map.of("millis", millis, "leases", leases));
    String words = String.format(
        Locale.ROOT,
        "The next waiter has the lock after %s, %.2f of a lease",
        Text.ms(millis),
        leases);
    if (end.isPresent()) {
      double late = Text.millis(next - end.get());
      figures.put("millisAfterLease", late);
      words +=
          "; " + Text.ms(Math.abs(late)) + (late < 0 ? " before" : " after") + " the lease's end";
    }
    return Fact.seen(happening(), words + ".", figures);
  }
}
