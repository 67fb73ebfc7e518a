package dev.interlock.compare.peers;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.DistributedLock;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.DistributedSemaphore;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LeaseSet;
import dev.interlock.LockClient;
import dev.interlock.LockKind;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.UnsupportedCapabilityException;
import dev.interlock.measure.peers.PeerLock;
import dev.interlock.measure.peers.PeerLocks;
import dev.interlock.tck.NotOfferedException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A library's client. Each lease has a thread of its own, since the libraries know owners by their
 * threads. Thread-safe.
 */
final class PeerClient implements LockClient {

  /** An attempt in a thread of its own; these libraries give no way to call it off. */
  private static final class Attempt extends CompletableFuture<Lease> {
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      throw new NotOfferedException("cancellation of an attempt");
    }
  }

  private final PeerLocks locks;
  private final Set<HandleThread> handles = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  PeerClient(PeerLocks locks) {
    this.locks = locks;
  }

  @Override
  public DistributedLock lock(String name) {
    return new PeerLockView(LockRequest.of(name).name(), locks.lock(name));
  }

  @Override
  public DistributedReadWriteLock readWriteLock(String name) {
    throw new NotOfferedException("a lock for readers and writers");
  }

  @Override
  public DistributedSemaphore semaphore(String name, int permits) {
    throw new NotOfferedException("a semaphore");
  }

  @Override
  public Lease acquire(LockRequest request) throws InterruptedException {
    return attempt(request, false)
        .orElseThrow(() -> new LockTimeoutException("\"" + request.name()
            + "\" was not acquired within " + request.maxWait().orElseThrow()));
  }

  @Override
  public Optional<Lease> tryAcquire(LockRequest request) {
    try {
      return attempt(request, true);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BackendUnavailableException("interrupted in a single attempt", e);
    }
  }

  @Override
  public CompletableFuture<Lease> acquireAsync(LockRequest request) {
    requireExpressible(request);
    Attempt attempt = new Attempt();
    Thread thread = new Thread(
        () -> {
          try {
            attempt.complete(acquire(request));
          } catch (InterruptedException | RuntimeException e) {
            attempt.completeExceptionally(e);
          }
        },
        "peer-attempt-" + request.name());
    thread.setDaemon(true);
    thread.start();
    return attempt;
  }

  private Optional<Lease> attempt(LockRequest request, boolean once) throws InterruptedException {
    requireExpressible(request);
    requireOpen();
    HandleThread thread = new HandleThread(request.name());
    handles.add(thread);
    boolean acquired = false;
    try {
      PeerLock lock = request.isRenewing() && request.lease().isPresent()
          ? locks.renewed(request.name(), request.lease().get())
          : locks.lock(request.name());
      acquired = thread.call(() -> PeerErrors.call(() -> acquire(lock, request, once)));
      return acquired
          ? Optional.of(new PeerLease(request.name(), lock, thread, () -> handles.remove(thread)))
          : Optional.empty();
    } finally {
      if (!acquired) {
        thread.end();
        handles.remove(thread);
      }
    }
  }

  private static boolean acquire(PeerLock lock, LockRequest request, boolean once)
      throws InterruptedException {
    Optional<Duration> lease = request.lease().filter(given -> !request.isRenewing());
    if (once) {
      return lease.isPresent() ? lock.tryLock(Duration.ZERO, lease.get()) : lock.tryLock();
    }
    if (request.maxWait().isPresent()) {
      Duration wait = request.maxWait().get();
      return lease.isPresent() ? lock.tryLock(wait, lease.get()) : lock.tryLock(wait);
    }
    if (lease.isPresent()) {
      lock.lockInterruptibly(lease.get());
    } else {
      lock.lockInterruptibly();
    }
    return true;
  }

  private void requireExpressible(LockRequest request) {
    if (request.owner().isPresent()) {
      throw new NotOfferedException("acquire for a named owner");
    }
    require(request.fairness().orElse(false), Capability.FAIR);
    require(request.isRenewing(), Capability.RENEWABLE);
    require(request.kind() == LockKind.SHARED, Capability.SHARED);
    require(request.kind() == LockKind.PERMITS, Capability.PERMITS);
  }

  private void require(boolean asked, Capability capability) {
    if (asked && !locks.capabilities().contains(capability)) {
      throw new UnsupportedCapabilityException("this lock is not " + capability);
    }
  }

  private void requireOpen() {
    if (closed.get()) {
      throw new BackendUnavailableException("the client is closed");
    }
  }

  @Override
  public LeaseSet acquireAll(List<LockRequest> requests) {
    throw new NotOfferedException("acquireAll");
  }

  @Override
  public Optional<HoldInfo> inspect(String name) {
    throw new NotOfferedException("inspect");
  }

  @Override
  public boolean forceRelease(String name) {
    throw new NotOfferedException("forceRelease");
  }

  @Override
  public boolean forceRelease(String name, long fencingToken) {
    throw new NotOfferedException("forceRelease");
  }

  @Override
  public Set<Capability> capabilities() {
    return locks.capabilities();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      locks.close();
      handles.forEach(HandleThread::stop);
      handles.clear();
    }
  }
}
