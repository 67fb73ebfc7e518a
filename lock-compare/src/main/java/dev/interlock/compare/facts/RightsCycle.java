package dev.interlock.compare.facts;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.compare.figures.Waiting;
import dev.interlock.compare.peers.Clients;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.LockBackend;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** All that an application and its operators usually ask of a lock, once. */
final class RightsCycle {
  /** Also part of the keys' names. */
  static final String NAME = "fact-rights";

  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final Duration LIMIT = Duration.ofSeconds(2);
  private static final int PAGE = 100;

  private RightsCycle() {}

  /** What is looked at while one holds the lock and another waits. */
  interface Look {
    void run() throws InterruptedException;
  }

  /**
   * Opens two clients, locks, waits, renews, inspects, lists, hands over, releases and forces; what
   * a library does not offer is left out.
   *
   * @return by its simple name what was thrown; empty if all went well
   */
  static Optional<String> run(String uri, Look look) throws InterruptedException {
    Waiting waiting = new Waiting();
    try (LockClient one = waiting.open(uri);
        LockClient two = waiting.open(uri)) {
      LockRequest request = LockRequest.of(NAME).withLease(LEASE).withWait(LIMIT);
      Lease held = one.acquire(Offered.renewing(one, request));
      CompletableFuture<Lease> next = two.acquireAsync(Offered.usual(two, request));
      waiting.await(next);
      look.run();
      Offered.ask(() -> two.inspect(NAME));
      if (Clients.isOurs(uri)) {
        operate(uri);
      }
      // A lease is renewed every third of it.
      TimeUnit.NANOSECONDS.sleep(LEASE.toNanos() / 2);
      held.release();
      next.get(LIMIT.toSeconds() * 2, TimeUnit.SECONDS).release();
      Offered.ask(() -> two.forceRelease(NAME));
      return Optional.empty();
    } catch (ExecutionException e) {
      return Optional.of(
          e.getCause() instanceof RuntimeException thrown ? Offered.name(uri, thrown) : "an error");
    } catch (TimeoutException e) {
      return Optional.of("no end of a wait");
    } catch (RuntimeException e) {
      return Optional.of(Offered.name(uri, e));
    }
  }

  /** What the commands of operators ask. */
  private static void operate(String uri) {
    ClientId id = new ClientId("000000000000fac7", "comparison");
    try (LockBackend backend = BackendContext.of(id).open(uri)) {
      backend.subscribe(new Unconcerned());
      var unused = backend.list(HoldQuery.of(PAGE));
      var unusedToo = backend.waiters(NAME, PAGE);
    }
  }

  /** Holds nothing and waits for nothing. */
  private static final class Unconcerned implements BackendEvents {
    @Override
    public void granted(Grant grant, long notBeforeNanos) {}

    @Override
    public void wake(String name, HoldId id) {}

    @Override
    public void revoked(String name, HoldId id) {}

    @Override
    public void inDoubt() {}
  }
}
