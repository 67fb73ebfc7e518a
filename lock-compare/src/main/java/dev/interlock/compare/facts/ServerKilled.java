package dev.interlock.compare.facts;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.compare.facts.ManyWaiters.Overtakes;
import dev.interlock.compare.figures.Waiting;
import dev.interlock.compare.peers.Clients;
import dev.interlock.compare.servers.Backend;
import dev.interlock.tck.Effort;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Kills the server under a holder and a queue, and starts it again. */
final class ServerKilled implements Observation {
  private static final String NAME = "fact-server-killed";
  private static final int WAITERS = 4;
  private static final Duration LEASE = Duration.ofSeconds(6);
  private static final int LIMIT_SECONDS = 20;

  /**
   * A hold of a waiter.
   *
   * @param token empty where there is none
   * @param at when it had the lock
   */
  private record Turn(Optional<Long> token, long at) {}

  @Override
  public Happening happening() {
    return Happening.SERVER_KILLED;
  }

  @Override
  public Fact observe(Backend backend, Effort effort) throws Exception {
    Optional<TckServer> server =
        backend.faults().filter(faults -> faults.faults().contains(TckFault.RESTART));
    if (server.isEmpty()) {
      return Fact.none(
          happening(), backend.isInOneJvm() ? "there is no server" : "the server is not ours");
    }
    Waiting waiting = new Waiting();
    ExecutorService releasing = Executors.newFixedThreadPool(WAITERS);
    try (LockClient holder = Clients.open(backend.uri());
        LockClient one = waiting.open(backend.uri());
        LockClient other = waiting.open(backend.uri())) {
      LockRequest plain = LockRequest.of(NAME).withWait(Duration.ofSeconds(LIMIT_SECONDS));
      LockRequest request = Offered.usual(holder, Offered.fair(holder, plain));
      Offered.useOften(holder, plain);
      Traces hold = Traces.of(
          backend.uri(),
          NAME,
          () -> holder.acquire(Offered.renewing(holder, request.withLease(LEASE))));
      List<CompletableFuture<Turn>> turns = new ArrayList<>();
      for (int i = 0; i < WAITERS; i++) {
        turns.add((i % 2 == 0 ? one : other)
            .acquireAsync(request)
            .thenApplyAsync(ServerKilled::take, releasing));
        waiting.await();
      }
      Optional<Loss> loss = Loss.of(hold.lease());
      long start = System.nanoTime();
      server.get().kill();
      server.get().start();
      return fact(backend, hold, loss, turns, start);
    } finally {
      releasing.shutdownNow();
    }
  }

  private Fact fact(
      Backend backend,
      Traces hold,
      Optional<Loss> loss,
      List<CompletableFuture<Turn>> turns,
      long start)
      throws Exception {
    double down = Text.millis(System.nanoTime() - start);
    Map<String, Double> figures = new TreeMap<>();
    figures.put("downMillis", down);
    Lease lease = hold.lease();
    boolean there = hold.areAt(backend.uri());
    figures.put("lockIsThere", there ? 1.0 : 0.0);
    String found = there ? release(backend.uri(), lease) : "";
    List<Turn> had = new ArrayList<>();
    Set<String> failures = new TreeSet<>();
    for (CompletableFuture<Turn> turn : turns) {
      try {
        had.add(turn.get(LIMIT_SECONDS + 5, TimeUnit.SECONDS));
      } catch (ExecutionException e) {
        failures.add(
            e.getCause() instanceof RuntimeException thrown
                ? Offered.name(backend.uri(), thrown)
                : "an error");
      }
    }
    if (had.isEmpty()) {
      figures.put("waitersServed", 0.0);
      return Fact.seen(
          happening(),
          "It answers again after " + Text.ms(down)
              + ". No waiter ever has the lock: they end with " + String.join(", ", failures) + ".",
          figures);
    }
    long first = had.stream().mapToLong(Turn::at).min().orElseThrow();
    if (!there) {
      figures.put("waiterHasItMillis", Text.millis(first - start));
      found =
          "the lock is gone: the first waiter has it after " + Text.ms(Text.millis(first - start))
              + ", and " + Loss.told(loss, start, first, LIMIT_SECONDS, figures);
    }
    // Holds do not overlap, so the moments tell the order as tokens do.
    Overtakes overtakes = ManyWaiters.overtakes(had.stream().map(Turn::at).toList());
    figures.put("overtakes", (double) overtakes.count());
    figures.put("waitersServed", (double) had.size());
    String tokens = tokens(hold.token(), had, figures);
    return Fact.seen(
        happening(),
        "It answers again after " + Text.ms(down) + ". Then " + found + ". Of " + WAITERS
            + " waiters "
            + (overtakes.count() == 0
                ? "all come in their order; "
                : overtakes.count() + " had the lock before one that had waited longer; ")
            + (failures.isEmpty()
                ? ""
                : turns.size() - had.size() + " end with " + String.join(", ", failures) + "; ")
            + tokens,
        figures);
  }

  private static String tokens(Optional<Long> before, List<Turn> had, Map<String, Double> figures) {
    if (before.isEmpty()) {
      return "there are no fencing tokens.";
    }
    boolean grow = had.stream()
        .allMatch(turn -> turn.token().filter(token -> token > before.get()).isPresent());
    figures.put("tokensGrow", grow ? 1.0 : 0.0);
    return grow ? "fencing tokens go on growing." : "fencing tokens do not go on growing.";
  }

  private static String release(String uri, Lease lease) {
    try {
      lease.release();
      return "the lock is still held, and its holder can release it";
    } catch (LockException e) {
      return "the lock is still held, but its holder's release throws " + Offered.name(uri, e);
    }
  }

  private static Turn take(Lease lease) {
    long at = System.nanoTime();
    Turn turn = new Turn(Offered.ask(lease::fencingToken), at);
    lease.release();
    return turn;
  }
}
