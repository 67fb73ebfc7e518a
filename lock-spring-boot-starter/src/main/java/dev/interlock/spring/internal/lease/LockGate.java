package dev.interlock.spring.internal.lease;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.LostReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Takes locks for annotated methods and templates; a lock that is busy is no exception here. */
public final class LockGate {
  private final LockClient client;
  private final LockMeter meter;
  private final UnaryOperator<Ending> tracking;

  /**
   * Creates a gate.
   *
   * @param tracking told of the ending of each work before it begins, to follow it
   */
  public LockGate(LockClient client, LockMeter meter, UnaryOperator<Ending> tracking) {
    this.client = client;
    this.meter = meter;
    this.tracking = tracking;
  }

  public LockClient client() {
    return client;
  }

  /**
   * Enters a lock: again, if a call of this thread took it which this one is nested in, else as
   * {@link #take}, for the current transaction.
   *
   * @param label what the request stands for in traces; one of few
   * @param last how the lock is given up at last, if it is acquired now
   * @return null if the lock is held by another
   * @throws InterruptedException if interrupted while it waits
   * @throws LockException as {@link LockClient#acquire} does, but for the time-out
   * @throws dev.interlock.LeaseLostException if this thread has it and has lost it
   */
  public @Nullable Entry enter(String label, LockRequest request, Function<Lease, Ending> last)
      throws InterruptedException {
    Entry again = reenter(request);
    return again != null ? again : take(label, TransactionLocks.owned(request), last);
  }

  /**
   * Acquires a lock, waiting as long as the request says. Without a wait it makes one attempt.
   *
   * @return null if it is held by another, or by this thread
   */
  public @Nullable Entry take(String label, LockRequest request, Function<Lease, Ending> last)
      throws InterruptedException {
    Lease lease = acquire(label, request);
    return lease == null ? null : entry(request, lease, last);
  }

  /**
   * Enters a lock again that this thread has by a call which this one is nested in. Asks no server:
   * the lease stays what it is.
   *
   * @return null if there is none, or a transaction keeps it whose changes cannot be seen now
   * @throws dev.interlock.LeaseLostException if its lease was lost
   */
  public @Nullable Entry reenter(LockRequest request) {
    SharedEnding outer = outer(request);
    if (outer == null) {
      return null;
    }
    SharedEnding.Nested nested = outer.nest();
    return Ending.orEnd(nested, () -> entry(request, outer, nested.lost(), nested));
  }

  /** What a nested call of the current thread would share; null if it cannot enter again. */
  private @Nullable SharedEnding outer(LockRequest request) {
    LeaseScope.Held held = LeaseScope.find(each -> each.part().admits(client, request));
    return held == null || TransactionLocks.isKeptByOther(client, request.name())
        ? null
        : held.shared();
  }

  private Entry entry(LockRequest request, Lease lease, Function<Lease, Ending> last) {
    return Ending.orEnd(
        Ending.release(lease), () -> first(request, new SharedEnding(lease, last.apply(lease))));
  }

  private Entry first(LockRequest request, SharedEnding shared) {
    return entry(request, shared, shared.lease().lost(), shared);
  }

  /** An entry of a call on the current thread, whose transaction keeps it, if there is one. */
  private Entry entry(
      LockRequest request, SharedEnding shared, CompletionStage<LostReason> lost, Ending ending) {
    return new Entry(
        held(request, shared),
        lost,
        TransactionLocks.keep(client, request, shared.lease(), tracking.apply(ending)));
  }

  private @Nullable Lease acquire(String label, LockRequest request) throws InterruptedException {
    LockMeter.Wait wait = meter.start(label, request.name(), waits(request));
    Lease lease = null;
    Throwable failure = null;
    try {
      lease = acquire(request);
      return lease;
    } catch (InterruptedException | RuntimeException | Error e) {
      failure = e;
      throw e;
    } finally {
      wait.end(lease != null, failure);
    }
  }

