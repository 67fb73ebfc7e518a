package dev.interlock.compare.facts;

import dev.interlock.Capability;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Releases a lock that many wait for. */
final class ManyWaiters implements Observation {
  private static final String NAME = "fact-many-waiters";
  private static final int CLIENTS = 4;
  private static final int RELEASING = 8;
  private static final Duration FIRST_HOLD = Duration.ofMillis(300);
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Override
  public Happening happening() {
    return Happening.MANY_WAITERS;
  }

  @Override
  public Fact observe(Backend backend, Effort effort) throws Exception {
    int waiters = effort.of(200, 1000, 1000);
    Map<String, Double> figures = new TreeMap<>();
    figures.put("waiters", (double) waiters);
    Waiting waiting = new Waiting();
    List<LockClient> clients = new ArrayList<>();
    try (LockClient holder = waiting.open(backend.uri())) {
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(waiting.open(backend.uri()));
      }
      Crowd crowd = new Crowd(holder, clients, waiting, waiters, backend.probe());
      if (!holder.capabilities().contains(Capability.FAIR)) {
        return Fact.seen(
            happening(),
            "Of " + Text.number(waiters) + " waiters, "
                + crowd.passThrough(LockRequest.of(NAME), "", figures) + ".",
            figures);
      }
      String fair = crowd.passThrough(LockRequest.of(NAME).fair(true), "Fair", figures);
      if (!Clients.isOurs(backend.uri())) {
        // A library's fair lock is another lock than its usual one.
        return Fact.seen(
            happening(), "Of " + Text.number(waiters) + " waiters, fair: " + fair + ".", figures);
      }
      String unfair = crowd.passThrough(LockRequest.of(NAME).fair(false), "Unfair", figures);
      return Fact.seen(
          happening(),
          "Of " + Text.number(waiters) + " waiters, fair: " + fair + ". Not fair: " + unfair + ".",
          figures);
    } finally {
      clients.forEach(LockClient::close);
    }
  }

  /** Those who wait, and how they are counted. */
  private record Crowd(
      LockClient holder,
      List<LockClient> clients,
      Waiting waiting,
      int size,
      Optional<ServerProbe> probe) {

    /** Lets all of them wait, and then through. */
    String passThrough(LockRequest asked, String kind, Map<String, Double> figures)
        throws Exception {
      ExecutorService releasing = Executors.newFixedThreadPool(RELEASING);
      try {
        LockRequest request = Offered.usual(holder, asked.withWait(LIMIT));
        Lease first = holder.acquire(request);
        CompletableFuture<Boolean> open = new CompletableFuture<>();
        List<CompletableFuture<Lease>> leases = new ArrayList<>();
        List<CompletableFuture<Long>> moments = new ArrayList<>();
        for (int i = 0; i < size; i++) {
          CompletableFuture<Lease> lease = clients.get(i % clients.size()).acquireAsync(request);
          leases.add(lease);
          moments.add(lease.thenCombineAsync(open, (held, go) -> release(held), releasing));
          waiting.await();
        }
        long attempts = waiting.attempts();
        first.release();
        CompletableFuture.anyOf(leases.toArray(CompletableFuture[]::new))
            .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        TimeUnit.NANOSECONDS.sleep(FIRST_HOLD.toNanos());
        attempts = waiting.attempts() - attempts;
        OptionalLong before = commands();
        long start = System.nanoTime();
        open.complete(true);
        if (!areThrough(moments)) {
          long through = moments.stream().filter(Crowd::isThrough).count();
          figures.put("through" + kind, (double) through);
          return Text.number(through) + " have had it after " + LIMIT.toSeconds() + " s";
        }
        List<Long> order = moments.stream().map(CompletableFuture::join).toList();
        long nanos = System.nanoTime() - start;
        OptionalLong after = commands();
        if (waiting.isTold()) {
          figures.put("attempts" + kind, (double) attempts);
        }
        figures.put("millis" + kind, Text.millis(nanos));
        String each = "";
        if (before.isPresent() && after.isPresent()) {
          double commands = (double) (after.getAsLong() - before.getAsLong()) / size;
          figures.put("commandsPerSection" + kind, commands);
          each = Text.number(commands) + " commands a section; ";
        }
        return words(attempts, overtakes(order), kind, figures)
            + each
            + "all are through in " + Text.ms(Text.millis(nanos));
      } finally {
        releasing.shutdownNow();
      }
    }

    private OptionalLong commands() {
      return probe.map(ServerProbe::totalCommands).orElse(OptionalLong.empty());
    }

    /** Returns when it was held: holds do not overlap, so that tells their order. */
    private static long release(Lease lease) {
      long moment = System.nanoTime();
      lease.release();
      return moment;
    }

    /** Waits until all have had the lock, or some cannot have it, or it takes too long. */
    private static boolean areThrough(List<CompletableFuture<Long>> moments)
        throws InterruptedException {
      try {
        CompletableFuture.allOf(moments.toArray(CompletableFuture[]::new))
            .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        return true;
      } catch (TimeoutException | ExecutionException e) {
        return false;
      }
    }

    private static boolean isThrough(CompletableFuture<Long> moment) {
      return moment.isDone() && !moment.isCompletedExceptionally();
    }

    private String words(
        long attempts, Overtakes overtakes, String kind, Map<String, Double> figures) {
      figures.put("overtakes" + kind, (double) overtakes.count());
      figures.put("mostOvertaken" + kind, (double) overtakes.most());
      String woken = attempts == 0
          ? "the first one is given the lock and no other is woken; "
          : "the release makes " + attempts + " ask again; ";
      return (waiting.isTold() ? woken : "")
          + (overtakes.count() == 0
              ? "all come in their order; "
              : Text.number(overtakes.count()) + " overtake, one waiter is passed by "
                  + Text.number(overtakes.most()) + "; ");
    }
  }

  /**
   * How far the order of the grants is from the order of arrival.
   *
   * @param count how many were served before one that had waited longer
   * @param most by how many the waiter was passed that was passed most
   */
  record Overtakes(int count, int most) {}

  /** Compares orders; what grows from hold to hold, of the waiters in their order of arrival. */
  static Overtakes overtakes(List<Long> tokens) {
    int count = 0;
    int most = 0;
    for (int i = 0; i < tokens.size(); i++) {
      boolean overtook = false;
      for (int earlier = 0; earlier < i && !overtook; earlier++) {
        overtook = tokens.get(earlier) > tokens.get(i);
      }
      count += overtook ? 1 : 0;
      int passed = 0;
      for (int later = i + 1; later < tokens.size(); later++) {
        passed += tokens.get(later) < tokens.get(i) ? 1 : 0;
      }
      most = Math.max(most, passed);
    }
    return new Overtakes(count, most);
  }
}
