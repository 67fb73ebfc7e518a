package dev.interlock.compare.facts;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.compare.figures.Waiting;
import dev.interlock.compare.peers.Clients;
import dev.interlock.compare.servers.Backend;
import dev.interlock.tck.Effort;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckServer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Removes all keys or rows under a holder and a waiter. */
final class StateLost implements Observation {
  private static final String NAME = "fact-state-lost";
  private static final Duration LEASE = Duration.ofSeconds(3);
  private static final int LIMIT_SECONDS = 10;
  private static final int MORE_HOLDS = 3;

  @Override
  public Happening happening() {
    return Happening.STATE_LOST;
  }

  @Override
  public Fact observe(Backend backend, Effort effort) throws Exception {
    Optional<TckServer> server =
        backend.faults().filter(faults -> faults.faults().contains(TckFault.LOSE_STATE));
    if (server.isEmpty()) {
      return Fact.none(
          happening(),
          backend.isInOneJvm() ? "the state is lost with the JVM" : "the server is not ours");
    }
    Waiting waiting = new Waiting();
    LockRequest plain = LockRequest.of(NAME).withWait(Duration.ofSeconds(LIMIT_SECONDS));
    try (LockClient holder = Clients.open(backend.uri());
        LockClient client = waiting.open(backend.uri())) {
      LockRequest request = Offered.usual(client, plain);
      Lease lease = holder.acquire(Offered.renewing(holder, request.withLease(LEASE)));
      Optional<Long> first = Offered.ask(lease::fencingToken);
      Optional<Loss> loss = Loss.of(lease);
      CompletableFuture<Long> at = new CompletableFuture<>();
      CompletableFuture<Lease> next = client
          .acquireAsync(request)
          .whenComplete((held, error) -> at.complete(System.nanoTime()));
      waiting.await();
      long start = System.nanoTime();
      server.get().loseState();
      Map<String, Double> figures = new TreeMap<>();
      Optional<Lease> got = got(next);
      if (got.isEmpty()) {
        figures.put("waiterHasItMillis", -1.0);
        return Fact.seen(
            happening(),
            "The waiter, which waits for " + LIMIT_SECONDS + " s, never has the lock.",
            figures);
      }
      Lease successor = got.get();
      double millis = Text.millis(at.join() - start);
      figures.put("waiterHasItMillis", millis);
      String told = Loss.told(loss, start, at.join(), LIMIT_SECONDS, figures);
      String tokens = first.isEmpty()
          ? "There are no fencing tokens."
          : tokens(client, request, first.get(), successor, figures);
      return Fact.seen(
          happening(),
          "The waiter has the lock after " + Text.ms(millis) + "; " + told + ". " + tokens,
          figures);
    }
  }

  /** What the waiter gets; empty if its time is over before. */
  private static Optional<Lease> got(CompletableFuture<Lease> next)
      throws InterruptedException, ExecutionException, TimeoutException {
    try {
      return Optional.of(next.get(LIMIT_SECONDS + 5, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof LockTimeoutException) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static String tokens(
      LockClient client, LockRequest request, long first, Lease successor, Map<String, Double> into)
      throws InterruptedException {
    boolean grow = successor.fencingToken() > first;
    long last = successor.fencingToken();
    successor.release();
    for (int i = 0; i < MORE_HOLDS; i++) {
      Lease more = client.acquire(request);
      grow &= more.fencingToken() > last;
      last = more.fencingToken();
      more.release();
    }
    into.put("tokensGrow", grow ? 1.0 : 0.0);
    return "Fencing tokens " + (grow ? "go on growing." : "do not go on growing.");
  }
}
