package dev.interlock.compare.facts;

import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.compare.figures.Waiting;
import dev.interlock.compare.peers.Clients;
import dev.interlock.compare.servers.Backend;
import dev.interlock.measure.server.ServerProbe;
import dev.interlock.tck.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Interrupts a thread that waits for a lock. */
final class WaiterInterrupted implements Observation {
  private static final String NAME = "fact-waiter-interrupted";
  private static final int ROUNDS = 5;
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final Duration WAIT = Duration.ofMinutes(1);

  @Override
  public Happening happening() {
    return Happening.WAITER_INTERRUPTED;
  }

  @Override
  public Fact observe(Backend backend, Effort effort) throws Exception {
    Waiting waiting = new Waiting();
    try (LockClient holder = Clients.open(backend.uri());
        LockClient client = waiting.open(backend.uri());
        Lease unused =
            holder.acquire(Offered.usual(holder, LockRequest.of(NAME).withWait(LIMIT)))) {
      Map<String, Double> figures = new TreeMap<>();
      List<Double> millis = new ArrayList<>();
      String after = "";
      for (int round = 0; round < ROUNDS; round++) {
        long before = entries(backend);
        CompletableFuture<Long> returned = new CompletableFuture<>();
        Thread waiter = new Thread(() -> acquire(client, returned), "fact-waiter");
        waiter.setDaemon(true);
        waiter.start();
        waiting.await();
        long during = entries(backend);
        long start = System.nanoTime();
        waiter.interrupt();
        millis.add(Text.millis(returned.get(LIMIT.toSeconds(), TimeUnit.SECONDS) - start));
        after = Offered.ask(() -> holder.inspect(NAME)).isPresent()
            ? waiters(holder, start, figures)
            : "";
        if (backend.probe().isPresent()) {
          after += (after.isEmpty() ? "" : " ") + left(backend, before, during, start, figures);
        }
      }
      Collections.sort(millis);
      double median = millis.get(ROUNDS / 2);
      figures.put("millisUntilReturn", median);
      return Fact.seen(
          happening(),
          "acquire throws InterruptedException after " + Text.ms(median) + ". " + after,
          figures);
    }
  }

  private static void acquire(LockClient client, CompletableFuture<Long> returned) {
    try {
      // Not every library can be interrupted in a wait that has no limit but a lease.
      client.acquire(Offered.usual(client, LockRequest.of(NAME).withWait(WAIT))).release();
      returned.completeExceptionally(
          new IllegalStateException("the waiter got the lock, which was held"));
    } catch (InterruptedException e) {
      returned.complete(System.nanoTime());
    } catch (RuntimeException e) {
      returned.completeExceptionally(e);
    }
  }

  /** How long inspection still shows a waiter. */
  private static String waiters(LockClient holder, long start, Map<String, Double> figures)
      throws InterruptedException {
    boolean first = true;
    while (holder.inspect(NAME).map(HoldInfo::waiters).orElse(0) > 0) {
      first = false;
      pause(start, "inspect still shows the waiter");
    }
    double millis = first ? 0 : Text.millis(System.nanoTime() - start);
    figures.put("millisUntilNoWaiter", millis);
    return first
        ? "inspect shows no waiter then."
        : "inspect shows no waiter after " + Text.ms(millis) + ".";
  }

  /** What stays on the server, and how long. */
  private static String left(
      Backend backend, long before, long during, long start, Map<String, Double> figures)
      throws InterruptedException {
    long stays = entries(backend);
    double millis = Text.millis(System.nanoTime() - start);
    figures.put("entriesOfTheWait", (double) (during - before));
    if (stays > before) {
      long end = System.nanoTime() + LIMIT.toNanos();
      while (entries(backend) > before && System.nanoTime() < end) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      stays = entries(backend);
      millis = Text.millis(System.nanoTime() - start);
    }
    figures.put("entriesLeft", (double) (stays - before));
    figures.put("millisUntilClean", millis);
    if (during == before && stays == before) {
      return "The wait has no key or row of its own.";
    }
    return stays > before
        ? Text.entries(stays - before) + " of " + Text.number(during - before)
            + " stay on the server for more than " + LIMIT.toSeconds() + " s."
        : "Of " + Text.entries(during - before) + " of the wait none is left after "
            + Text.ms(millis) + ".";
  }

  private static void pause(long start, String what) throws InterruptedException {
    if (System.nanoTime() - start > LIMIT.toNanos()) {
      throw new IllegalStateException(what + " after " + LIMIT.toSeconds() + " s");
    }
    TimeUnit.MILLISECONDS.sleep(1);
  }

  private static long entries(Backend backend) {
    Optional<ServerProbe> probe = backend.probe();
    return probe.map(asked -> asked.footprint(backend.names()).entries()).orElse(0L);
  }
}
