package dev.interlock.tck.internal.worker;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.NotOfferedException;
import dev.interlock.tck.internal.spi.SpiTrace;
import dev.interlock.tck.internal.spi.TracedBackend;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** What one rule has in one worker: a client, and what its tasks keep for later tasks. */
public final class WorkerSpace implements AutoCloseable {
  private final String label;
  private final Opener opener;
  private final SpiTrace trace = new SpiTrace();
  private final Map<String, Object> kept = new ConcurrentHashMap<>();
  private final Map<String, ExecutorService> threads = new ConcurrentHashMap<>();
  private final EventCounter events = new EventCounter();
  private @Nullable LockClient client;

  /**
   * Prepares.
   *
   * @param label the worker's
   */
  public WorkerSpace(String label, Opener opener) {
    this.label = label;
    this.opener = opener;
  }

  /** Returns this rule's client in this worker, opened at its first use. */
  public synchronized LockClient client() {
    LockClient current = client;
    if (current == null) {
      current = opener.hasEvents()
          ? opener.open(events, backend -> TracedBackend.of(backend, label, trace))
          : opener.open();
      client = current;
    }
    return current;
  }

  /** Returns the calls of its clients at the SPI. */
  SpiTrace trace() {
    return trace;
  }

  /** Returns how often the client reported what. */
  public EventCounter events() {
    if (!opener.hasEvents()) {
      throw new NotOfferedException("a listener that hears of attempts and renewals");
    }
    return events;
  }

  public DistributedLock lock(String name) {
    return client().lock(name);
  }

  /** Acquires with a fixed lease, within a wait. */
  public Lease acquire(String name, Duration lease, Duration wait) throws InterruptedException {
    return client().acquire(LockRequest.of(name).withLease(lease).withWait(wait));
  }

  public void keep(String key, Object value) {
    kept.put(key, value);
  }

  public Lease lease(String key) {
    return kept(key, Lease.class);
  }

  public <T> T kept(String key, Class<T> type) {
    return type.cast(Objects.requireNonNull(kept.get(key), key));
  }

  /** Runs something on the thread of this name, which lives as long as the space. */
  ExecutorService thread(String name) {
    return threads.computeIfAbsent(
        name, key -> Executors.newSingleThreadExecutor(work -> daemon(key, work)));
  }

  /** Closes the client; the next use opens another. */
  public void closeClient() {
    LockClient current;
    synchronized (this) {
      current = client;
      client = null;
    }
    if (current != null) {
      current.close();
    }
  }

  @Override
  public void close() {
    threads.values().forEach(ExecutorService::shutdownNow);
    closeClient();
  }

  private static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }
}
