package dev.interlock.tck.internal.run;

import dev.interlock.BackendUnavailableException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.ForwardingBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Stand between engine and backend: the server executes every command, but the answers to the next
 * few attempts come late, or are lost.
 */
public final class FaultyReplies {
  private FaultyReplies() {}

  /** Delays the answers to as many attempts as the counter says. */
  public static LockBackend late(LockBackend backend, AtomicInteger attempts, Duration delay) {
    return new Late(backend, attempts, delay);
  }

  /** Loses the answers to as many attempts as the counter says. */
  public static LockBackend lost(LockBackend backend, AtomicInteger attempts) {
    return new Lost(backend, attempts);
  }

  /**
   * Loses the answer to one attempt, and refuses all others, abandonments too, until the counter is
   * set to 0.
   */
  public static LockBackend lostThenRefused(LockBackend backend, AtomicInteger stage) {
    return new LostThenRefused(backend, stage);
  }

  private static boolean isNext(AtomicInteger remaining) {
    return remaining.getAndUpdate(count -> Math.max(0, count - 1)) > 0;
  }

  private static OutcomeUnknownException noAnswer() {
    return new OutcomeUnknownException("the kit lost the answer to this attempt");
  }

  private record Late(LockBackend backend, AtomicInteger remaining, Duration delay)
      implements ForwardingBackend {
    @Override
    public AttemptResult attempt(Attempt attempt) {
      AttemptResult result = backend.attempt(attempt);
      if (isNext(remaining)) {
        long end = System.nanoTime() + delay.toNanos();
        while (System.nanoTime() - end < 0) {
          LockSupport.parkNanos(end - System.nanoTime());
        }
      }
      return result;
    }
  }

  private record Lost(LockBackend backend, AtomicInteger remaining) implements ForwardingBackend {
    @Override
    public AttemptResult attempt(Attempt attempt) {
      AttemptResult result = backend.attempt(attempt);
      if (isNext(remaining)) {
        throw noAnswer();
      }
      return result;
    }
  }

  private record LostThenRefused(LockBackend backend, AtomicInteger stage)
      implements ForwardingBackend {
    @Override
    public AttemptResult attempt(Attempt attempt) {
      requireSent();
      AttemptResult result = backend.attempt(attempt);
      if (stage.compareAndSet(1, 2)) {
        throw noAnswer();
      }
      return result;
    }

    @Override
    public void abandon(String name, HoldId id) {
      requireSent();
      backend.abandon(name, id);
    }

    @Override
    public void abandon(String name, List<HoldId> ids) {
      requireSent();
      ForwardingBackend.super.abandon(name, ids);
    }

    private void requireSent() {
      if (stage.get() > 1) {
        throw new BackendUnavailableException("the kit refuses to send it");
      }
    }
  }
}
