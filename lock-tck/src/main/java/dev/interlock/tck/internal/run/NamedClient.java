package dev.interlock.tck.internal.run;

import dev.interlock.Capability;
import dev.interlock.DistributedLock;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.DistributedSemaphore;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LeaseSet;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A client whose requests come from a thread of its own name. A test drives several clients from
 * one thread; a provider that takes the thread's name for the owner would let each into the others'
 * locks and fail nearly every rule, where X5 is the one that tells what is wrong.
 */
final class NamedClient implements LockClient {
  /** The current thread under another name. */
  private static final class Renamed implements AutoCloseable {
    private final Thread thread = Thread.currentThread();
    private final String before = thread.getName();

    Renamed(String name) {
      thread.setName(name);
    }

    @Override
    public void close() {
      thread.setName(before);
    }
  }

  private final LockClient client;
  private final String name;

  NamedClient(LockClient client, String name) {
    this.client = client;
    this.name = name;
  }

  @Override
  public DistributedLock lock(String lock) {
    return client.lock(lock);
  }

  @Override
  public DistributedReadWriteLock readWriteLock(String lock) {
    return client.readWriteLock(lock);
  }

  @Override
  public DistributedSemaphore semaphore(String lock, int permits) {
    return client.semaphore(lock, permits);
  }

  @Override
  public Lease acquire(LockRequest request) throws InterruptedException {
    try (Renamed renamed = new Renamed(name)) {
      return client.acquire(request);
    }
  }

  @Override
  public Optional<Lease> tryAcquire(LockRequest request) {
    try (Renamed renamed = new Renamed(name)) {
      return client.tryAcquire(request);
    }
  }

  @Override
  public CompletableFuture<Lease> acquireAsync(LockRequest request) {
    try (Renamed renamed = new Renamed(name)) {
      return client.acquireAsync(request);
    }
  }

  @Override
  public LeaseSet acquireAll(List<LockRequest> requests) throws InterruptedException {
    try (Renamed renamed = new Renamed(name)) {
      return client.acquireAll(requests);
    }
  }

  @Override
  public Optional<HoldInfo> inspect(String lock) {
    return client.inspect(lock);
  }

  @Override
  public boolean forceRelease(String lock) {
    return client.forceRelease(lock);
  }

  @Override
  public boolean forceRelease(String lock, long fencingToken) {
    return client.forceRelease(lock, fencingToken);
  }

  @Override
  public Set<Capability> capabilities() {
    return client.capabilities();
  }

  @Override
  public void close() {
    client.close();
  }
}
