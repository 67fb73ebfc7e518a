package dev.interlock.spring;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Takes locks for annotated methods and templates; a lock that is busy is no exception here. */
final class LockGate {
  private final LockClient client;
  private final LockMeter meter;
  private final UnaryOperator<Ending> tracking;

  /**
   * Creates a gate.
   *
   * @param tracking told of the ending of each work before it begins, to follow it
   */
  LockGate(LockClient client, LockMeter meter, UnaryOperator<Ending> tracking) {
    this.client = client;
    this.meter = meter;
    this.tracking = tracking;
  }

  LockClient client() {
    return client;
  }

  /**
   * Acquires, waiting as long as the request says. Without a wait it makes one attempt.
   *
   * @param label what the request stands for in traces; one of few
   * @return null if the lock is held by another
   * @throws InterruptedException if interrupted while it waits
   * @throws LockException as {@link LockClient#acquire} does, but for the time-out
   */
  @Nullable
  Lease enter(String label, LockRequest request) throws InterruptedException {
    LockMeter.Wait wait = meter.start(label, request.name(), waits(request));
    Lease lease = null;
    Throwable failure = null;
    try {
      lease = enter(request);
      return lease;
    } catch (InterruptedException | RuntimeException | Error e) {
      failure = e;
      throw e;
    } finally {
      wait.end(lease != null, failure);
    }
  }

  private @Nullable Lease enter(LockRequest request) throws InterruptedException {
    HeldPart.Effect effect = effectOfThisThread(request);
    if (effect == HeldPart.Effect.NEVER) {
      return null;
    }
    TransactionLocks.ensureKept(client, request);
    if (effect == HeldPart.Effect.ONCE) {
      return client.tryAcquire(request.withWait(Duration.ZERO)).orElse(null);
    }
    if (!waits(request)) {
      return client.tryAcquire(request).orElse(null);
    }
    try {
      return client.acquire(request);
    } catch (LockTimeoutException e) {
      return null;
    }
  }

  /**
   * Acquires several locks, all or none, as {@link #enter(String, LockRequest)} does one.
   *
   * @return one for each request, in their order; empty if one of them is held by another
   */
  List<Lease> enterAll(String label, List<LockRequest> requests) throws InterruptedException {
    List<LockMeter.Wait> waits = requests.stream()
        .map(request -> meter.start(label, request.name(), waits(request)))
        .toList();
    List<Lease> leases = List.of();
    Throwable failure = null;
    try {
      leases = enterAll(requests);
      return leases;
    } catch (InterruptedException | RuntimeException | Error e) {
      failure = e;
      throw e;
    } finally {
      for (LockMeter.Wait wait : waits) {
        wait.end(!leases.isEmpty(), failure);
      }
    }
  }

  private List<Lease> enterAll(List<LockRequest> requests) throws InterruptedException {
    for (LockRequest request : requests) {
      if (effectOfThisThread(request) != HeldPart.Effect.NONE) {
        return List.of();
      }
      TransactionLocks.ensureKept(client, request);
    }
    try {
      return client.acquireAll(requests).leases();
    } catch (LockTimeoutException e) {
      return List.of();
    }
  }

  /** How work ends on the current thread: with its transaction, if there is one. */
  Ending ending(LockRequest request, Lease lease, Ending last) {
    return TransactionLocks.keep(client, request, lease, tracking.apply(last));
  }

  /** How work ends that is not bound to a thread. */
  Ending ending(Ending last) {
    return tracking.apply(last);
  }

  /** Whether the current thread itself is what the request would wait for. */
  private HeldPart.Effect effectOfThisThread(LockRequest request) {
    HeldPart.Effect effect =
        LeaseScope.on(client, request).and(TransactionLocks.on(client, request));
    return waits(request) && client.lock(request.name()).isHeldByCurrentThread()
        ? HeldPart.Effect.NEVER
        : effect;
  }

  /** The same without blocking; completes with null if the lock is held by another. */
  CompletableFuture<@Nullable Lease> enterAsync(String label, LockRequest request) {
    LockMeter.Wait wait = meter.start(label, request.name(), waits(request));
    CompletableFuture<Lease> acquiring;
    try {
      acquiring = client.acquireAsync(request);
    } catch (RuntimeException | Error e) {
      wait.end(false, e);
      throw e;
    }
    CompletableFuture<@Nullable Lease> entered = new CompletableFuture<>();
    var unused = acquiring.whenComplete((lease, thrown) -> {
      Throwable failure = thrown instanceof CompletionException ? thrown.getCause() : thrown;
      boolean busy = failure instanceof LockTimeoutException;
      wait.end(lease != null, busy ? null : failure);
      boolean taken = (failure == null || busy)
          ? entered.complete(lease)
          : entered.completeExceptionally(failure);
      if (!taken && lease != null) {
        lease.release(); // nobody will see it
      }
    });
    var unusedToo = entered.whenComplete((lease, thrown) -> {
      if (entered.isCancelled()) {
        acquiring.cancel(true);
      }
    });
    return entered;
  }

  private static boolean waits(LockRequest request) {
    return !Duration.ZERO.equals(request.maxWait().orElse(null));
  }

  private boolean isOfThisThread(LockRequest request) {
    return effectOfThisThread(request) != HeldPart.Effect.NONE;
  }

  /** Says that one of the locks was busy. */
  LockTimeoutException busy(List<LockRequest> requests) {
    String names = requests.stream()
        .map(request -> "'" + request.name() + "'")
        .collect(Collectors.joining(" or ", "lock ", ""));
    Duration waited = requests.get(0).maxWait().orElse(Duration.ZERO);
    return new LockTimeoutException(
        requests.stream().anyMatch(this::isOfThisThread)
            ? names + " is held by another call or another transaction of this thread"
            : "%s is held by another; waited %s".formatted(names, waited));
  }
}
