package dev.interlock.compare.figures;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.compare.peers.Clients;
import dev.interlock.measure.SectionClient;
import dev.interlock.measure.SectionLock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/** Tells when requests of clients begin to wait, and how often the server is asked for a lock. */
public final class Waiting implements LockListener {
  private static final int LIMIT_SECONDS = 20;

  /** How long to wait for the wait of a client that does not tell of it. */
  private static final int UNTOLD_MILLIS = 10;

  private final Semaphore begun = new Semaphore(0);
  private final AtomicLong attempts = new AtomicLong();
  private volatile boolean isTold = true;

  @Override
  public void attempt(String name) {
    attempts.incrementAndGet();
  }

  @Override
  public void waiting(String name) {
    begun.release();
  }

  /** Opens a client that tells it to this, if it can. */
  public LockClient open(String uri) {
    if (!Clients.isOurs(uri)) {
      isTold = false;
      return Clients.open(uri);
    }
    return Locks.open(LockConfig.parse(uri).toBuilder().listener(this).build());
  }

  /**
   * Opens a client for sections.
   *
   * @param asking what a provider of ours is asked for; other libraries have their own settings
   */
  SectionClient sections(String uri, UnaryOperator<LockRequest> asking) {
    if (!Clients.isOurs(uri)) {
      isTold = false;
      return Clients.sections(uri);
    }
    return new Ours(open(uri), asking);
  }

  private record Ours(LockClient client, UnaryOperator<LockRequest> asking)
      implements SectionClient {
    @Override
    public SectionLock lock(String name) {
      return SectionLock.of(client, asking.apply(LockRequest.of(name)));
    }

    @Override
    public void close() {
      client.close();
    }
  }

  /** Whether the clients tell when they wait, and how often they ask. */
  public boolean isTold() {
    return isTold;
  }

  /** How many attempts were sent. */
  public long attempts() {
    return attempts.get();
  }

  /** Forgets those that have begun to wait. */
  void reset() {
    begun.drainPermits();
  }

  /** Blocks until one more request waits, or for long enough where nobody tells. */
  public void await() throws InterruptedException {
    await(new CompletableFuture<>());
  }

  /** The same, but no longer than until this attempt has ended. */
  public void await(CompletableFuture<?> attempt) throws InterruptedException {
    if (!isTold) {
      TimeUnit.MILLISECONDS.sleep(UNTOLD_MILLIS);
      return;
    }
    var unused = attempt.whenComplete((lease, error) -> begun.release());
    if (!begun.tryAcquire(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          "no request began to wait within " + LIMIT_SECONDS + " s, though the lock was held");
    }
  }

  /**
   * Lets one more request wait for this time, by the same count whether anybody tells when it
   * begins to.
   */
  void keepWaiting(Duration time) throws InterruptedException {
    if (isTold) {
      await();
    }
    TimeUnit.NANOSECONDS.sleep(time.toNanos());
  }
}
