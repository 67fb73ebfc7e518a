package dev.interlock.internal.running;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.LockException;
import dev.interlock.LockListener;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.spi.Uninterruptibly;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * The backend as the engine calls it. Counts the calls under way so that closing can wait for them,
 * keeps interrupts away from I/O (an interrupted virtual thread would have its socket closed), and
 * makes every failure a {@link LockException}: also an {@link Error}, which leaves open what the
 * server has done, and whose caller has waiters to serve and holds to renew.
 */
public final class BackendCalls {
  /**
   * A call that fails within this time, in nanoseconds, is worth a second try at once: the
   * connection may have been stale, cut while it lay in a pool.
   */
  public static final long QUICK_FAULT = 200_000_000;

  private final String provider;
  private final LockBackend backend;
  private final LockListener listener;
  private final Clocks clocks;
  private final LongAdder underWay = new LongAdder();
  private volatile boolean closed;

  public BackendCalls(String provider, LockBackend backend, LockListener listener, Clocks clocks) {
    this.provider = provider;
    this.backend = backend;
    this.listener = listener;
    this.clocks = clocks;
  }

  /** The moment before a call, from which a lease that it brings counts. */
  public long beforeSending() {
    return clocks.look();
  }

  public Clocks clocks() {
    return clocks;
  }

  public AttemptResult attempt(Attempt attempt) {
    listener.attempt(attempt.name());
    return call("attempt", attempt.name(), () -> backend.attempt(attempt));
  }

  /** Answers each renewal exactly once, also if the backend fails or forgets some. */
  public void renew(List<Renewal> batch, RenewalAnswers answers) {
    Set<HoldId> open = ConcurrentHashMap.newKeySet();
    batch.forEach(renewal -> open.add(renewal.id()));
    AtomicBoolean told = new AtomicBoolean();
    RenewalAnswers once = (renewal, answered) -> {
      RenewalResult result = answered == null ? nothing(renewal) : answered;
      if (open.remove(renewal.id())) {
        if (result instanceof RenewalResult.Failed failed && told.compareAndSet(false, true)) {
          // Perhaps on the thread that reads the answers of all servers.
          MustNotBlock.run(() -> listener.backendError("renew", renewal.name(), failed.error()));
        }
        answers.answer(renewal, result);
      }
    };
    LockException failure;
    try {
      call("renew", batch.get(0).name(), () -> {
        backend.renew(batch, once);
        if (!open.isEmpty()) {
          throw new IllegalStateException(
              open.size() + " of " + batch.size() + " renewals without an answer");
        }
        return true;
      });
      return;
    } catch (LockException e) {
      told.set(true);
      failure = e;
    }
    RenewalResult failed = RenewalResult.failed(failure);
    batch.forEach(renewal -> once.answer(renewal, failed));
  }

  /** Null says nothing, and would be taken for "gone". */
  private RenewalResult nothing(Renewal renewal) {
    return RenewalResult.failed(
        new OutcomeUnknownException("the provider '%s' answered null to the renewal of lock '%s'"
            .formatted(provider, renewal.name())));
  }

  public Optional<HoldInfo> inspect(String name) {
    return call("inspect", name, () -> backend.inspect(name));
  }

  public boolean forceRelease(String name) {
    return call("forceRelease", name, () -> backend.forceRelease(name));
  }

  public boolean forceRelease(String name, long fencingToken) {
    return call("forceRelease", name, () -> backend.forceRelease(name, fencingToken));
  }

  /** Allowed while the client closes. */
  public ReleaseResult release(Release release) {
    return counted("release", release.name(), () -> HandOffBackend.release(backend, release));
  }

  /** Allowed while the client closes. */
  void abandon(String name, List<HoldId> ids) {
    counted("abandon", name, () -> {
      HandOffBackend.abandon(backend, name, ids);
      return true;
    });
  }

  public boolean isClosed() {
    return closed;
  }

  public void requireOpen() {
    if (closed) {
      throw closedException();
    }
  }

  public static BackendUnavailableException closedException() {
    return new BackendUnavailableException("this LockClient is closed");
  }

  /** From now on only releases and abandonments pass. */
  public void close() {
    closed = true;
  }

  /**
   * Begins work that ends with {@link #exit}. Closing waits for it, so that what a call brings is
   * dealt with before the last abandonments are sent.
   */
  public void enter() {
    underWay.increment();
  }

  public void exit() {
    underWay.decrement();
  }

  /**
   * Waits until no call is under way, but not for ever: a backend may hang against its contract.
   * Answers whether there is none.
   */
  public boolean awaitQuiet(long nanos) {
    boolean interrupted = Thread.interrupted(); // or it would not pause
    long deadline = System.nanoTime() + nanos;
    while (underWay.sum() > 0 && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return underWay.sum() == 0;
  }

  private <T> T call(String operation, String name, Supplier<T> body) {
    return counted(operation, name, () -> {
      // Read after counting: whoever closes either sees this call or stops it here.
      requireOpen();
      return body.get();
    });
  }

  private <T> T counted(String operation, String name, Supplier<T> body) {
    underWay.increment();
    try {
      // Null says nothing, and would be taken for "held by another".
      return Objects.requireNonNull(
          Uninterruptibly.call(body), () -> "the provider '" + provider + "' answered null");
    } catch (LockException e) {
      listener.backendError(operation, name, e);
      throw e;
    } catch (Throwable e) { // an Error, too, says nothing of what the server did
      LockException unknown = new OutcomeUnknownException(
          operation + " of lock '" + name + "' failed unexpectedly: " + e, e);
      listener.backendError(operation, name, unknown);
      throw unknown;
    } finally {
      underWay.decrement();
    }
  }
}
