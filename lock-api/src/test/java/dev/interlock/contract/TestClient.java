package dev.interlock.contract;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A backend as the engine sees it, with what it was told: for the tests of one backend. */
public final class TestClient implements AutoCloseable {
  public static final Duration LEASE = Duration.ofSeconds(30);

  public final LockBackend backend;
  public final BlockingQueue<Grant> grants = new LinkedBlockingQueue<>();
  public final BlockingQueue<HoldId> revoked = new LinkedBlockingQueue<>();
  private final long high;
  private final AtomicLong low = new AtomicLong(1);
  private final Set<Hold> answered = new HashSet<>();

  private record Hold(HoldId id, long token) {
    static Hold of(Grant grant) {
      return new Hold(grant.id(), grant.fencingToken());
    }
  }

  public TestClient(String id, LockBackend backend) {
    this.high = HexFormat.fromHexDigitsToLong(id);
    this.backend = backend;
    backend.subscribe(new BackendEvents() {
      @Override
      public void granted(Grant grant, long notBeforeNanos) {
        grants.add(grant);
      }

      @Override
      public void wake(String name, HoldId id) {}

      @Override
      public void revoked(String name, HoldId id) {
        revoked.add(id);
      }

      @Override
      public void inDoubt() {}
    });
  }

  public String clientId() {
    return HexFormat.of().toHexDigits(high);
  }

  public HoldId id() {
    return new HoldId(high, low.getAndIncrement());
  }

  public AttemptResult attempt(String name, HoldId id, Duration patience) {
    return attempt(name, id, patience, LEASE);
  }

  public AttemptResult attempt(String name, HoldId id, Duration patience, Duration lease) {
    return backend.attempt(
        Attempt.of(name, id, "owner", lease).withFair(true).withPatience(patience));
  }

  public AttemptResult attemptAs(String owner, String name, HoldId id, Duration patience) {
    return backend.attempt(Attempt.of(name, id, owner, LEASE)
        .withSharedOwner(true)
        .withFair(true)
        .withPatience(patience));
  }

  /**
   * What a waiter was granted, or another in its place. It looks again each second, as the engine
   * does, and passes over what it answered before and is then told; null after ten looks.
   */
  public @Nullable Grant granted(String name, HoldId waiter, Duration patience)
      throws InterruptedException {
    for (int look = 0; look < 10; look++) {
      Grant told = grants.poll(1, TimeUnit.SECONDS);
      if (told != null && answered.add(Hold.of(told))) {
        return told;
      }
      if (attempt(name, waiter, patience) instanceof Grant grant) {
        answered.add(Hold.of(grant));
        return grant;
      }
    }
    return null;
  }

  public ReleaseResult release(String name, HoldId id) {
    return HandOffBackend.release(backend, Release.of(name, id));
  }

  @Override
  public void close() {
    backend.close();
  }
}
