package dev.interlock.compare.facts;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.compare.figures.Waiting;
import dev.interlock.compare.peers.Clients;
import dev.interlock.compare.servers.Backend;
import dev.interlock.measure.server.ServerProbe;
import dev.interlock.tck.Effort;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Counts what an idle holder and an idle waiter cost the server. */
final class Idle implements Observation {
  private static final String NAME = "fact-idle";

  /** A lease is renewed every third of it. */
  private static final int RENEWALS_A_LEASE = 3;

  private static final int MINUTES = 60;
  private static final Duration LIMIT = Duration.ofSeconds(5);

  /** Opening and the first steps are not idle. */
  private static final Duration SETTLING = Duration.ofMillis(700);

  @Override
  public Happening happening() {
    return Happening.IDLE;
  }

  @Override
  public Fact observe(Backend backend, Effort effort) throws Exception {
    Optional<ServerProbe> probe = backend.probe();
    if (probe.isEmpty() || probe.get().totalCommands().isEmpty()) {
      return Fact.none(
          happening(),
          backend.isInOneJvm() ? "there is no server" : "the server does not count its commands");
    }
    // The default lease is of 30 s, which is too long to watch when there is little time.
    Duration lease = Duration.ofSeconds(effort.of(6, 30, 30));
    int renewals = effort.of(4, 3, 6);
    Duration window = lease.multipliedBy(renewals).dividedBy(RENEWALS_A_LEASE);
    Waiting waiting = new Waiting();
    try (LockClient holder = Clients.open(backend.uri());
        LockClient waiter = waiting.open(backend.uri());
        Lease unused = holder.acquire(request(holder, lease, window).withWait(LIMIT))) {
      double held = perMinute(probe.get(), window);
      CompletableFuture<Lease> next = waiter.acquireAsync(request(waiter, lease, window));
      waiting.await();
      double both = perMinute(probe.get(), window);
      // Who cannot take an attempt back gets the lock when it is released.
      Offered.ask(() -> next.cancel(false));
      double waits = both - held;
      return Fact.seen(
          happening(),
          (Offered.isRenewing(holder)
                  ? "With a lease of " + lease.toSeconds() + " s a held lock"
                  : "A held lock, which nobody renews,")
              + " costs the server " + Text.number(held * MINUTES)
              + " commands an hour; a waiter for it "
              + (waits > 0 ? Text.number(waits * MINUTES) + " more." : "no more."),
          Map.of(
              "leaseSeconds",
              (double) lease.toSeconds(),
              "commandsPerHourHeld",
              held * MINUTES,
              "commandsPerHourWaiting",
              waits * MINUTES,
              "commandsPerMinuteHeld",
              held,
              "commandsPerMinuteWaiting",
              waits));
    }
  }

  /** A lease that is not renewed must last until all is counted. */
  private static LockRequest request(LockClient client, Duration lease, Duration window) {
    return Offered.isRenewing(client)
        ? LockRequest.of(NAME).withLease(lease).renewing()
        : LockRequest.of(NAME).withLease(window.multipliedBy(4));
  }

  private static double perMinute(ServerProbe probe, Duration window) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(SETTLING.toNanos());
    long before = probe.totalCommands().orElseThrow();
    TimeUnit.NANOSECONDS.sleep(window.toNanos());
    return (probe.totalCommands().orElseThrow() - before) * 60.0 / window.toSeconds();
  }
}