  private @Nullable Lease acquire(LockRequest request) throws InterruptedException {
    HeldPart.Effect effect = effectOfThisThread(request);
    if (effect == HeldPart.Effect.NEVER) {
      return null;
    }
    ensureNotLost(request);
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
   * Enters several locks, all or none, as {@link #enter} does one: all of them again, or none.
   *
   * @return one for each request, in their order; empty if one of them is held by another
   */
  public List<Entry> enterAll(String label, List<LockRequest> requests)
      throws InterruptedException {
    List<Entry> again = reenterAll(requests);
    if (!again.isEmpty()) {
      return again;
    }
    List<LockRequest> owned = requests.stream().map(TransactionLocks::owned).toList();
    List<Lease> leases = acquireAll(label, owned);
    List<Entry> entries = new ArrayList<>();
    try {
      for (Lease lease : leases) {
        SharedEnding shared = new SharedEnding(lease, Ending.release(lease));
        entries.add(first(owned.get(entries.size()), shared));
      }
      return entries;
    } catch (RuntimeException | Error e) {
      leases.forEach(lease -> Ending.release(lease).endQuietly(lease.name()));
      throw e;
    }
  }

  private List<Entry> reenterAll(List<LockRequest> requests) {
    if (requests.stream().anyMatch(request -> outer(request) == null)) {
      return List.of();
    }
    List<Entry> entries = new ArrayList<>();
    try {
      for (LockRequest request : requests) {
        entries.add(Objects.requireNonNull(reenter(request), "looked for just now"));
      }
      return entries;
    } catch (RuntimeException | Error e) {
      entries.forEach(entry -> entry.ending().endQuietly(entry.lease().name()));
      throw e;
    }
  }

  private List<Lease> acquireAll(String label, List<LockRequest> requests)
      throws InterruptedException {
    List<LockMeter.Wait> waits = requests.stream()
        .map(request -> meter.start(label, request.name(), waits(request)))
        .toList();
    List<Lease> leases = List.of();
    Throwable failure = null;
    try {
      leases = acquireAll(requests);
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

  private List<Lease> acquireAll(List<LockRequest> requests) throws InterruptedException {
    for (LockRequest request : requests) {
      if (effectOfThisThread(request) != HeldPart.Effect.NONE) {
        return List.of();
      }
      ensureNotLost(request);
    }
    try {
      return client.acquireAll(requests).leases();
    } catch (LockTimeoutException e) {
      return List.of();
    }
  }

  /** An entry of work that is not bound to a thread. */
  public Entry unboundEntry(LockRequest request, Lease lease, Function<Lease, Ending> last) {
    return Ending.orEnd(Ending.release(lease), () -> {
      SharedEnding shared = new SharedEnding(lease, last.apply(lease));
      return new Entry(held(request, shared), lease.lost(), tracking.apply(shared));
    });
  }

  private LeaseScope.Held held(LockRequest request, SharedEnding shared) {
    return new LeaseScope.Held(new HeldPart(client, request), shared.lease(), shared);
  }

  /** Whether the current thread itself is what the request would wait for. */
  private HeldPart.Effect effectOfThisThread(LockRequest request) {
    HeldPart.Effect effect = effectOfWork(client, request);
    if (effect == HeldPart.Effect.UPGRADE) {
      effect = writes(request) ? HeldPart.Effect.NONE : HeldPart.Effect.NEVER;
    }
    return waits(request) && client.lock(request.name()).isHeldByCurrentThread()
        ? HeldPart.Effect.NEVER
        : effect;
  }

  private static HeldPart.Effect effectOfWork(LockClient client, LockRequest request) {
    return LeaseScope.on(client, request).and(TransactionLocks.on(client, request));
  }

  /**
   * Whether a request would wait for what the current thread holds by work under a lease or by a
   * transaction.
   */
  public static boolean waitsForItself(LockClient client, LockRequest request) {
    return effectOfWork(client, request) == HeldPart.Effect.NEVER;
  }

  private void ensureNotLost(LockRequest request) {
    LeaseScope.ensureHeld(client, request);
    TransactionLocks.ensureKept(client, request);
  }

  private boolean writes(LockRequest request) {
    return LeaseScope.find(held -> held.part().writesFor(client, request)) != null
        || TransactionLocks.writes(client, request);
  }

  /** The same without blocking; completes with null if the lock is held by another. */
  public CompletableFuture<@Nullable Lease> enterAsync(String label, LockRequest request) {
    LockMeter.Wait wait = meter.start(label, request.name(), waits(request));
    CompletableFuture<Lease> acquiring;
    try {
      LeaseScope.ensureHeld(client, request);
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
  public LockTimeoutException busy(List<LockRequest> requests) {
    String names = requests.stream()
        .map(request -> "'" + request.name() + "'")
        .collect(Collectors.joining(" or ", "lock ", ""));
    Duration waited = requests.get(0).maxWait().orElse(Duration.ZERO);
    return new LockTimeoutException(
        requests.stream().anyMatch(this::isOfThisThread)
            ? names + " is held by another call or another transaction of this thread"
            : "%s is held by another; waited %s".formatted(names, waited));
  }

  /**
   * Says that the wait was interrupted, for callers that do not declare it; sets the flag again.
   */
  public static LockException interrupted(LockRequest request, InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new LockException(
        "interrupted while waiting for lock '%s'; nothing is held".formatted(request.name()),
        cause);
  }
}
