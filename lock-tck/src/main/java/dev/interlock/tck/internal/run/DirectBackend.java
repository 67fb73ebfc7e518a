package dev.interlock.tck.internal.run;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A backend without the engine, which would keep the kit from doing what a fault does: sending a
 * command twice, late, or for a hold that is gone.
 */
public final class DirectBackend implements AutoCloseable {
  private final LockBackend backend;
  private final long client;
  private Holdings holdings = new Holdings();

  DirectBackend(LockBackend backend, long client) {
    this.backend = backend;
    this.client = client;
  }

  /** Notes there from now on what it holds. */
  DirectBackend noting(Holdings noted) {
    holdings = noted;
    return this;
  }

  public LockBackend backend() {
    return backend;
  }

  public HoldId newId() {
    return new HoldId(client, ThreadLocalRandom.current().nextLong());
  }

  /** Attempts once, for an owner that nobody else is. */
  public AttemptResult attempt(String name, HoldId id, Duration lease) {
    return attempt(once(name, id, lease));
  }

  private static Attempt once(String name, HoldId id, Duration lease) {
    return Attempt.of(name, id, "tck", lease);
  }

  public AttemptResult attempt(Attempt attempt) {
    long called = System.nanoTime();
    AttemptResult result = backend.attempt(attempt);
    if (result instanceof Grant) {
      holdings.addOnce(attempt.name(), attempt.id(), called, attempt.lease());
    }
    return result;
  }

  /** Attempts until granted. */
  public Grant acquire(String name, HoldId id, Duration lease, Duration limit)
      throws InterruptedException {
    return acquire(once(name, id, lease), limit);
  }

  /** Repeats an attempt until granted. */
  public Grant acquire(Attempt attempt, Duration limit) throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (System.nanoTime() - deadline < 0) {
      if (attempt(attempt) instanceof Grant granted) {
        return granted;
      }
      RuleRun.pause(Duration.ofMillis(5));
    }
    throw RuleViolation.late(
        "an attempt on a free lock is granted within " + limit.toMillis() + " ms",
        "it was not",
        List.of());
  }

  /** Renews a hold. */
  public RenewalResult renew(String name, HoldId id, Duration lease) {
    return renew(Renewal.of(name, id, lease, false));
  }

  /** Keeps a waiter's place. */
  public RenewalResult refresh(Attempt waiter) {
    return renew(Renewal.of(waiter.name(), waiter.id(), waiter.lease(), true));
  }

  private RenewalResult renew(Renewal renewal) {
    return renew(List.of(renewal)).get(0);
  }

  /** Renews holds in one batch, all for the same time. */
  public List<RenewalResult> renewAll(List<Attempt> holds, Duration lease) {
    return renew(holds.stream()
        .map(hold -> Renewal.of(hold.name(), hold.id(), lease, false))
        .toList());
  }

  private List<RenewalResult> renew(List<Renewal> batch) {
    long called = System.nanoTime();
    List<RenewalResult> results = RenewalAnswers.collect(backend, batch);
    for (int i = 0; i < results.size(); i++) {
      if (results.get(i) instanceof Grant) {
        holdings.add(
            batch.get(i).name(), batch.get(i).id(), called, batch.get(i).lease());
      }
    }
    return results;
  }

  public boolean release(String name, HoldId id) {
    holdings.remove(name, id);
    return backend.release(name, id);
  }

  /** Gives a hold up, and takes along what the release names. */
  public ReleaseResult release(Release release) {
    holdings.remove(release.name(), release.id());
    return HandOffBackend.release(backend, release);
  }

  public void abandon(String name, HoldId id) {
    holdings.remove(name, id);
    backend.abandon(name, id);
  }

  @Override
  public void close() {
    backend.close();
  }
}
