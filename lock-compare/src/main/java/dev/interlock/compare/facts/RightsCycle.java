package dev.interlock.compare.facts;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.compare.figures.Waiting;
import dev.interlock.compare.peers.Clients;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
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
  private static final Duration WAIT = Duration.ofSeconds(5);
  private static final int PAGE = 100;

  /** Where a stall may be the reason, how much longer lease and wait are once more. */
  private static final int MORE_PATIENCE = 3;

  private RightsCycle() {}

  /** What is looked at while one holds the lock and another waits. */
  interface Look {
    void run() throws InterruptedException;
  }

  /**
   * How one ended that did not do all.
   *
   * @param words by its simple name what was thrown
   * @param mayBeStall whether a machine that stalls may have ended it so
   */
  private record Failure(String words, boolean mayBeStall) {}

  /**
   * Opens two clients, locks, waits, renews, inspects, lists, hands over, releases and forces; what
   * a library does not offer is left out. Does so once more, with more patience, if that ends with
   * a time-out, a lost lease or no answer.
   *
   * @return by its simple name what was thrown; empty if all went well
   */
  static Optional<String> run(String uri, Look look) throws InterruptedException {
    Optional<Failure> failure = once(uri, look, LEASE, WAIT);
    if (failure.filter(Failure::mayBeStall).isPresent()) {
      failure =
          once(uri, look, LEASE.multipliedBy(MORE_PATIENCE), WAIT.multipliedBy(MORE_PATIENCE));
    }
    return failure.map(Failure::words);
  }

  private static Optional<Failure> once(String uri, Look look, Duration lease, Duration wait)
      throws InterruptedException {
    boolean isOurs = Clients.isOurs(uri);
    Waiting waiting = new Waiting();
    try (LockClient one = waiting.open(uri);
        LockClient two = waiting.open(uri)) {
      LockRequest request = LockRequest.of(NAME).withLease(lease).withWait(wait);
      Lease held = one.acquire(Offered.renewing(one, request));
      CompletableFuture<Lease> next = two.acquireAsync(Offered.usual(two, request));
      waiting.await(next);
      look.run();
      Offered.ask(() -> two.inspect(NAME));
      if (isOurs) {
        operate(uri);
      }
      // Only one that was renewed outlives its first time.
      TimeUnit.NANOSECONDS.sleep(lease.toNanos() / 2 * (Offered.isRenewing(one) ? 3 : 1));
      if (isOurs) {
        held.ensureValid();
      }
      held.release();
      Lease last = next.get(wait.toSeconds() * 2, TimeUnit.SECONDS);
      if (!isOurs) {
        last.release();
      } else if (!one.forceRelease(NAME)) {
        return Optional.of(new Failure("a force that frees nothing", true));
      }
      return Optional.empty();
    } catch (ExecutionException e) {
      return Optional.of(
          e.getCause() instanceof RuntimeException thrown
              ? failure(uri, thrown)
              : new Failure("an error", false));
    } catch (TimeoutException e) {
      return Optional.of(new Failure("no end of a wait", true));
    } catch (RuntimeException e) {
      return Optional.of(failure(uri, e));
    }
  }

  private static Failure failure(String uri, RuntimeException thrown) {
    return new Failure(
        Offered.name(uri, thrown),
        thrown instanceof LockTimeoutException
            || thrown instanceof LeaseLostException
            || (Clients.isOurs(uri) && isWithoutAnswer(thrown)));
  }

  /** Only ours tell that from all else that a server may say. */
  private static boolean isWithoutAnswer(RuntimeException thrown) {
    return thrown instanceof BackendUnavailableException
        || thrown instanceof OutcomeUnknownException;
  }

  /** What the commands of operators ask. */
  private static void operate(String uri) {
    ClientId id = new ClientId("000000000000fac7", "comparison");
    try (LockBackend backend = BackendContext.of(id).open(uri)) {
      backend.subscribe(BackendEvents.IGNORED);
      var unused = backend.list(HoldQuery.of(PAGE));
      var unusedToo = backend.waiters(NAME, PAGE);
    }
  }
}
