package dev.interlock.internal.engine;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.DistributedLock;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.DistributedSemaphore;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LeaseSet;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockKind;
import dev.interlock.LockRequest;
import dev.interlock.internal.running.Abandonments;
import dev.interlock.internal.running.Agenda;
import dev.interlock.internal.running.BackendCalls;
import dev.interlock.internal.running.ClientThreads;
import dev.interlock.internal.running.Clocks;
import dev.interlock.internal.running.Listeners;
import dev.interlock.internal.running.Renewals;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Uninterruptibly;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Joins the parts of the engine into a client. */
public final class EngineClient implements LockClient {
  private static final long CLOSING = TimeUnit.SECONDS.toNanos(3);

  /** At least so long what could not be released is tried once more, however long the rest took. */
  private static final long LAST_TRIES = TimeUnit.SECONDS.toNanos(1);

  private static final int TRIES_OF_SHORT_LEASE = 5;

  private final Terms terms;
  private final LockBackend backend;
  private final HoldIds ids;
  private final ClientThreads threads;
  private final BackendCalls calls;
  private final Agenda agenda;
  private final Holds holds;
  private final Abandonments abandonments;
  private final Contention contention;
  private final Releases releases;
  private final AllOrNone allOrNone;
  private final AtomicBoolean closing = new AtomicBoolean();

  public EngineClient(
      Terms terms,
      LockConfig config,
      HoldIds ids,
      ClientId client,
      LockBackend backend,
      Clocks clocks) {
    this.terms = terms;
    this.backend = backend;
    this.ids = ids;
    threads = new ClientThreads(client.id(), config.executor().orElse(null));
    Listeners listeners = new Listeners(config.listeners(), threads);
    calls = new BackendCalls(terms.provider(), backend, listeners, clocks);
    agenda = new Agenda(threads, clocks);
    Renewals renewals = new Renewals(calls, threads);
    LocalQueues queues = new LocalQueues();
    abandonments = new Abandonments(calls, threads, listeners, queues::signalHead);
    Leftovers leftovers = new Leftovers(abandonments);
    HoldNews news = new HoldNews(listeners);
    holds =
        new Holds(terms, calls, agenda, renewals, leftovers, listeners, news, queues, this::giveUp);
    contention = new Contention(calls, holds, queues, agenda, renewals, leftovers, listeners, news);
    releases = new Releases(calls, holds, contention, queues, leftovers, news, threads);
    allOrNone = new AllOrNone(this, terms, holds);
    backend.subscribe(new ServerEvents(calls, contention, queues, holds));
  }

  /** Of a hold whose entry nobody will use. */
  private void giveUp(Hold hold) {
    releases.giveUpQuietly(hold);
  }

  @Override
  public DistributedLock lock(String name) {
    calls.requireOpen();
    return new ThreadLock(LockRequest.of(name), this);
  }

  @Override
  public DistributedReadWriteLock readWriteLock(String name) {
    calls.requireOpen();
    Grantee.requireKind(LockKind.SHARED, terms);
    return ReadWriteView.of(name, this);
  }

  @Override
  public DistributedSemaphore semaphore(String name, int permits) {
    calls.requireOpen();
    Grantee.requireKind(LockKind.PERMITS, terms);
    return SemaphoreView.of(name, permits, this);
  }

  @Override
  public Lease acquire(LockRequest request) throws InterruptedException {
    return handle(acquire(request, null), request.isRenewing());
  }

  Hold acquire(LockRequest request, @Nullable Thread thread) throws InterruptedException {
    return acquire(request, thread, true);
  }

  void acquireUninterruptibly(LockRequest request, Thread thread) {
    try {
      acquire(request, thread, false);
    } catch (InterruptedException e) {
      throw new AssertionError("an uninterruptible wait was interrupted", e);
    }
  }

  private Hold acquire(LockRequest request, @Nullable Thread thread, boolean interruptible)
      throws InterruptedException {
    long start = System.nanoTime();
    Hold hold = waiter(request, thread).await(interruptible);
    for (int tries = 1; !hold.isValid(); tries++) { // this thread was paused for longer than it
      releases.drop(hold, request.isRenewing());
      LockRequest rest = lessTime(request, System.nanoTime() - start);
      if (tries >= TRIES_OF_SHORT_LEASE
          && rest.maxWait().filter(Duration::isZero).isPresent()) {
        throw overBeforeUse(request); // the server would grant it on and on
      }
      hold = waiter(rest, thread).await(interruptible);
    }
    return hold;
  }

  private static BackendUnavailableException overBeforeUse(LockRequest request) {
    return new BackendUnavailableException(
        "lock '%s': the lease was over each time before it could be used"
            .formatted(request.name()));
  }

  private ThreadWaiter waiter(LockRequest request, @Nullable Thread thread) {
    return new ThreadWaiter(
        grantee(request, thread), ids.next(), request.maxWait().orElse(null), contention);
  }

  /** Fills in the defaults, and refuses what can never be granted. */
  Grantee grantee(LockRequest request, @Nullable Thread thread) {
    Grantee grantee = Grantee.of(request, thread, terms);
    holds.owners().requireNoUpgrade(grantee);
    return grantee;
  }

