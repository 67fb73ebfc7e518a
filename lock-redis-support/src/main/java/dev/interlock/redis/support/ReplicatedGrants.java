package dev.interlock.redis.support;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ForwardingBackend;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A backend whose grants count only once replicas have them. A grant that they do not confirm is
 * given back.
 *
 * <p>Every grant goes to its caller as the answer to an attempt. One that was made by a release, or
 * found by a renewal, makes the engine repeat the attempt, which is granted again: so there is one
 * place in which replicas are asked, and whoever releases or renews never waits for them.
 * Thread-safe.
 */
public final class ReplicatedGrants implements ForwardingBackend {
  /** How a provider asks replicas. Thread-safe. */
  @FunctionalInterface
  public interface Replicas {
    /**
     * Waits until the replicas have a hold, for a bounded time. What is waited for must be a write
     * on the same connection, which therefore comes after the grant.
     *
     * @param name the lock
     * @param id the hold
     * @return how many have it; negative if the hold is gone
     * @throws LockException if that cannot be known
     */
    int confirm(String name, HoldId id);
  }

  /** Long enough for the attempt that the wake-up brings; then the renewal is repeated. */
  private static final Duration AFTER_WAKE = Duration.ofMillis(500);

  private final LockBackend backend;
  private final int needed;
  private final Replicas replicas;
  private volatile @Nullable BackendEvents events;

  /**
   * Makes one.
   *
   * @param backend grants, releases and renews
   * @param needed how many replicas must have a grant
   * @param replicas asks them
   */
  public ReplicatedGrants(LockBackend backend, int needed, Replicas replicas) {
    this.backend = backend;
    this.needed = needed;
    this.replicas = replicas;
  }

  @Override
  public LockBackend backend() {
    return backend;
  }

  @Override
  public void subscribe(BackendEvents engine) {
    events = engine;
    backend.subscribe(new WakeForGrants(engine));
  }

  @Override
  public AttemptResult attempt(Attempt attempt) {
    AttemptResult result = backend.attempt(attempt);
    if (result instanceof Grant) {
      confirm(attempt.name(), attempt.id());
    }
    return result;
  }

  private void confirm(String name, HoldId id) {
    int found;
    try {
      found = replicas.confirm(name, id);
    } catch (LockException e) {
      throw givenBack(name, id, "it is not known which replicas have it: " + e.getMessage(), e);
    }
    if (found < 0) {
      throw givenBack(name, id, "it ended before that", null);
    } else if (found < needed) {
      throw givenBack(name, id, "only " + found + " had it in time", null);
    }
  }

  private LockException givenBack(
      String name, HoldId id, String found, @Nullable LockException cause) {
    String what = "lock '%s' was granted, but %d replicas must have that, and %s"
        .formatted(name, needed, found);
    try {
      backend.abandon(name, id);
    } catch (LockException e) {
      return new OutcomeUnknownException(what + "; giving it back was not confirmed", e);
    }
    return new BackendUnavailableException(what + "; it was given back", cause);
  }

  @Override
  public ReleaseResult release(Release release) {
    ReleaseResult result = ForwardingBackend.super.release(release);
    Grant granted = result.granted();
    AttemptResult next = result.next();
    Attempt taken = release.next();
    if (granted != null) {
      wake(granted.name(), granted.id());
      if (taken != null && taken.id().equals(granted.id())) {
        next = AttemptResult.busy(Duration.ZERO);
      }
    }
    if (taken != null && next instanceof Grant) {
      wake(taken.name(), taken.id());
      next = AttemptResult.busy(Duration.ZERO);
    }
    return result.withGranted(null).withNext(next);
  }

  @Override
  public void renew(List<Renewal> batch, RenewalAnswers answers) {
    backend.renew(batch, (renewal, result) -> {
      if (renewal.queued() && result instanceof Grant) {
        wake(renewal.name(), renewal.id());
        answers.answer(renewal, RenewalResult.queued(AFTER_WAKE));
      } else {
        answers.answer(renewal, result);
      }
    });
  }

  private void wake(String name, HoldId id) {
    Objects.requireNonNull(events, "nobody has subscribed").wake(name, id);
  }

  /** The engine's events, in which a grant has become a reason to repeat the attempt. */
  private record WakeForGrants(BackendEvents engine) implements BackendEvents {
    @Override
    public void granted(Grant grant, long notBeforeNanos) {
      engine.wake(grant.name(), grant.id());
    }

    @Override
    public void wake(String name, HoldId id) {
      engine.wake(name, id);
    }

    @Override
    public void revoked(String name, HoldId id) {
      engine.revoked(name, id);
    }

    @Override
    public void inDoubt() {
      engine.inDoubt();
    }
  }
}
