package dev.interlock.compare.facts;

import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.compare.facts.ManyWaiters.Overtakes;
import dev.interlock.compare.figures.Waiting;
import dev.interlock.compare.servers.Backend;
import dev.interlock.tck.Effort;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
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
   * @param at when it had the lock
   */
  private record Turn(long token, long at) {}

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
    try (LockClient holder = Locks.open(backend.uri());
        LockClient one = waiting.open(backend.uri());
        LockClient other = waiting.open(backend.uri())) {
      LockRequest plain = LockRequest.of(NAME).withWait(Duration.ofSeconds(LIMIT_SECONDS));
      LockRequest request =
          holder.capabilities().contains(Capability.FAIR) ? plain.fair(true) : plain;
      Lease lease = holder.acquire(request.withLease(LEASE).renewing());
      List<CompletableFuture<Turn>> turns = new ArrayList<>();
      for (int i = 0; i < WAITERS; i++) {
        turns.add((i % 2 == 0 ? one : other)
            .acquireAsync(request)
            .thenApplyAsync(ServerKilled::take, releasing));
        waiting.await();
      }
      Loss loss = Loss.of(lease);
      long start = System.nanoTime();
      server.get().kill();
      server.get().start();
      return fact(backend, lease, loss, turns, start);
    } finally {
      releasing.shutdownNow();
    }
  }

  private Fact fact(
      Backend backend, Lease lease, Loss loss, List<CompletableFuture<Turn>> turns, long start)
      throws Exception {
    double down = Text.millis(System.nanoTime() - start);
    Map<String, Double> figures = new TreeMap<>();
    figures.put("downMillis", down);
    boolean there = isHeldBy(backend.uri(), lease.fencingToken());
    figures.put("lockIsThere", there ? 1.0 : 0.0);
    String found = there ? release(lease) : "";
    List<Long> tokens = new ArrayList<>();
    long first = Long.MAX_VALUE;
    for (CompletableFuture<Turn> turn : turns) {
      Turn had = turn.get(LIMIT_SECONDS, TimeUnit.SECONDS);
      tokens.add(had.token());
      first = Math.min(first, had.at());
    }
    if (!there) {
      figures.put("waiterHasItMillis", Text.millis(first - start));
      found =
          "the lock is gone: the first waiter has it after " + Text.ms(Text.millis(first - start))
              + ", and " + loss.await(start, first, LIMIT_SECONDS, figures);
    }
    Overtakes overtakes = ManyWaiters.overtakes(tokens);
    boolean grow = tokens.stream().allMatch(token -> token > lease.fencingToken());
    figures.put("overtakes", (double) overtakes.count());
    figures.put("tokensGrow", grow ? 1.0 : 0.0);
    return Fact.seen(
        happening(),
        "It answers again after " + Text.ms(down) + ". Then " + found + ". Of " + WAITERS
            + " waiters "
            + (overtakes.count() == 0
                ? "all come in their order; "
                : overtakes.count() + " had the lock before one that had waited longer; ")
            + (grow ? "fencing tokens go on growing." : "fencing tokens do not go on growing."),
        figures);
  }

  /** Asks through a new client: one from before may have to find out first. */
  private static boolean isHeldBy(String uri, long token) {
    try (LockClient client = Locks.open(uri)) {
      return client
          .inspect(NAME)
          .map(HoldInfo::fencingToken)
          .filter(found -> found == token)
          .isPresent();
    }
  }

  private static String release(Lease lease) {
    try {
      lease.release();
      return "the lock is still held, and its holder can release it";
    } catch (LockException e) {
      return "the lock is still held, but its holder's release throws "
          + e.getClass().getSimpleName();
    }
  }

  private static Turn take(Lease lease) {
    Turn turn = new Turn(lease.fencingToken(), System.nanoTime());
    lease.release();
    return turn;
  }
}