  /** The same request with what is left of its wait. */
  static LockRequest lessTime(LockRequest request, long nanos) {
    Optional<Duration> wait = request.maxWait().map(limit -> limit.minusNanos(nanos));
    return wait.map(left -> request.withWait(left.isNegative() ? Duration.ZERO : left))
        .orElse(request);
  }

  @Override
  public Optional<Lease> tryAcquire(LockRequest request) {
    request.maxWait().filter(wait -> !wait.isZero()).ifPresent(wait -> {
      throw new IllegalArgumentException(
          "tryAcquire of lock '%s' makes one attempt: use acquire for a wait of %s"
              .formatted(request.name(), wait));
    });
    return Optional.ofNullable(tryOnce(request, null))
        .map(hold -> handle(hold, request.isRenewing()));
  }

  @Nullable
  Hold tryOnce(LockRequest request, @Nullable Thread thread) {
    LockRequest once = request.withWait(Duration.ZERO);
    for (int tries = 0; tries < TRIES_OF_SHORT_LEASE; tries++) {
      Hold hold = contention.tryOnce(waiter(once, thread));
      if (hold == null || hold.isValid()) {
        return hold;
      }
      releases.drop(hold, request.isRenewing()); // this thread was paused for longer than the lease
    }
    throw overBeforeUse(request);
  }

  @Override
  public CompletableFuture<Lease> acquireAsync(LockRequest request) {
    calls.requireOpen();
    AsyncWaiter waiter = new AsyncWaiter(
        grantee(request, null),
        ids.next(),
        request.maxWait().orElse(null),
        contention,
        threads,
        agenda,
        hold -> handle(hold, request.isRenewing()));
    return waiter.start();
  }

  @Override
  public LeaseSet acquireAll(List<LockRequest> requests) throws InterruptedException {
    return allOrNone.acquire(List.copyOf(requests)); // the caller may change its own meanwhile
  }

  @Override
  public Optional<HoldInfo> inspect(String name) {
    return calls.inspect(LockRequest.of(name).name()).map(this::withLocalHolders);
  }

  private HoldInfo withLocalHolders(HoldInfo info) {
    HoldInfo first = withLocalHolder(info);
    return info.others().isEmpty()
        ? first
        : first.withOthers(info.others().stream().map(this::withLocalHolder).toList());
  }

  /** The server does not know to whom this client has passed what it holds. */
  private HoldInfo withLocalHolder(HoldInfo info) {
    Hold hold = holds.index().byFirstToken(info.name(), info.fencingToken());
    if (hold == null || !hold.isValid() || hold.token() <= info.fencingToken()) {
      return info;
    }
    return info.withHolder(hold.grantee().label(), hold.token());
  }

  @Override
  public boolean forceRelease(String name) {
    LockRequest.of(name);
    return forced(name, calls.forceRelease(name));
  }

  @Override
  public boolean forceRelease(String name, long fencingToken) {
    LockRequest.of(name);
    if (fencingToken <= 0) {
      throw new IllegalArgumentException(
          "forceRelease of lock '%s': a fencing token is positive, not %d"
              .formatted(name, fencingToken));
    }
    terms.require(Capability.FENCED, "forceRelease(name, fencingToken)");
    return forced(name, calls.forceRelease(name, fencingToken));
  }

  private boolean forced(String name, boolean forced) {
    if (forced) {
      holds.confirm(name);
    }
    return forced;
  }

  @Override
  public Set<Capability> capabilities() {
    return terms.capabilities();
  }

  @Nullable
  Hold heldBy(LockRequest request, Thread thread) {
    return holds.owners().heldBy(request.name(), thread, request.kind());
  }

  Lease handle(Hold hold, boolean renewing) {
    return new LeaseHandle(hold, terms, holds, () -> false, held -> releases.exit(held, renewing));
  }

  /** Of a hold that the current thread owns, for its innermost entry. */
  Lease threadHandle(Hold hold) {
    Hold.Entry entry = hold.innermost();
    return new LeaseHandle(
        hold, terms, holds, () -> !hold.has(entry), held -> releases.exit(held, entry));
  }

  Releases releases() {
    return releases;
  }

  @Override
  public void close() {
    if (!closing.compareAndSet(false, true)) {
      return;
    }
    calls.close();
    long deadline = System.nanoTime() + CLOSING;
    long patience = 0; // with what hangs already
    try {
      contention.close();
      boolean quiet = releases.releaseAll(deadline);
      long left = Math.max(LAST_TRIES, deadline - System.nanoTime());
      boolean over = abandonments.flush(System.nanoTime() + left);
      patience = quiet && over ? CLOSING : 0;
    } finally {
      agenda.close();
      threads.close(patience);
      Uninterruptibly.call(() -> {
        backend.close(); // it may wait for threads of its own
        return true;
      });
    }
  }

  /** Prints the provider, and nothing of the settings. */
  @Override
  public String toString() {
    return "LockClient[%s]".formatted(terms.provider());
  }
}
