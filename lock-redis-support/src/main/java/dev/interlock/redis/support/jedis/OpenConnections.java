package dev.interlock.redis.support.jedis;

import dev.interlock.BackendUnavailableException;
import dev.interlock.redis.support.BackgroundLook;
import dev.interlock.redis.support.jedis.Connections.Use;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;

/**
 * Lets those who need a further connection wait for one that is open, where none can be opened: a
 * server that has too many of them, or whose password was changed, may serve well those that it
 * has. Thread-safe.
 *
 * <p>What is given back is handed straight to whoever has waited longest, those who hold a lock
 * first. Otherwise a busy thread would have its connection back before the one that waits runs. Who
 * waits looks for what nobody tells now and then, and keeps its place meanwhile. Those that are
 * open may hang, so the server is also asked again whether it has room: on a thread of its own, as
 * it may be silent.
 */
final class OpenConnections {
  /** Within this time after a refusal the server is not asked for a further connection. */
  private static final Duration REFUSAL = Duration.ofMillis(100);

  /** How soon who waits notices what nobody tells: that no connection is open any more. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Where connections come from. */
  interface Source {
    /** Where connections lead now. */
    default Object place() {
      return this;
    }

    /** Takes one that is open and that nobody has; null if there is none. */
    @Nullable
    Connection idle();

    /** Opens one; throws {@link BackendUnavailableException} if that cannot be. */
    Connection further();

    /** Whether any is open, so that one may be given back. */
    boolean isAnyOpen();

    /** Takes back one that nobody waits for. */
    void keep(Connection connection);
  }

  /** Tells nothing of another server, which may have room. */
  private record Refusal(Object place, long at) {
    boolean isLately(Object now) {
      return place.equals(now) && System.nanoTime() - at < REFUSAL.toNanos();
    }
  }

  /** The place of a thread in the queue. */
  private static final class Turn {
    private final Thread thread = Thread.currentThread();

    /** Null while it waits; then the connection that it was handed, or nothing if it has gone. */
    private final AtomicReference<@Nullable Optional<Connection>> outcome = new AtomicReference<>();

    boolean isOpen() {
      return outcome.get() == null;
    }

    /** False if the thread was handed another one, or has gone. */
    boolean hand(Optional<Connection> connection) {
      boolean handed = outcome.compareAndSet(null, connection);
      if (handed) {
        LockSupport.unpark(thread);
      }
      return handed;
    }

    /** Ends it; returns once the connection that it was handed, if any. */
    @Nullable
    Connection end() {
      Optional<Connection> handed = outcome.getAndSet(Optional.empty());
      return handed == null ? null : handed.orElse(null);
    }
  }

  private final Queue<Turn> holders = new ConcurrentLinkedQueue<>();
  private final Queue<Turn> attempts = new ConcurrentLinkedQueue<>();
  private final BackgroundLook looks = new BackgroundLook("interlock-connection", REFUSAL);
  private volatile @Nullable Refusal refusal;

  /** Opens a connection or, where that cannot be, waits for one that is open. */
  Connection furtherOrNext(Use use, Source source, long deadline) {
    Object place = source.place();
    if (isRefusedLately(place) && source.isAnyOpen()) {
      Connection next = await(use, source, place, deadline);
      if (next != null) {
        return next;
      }
    }
    while (true) {
      place = source.place();
      try {
        return source.further();
      } catch (BackendUnavailableException e) {
        long now = System.nanoTime();
        if (now - deadline < 0) { // else it was no refusal: nothing came in time
          refusal = new Refusal(place, now);
        }
        if (!source.isAnyOpen()) {
          throw e;
        }
        Connection next = await(use, source, place, deadline);
        if (next != null) {
          return next;
        }
        if (System.nanoTime() - deadline >= 0) {
          throw e;
        }
        // None is open any more, or another server is the right one: now there may be room.
      }
    }
  }

  private boolean isRefusedLately(Object place) {
    Refusal latest = refusal;
    return latest != null && latest.isLately(place);
  }

  /** Opens connections for those who wait, as long as there is room. */
  private void openForWaiting(Source source) {
    while (isAwaited()) {
      Object place = source.place();
      Connection opened;
      try {
        opened = source.further();
      } catch (BackendUnavailableException e) {
        refusal = new Refusal(place, System.nanoTime());
        return;
      }
      if (place.equals(source.place())) {
        passOn(opened, source);
      } else {
        source.keep(opened);
      }
    }
  }

  /** Hands a connection that is sound to whoever waits for one; false if nobody does. */
  boolean handOver(Connection connection) {
    // Before a place is taken from the queue, which would be lost if memory is short.
    Optional<Connection> handed = Optional.of(connection);
    return handOver(holders, handed) || handOver(attempts, handed);
  }

  private static boolean handOver(Queue<Turn> turns, Optional<Connection> connection) {
    for (Turn next = turns.poll(); next != null; next = turns.poll()) {
      if (next.hand(connection)) {
        return true;
      }
    }
    return false;
  }

  /** Whether somebody waits for a connection to be given back. */
  boolean isAwaited() {
    return !holders.isEmpty() || !attempts.isEmpty();
  }

  /** Asks the server no more for those who wait. */
  void close() {
    looks.close();
  }

  private @Nullable Connection await(Use use, Source source, Object place, long deadline) {
    Queue<Turn> turns = use == Use.HOLDER ? holders : attempts;
    Turn turn = new Turn();
    turns.add(turn);
    try {
      Connection idle = awaitHandOrIdle(turn, source, place, deadline);
      Connection handed = turn.end();
      if (handed == null) {
        return idle;
      }
      passOn(idle, source);
      return handed;
    } finally {
      turns.remove(turn);
      passOn(turn.end(), source); // after an error
    }
  }

  /** Returns one that was idle; null if it was handed one, or has waited in vain. */
  private @Nullable Connection awaitHandOrIdle(
      Turn turn, Source source, Object place, long deadline) {
    boolean interrupted = false;
    try {
      Connection idle = source.idle(); // given back while this one was not there to take it
      long left = deadline - System.nanoTime();
      while (idle == null
          && turn.isOpen()
          && left > 0
          && source.isAnyOpen()
          && place.equals(source.place())) {
        if (!isRefusedLately(place)) {
          looks.begin(() -> openForWaiting(source));
        }
        LockSupport.parkNanos(this, Math.min(left, LOOK_NANOS));
        interrupted |= Thread.interrupted();
        if (turn.isOpen()) {
          idle = source.idle();
        }
        left = deadline - System.nanoTime();
      }
      return idle;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void passOn(@Nullable Connection connection, Source source) {
    if (connection != null && !handOver(connection)) {
      source.keep(connection);
    }
  }
}
