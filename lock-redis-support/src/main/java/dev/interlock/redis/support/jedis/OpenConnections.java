package dev.interlock.redis.support.jedis;

import dev.interlock.BackendUnavailableException;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;

/**
 * Lets those who need a further connection wait for one that is open, where none can be opened: a
 * server that has too many of them, or whose password was changed, may serve well those that it
 * has. Thread-safe.
 *
 * <p>What is given back is handed straight to whoever has waited longest. Otherwise a busy thread
 * would have its connection back before the one that waits runs.
 */
final class OpenConnections {
  /** Within this time after a refusal the server is not asked for a further connection. */
  private static final long REFUSAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How soon who waits notices what nobody tells: that no connection is open any more. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Where connections come from. */
  interface Source {
    /** Takes one that is open and that nobody has; null if there is none. */
    @Nullable
    Connection idle();

    /** Opens one; throws {@link BackendUnavailableException} if that cannot be. */
    Connection further();

    /** Whether any is open, so that one may be given back. */
    boolean isAnyOpen();
  }

  private final LinkedTransferQueue<Connection> handed = new LinkedTransferQueue<>();
  private final AtomicInteger awaiting = new AtomicInteger();
  private volatile long refusedAt = System.nanoTime() - REFUSAL_NANOS;

  /** Opens a connection or, where that cannot be, waits for one that is open. */
  Connection furtherOrNext(Source source, long deadline) {
    boolean refusedLately = System.nanoTime() - refusedAt < REFUSAL_NANOS;
    if (refusedLately && source.isAnyOpen()) {
      Connection next = await(source, deadline);
      if (next != null) {
        return next;
      }
    }
    while (true) {
      try {
        return source.further();
      } catch (BackendUnavailableException e) {
        long now = System.nanoTime();
        if (now - deadline < 0) { // else it was no refusal: nothing came in time
          refusedAt = now;
        }
        if (!source.isAnyOpen()) {
          throw e;
        }
        Connection next = await(source, deadline);
        if (next != null) {
          return next;
        }
        if (System.nanoTime() - deadline >= 0) {
          throw e;
        }
        // Those that were open are closed now, which may leave room for another one.
      }
    }
  }

  /** Hands a connection that is sound to whoever waits for one; false if nobody does. */
  boolean handOver(Connection connection) {
    return isAwaited() && handed.tryTransfer(connection);
  }

  /** Whether somebody waits for a connection to be given back. */
  boolean isAwaited() {
    return awaiting.get() > 0;
  }

  private @Nullable Connection await(Source source, long deadline) {
    boolean interrupted = false;
    awaiting.incrementAndGet();
    try {
      Connection next = source.idle();
      long left = deadline - System.nanoTime();
      while (next == null && left > 0 && source.isAnyOpen()) {
        try {
          next = handed.poll(Math.min(left, LOOK_NANOS), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
        if (next == null) {
          next = source.idle(); // given back while this one was not there to take it
        }
        left = deadline - System.nanoTime();
      }
      return next;
    } finally {
      awaiting.decrementAndGet();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
