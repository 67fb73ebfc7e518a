package dev.interlock.sql.support;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread and the connection on which a client hears of grants by other clients: one of each for
 * the whole client, while it needs them. If they fail, it begins anew, and the client's waiters
 * look by themselves meanwhile. Thread-safe.
 */
public final class Listener {
  /** A waiter looks again as often until it can be told, so it need not wait for longer. */
  private static final long READY_NANOS = Recheck.POLL.toNanos();

  private static final long RETRY_NANOS = Duration.ofMillis(300).toNanos();
  private static final long LONGEST_RETRY_NANOS = Duration.ofSeconds(2).toNanos();
  private static final long ENDS_MILLIS = 1_000;

  private final Connections connections;
  private final String name;
  private final BooleanSupplier needed;
  private final Session session;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private volatile boolean heard;
  private volatile boolean closed;

  // Guarded by lock.
  private @Nullable Thread thread;
  private @Nullable Connection connection;
  private boolean tried;

  /**
   * Does not listen yet.
   *
   * @param connections where the connection comes from
   * @param name of the thread
   * @param needed whether anybody relies on it; who begins to says so before a call of
   *     {@link #ensure}
   * @param session what is done on the connection
   */
  public Listener(Connections connections, String name, BooleanSupplier needed, Session session) {
    this.connections = connections;
    this.name = name;
    this.needed = needed;
    this.session = session;
  }

  /** What each database has of its own. */
  public interface Session {
    /**
     * Listens, until it is not needed any more or the connection is of no more use. Calls
     * {@link #up} first.
     *
     * @param listener who calls
     * @param connection for nothing else; it is ended afterwards
     * @param again whether there was one before, so that something may have been missed
     * @throws SQLException if the connection is of no more use
     */
    void listen(Listener listener, Connection connection, boolean again) throws SQLException;
  }

  /**
   * Tells whether another client can tell this one of a grant now.
   *
   * @return whether it hears
   */
  public boolean isUp() {
    return heard;
  }

  /**
   * Sees to it that it listens before a waiter relies on it. Waits for that as long as the waiter
   * would need to find a grant by itself: its caller may not have the time to wait for a server or
   * a machine that is slow.
   */
  public void ensure() {
    if (heard) {
      return;
    }
    lock.lock();
    try {
      if (thread == null && !closed) {
        start();
      }
      long left = READY_NANOS;
      while (!tried && !closed && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  private void start() {
    Thread listener = new Thread(this::run, name);
    listener.setDaemon(true);
    try {
      listener.start();
      thread = listener;
      tried = false;
    } catch (OutOfMemoryError e) {
      // No thread was to be had. The re-checks do without, and the next waiter tries again.
      tried = true;
    }
  }

  private void run() {
    long retry = RETRY_NANOS;
    for (boolean again = false; stays(); again = true) {
      try {
        listen(again);
        retry = RETRY_NANOS;
      } catch (Throwable e) { // an Error, too: without this thread nothing would be heard any more
        // The re-checks of the waiters do without it meanwhile. A server that stays of no use, as
        // one that has become read-only, is asked less and less often.
        retry = heard ? RETRY_NANOS : retry;
        set(false, null);
        pause(retry);
        retry = Math.min(2 * retry, LONGEST_RETRY_NANOS);
      }
    }
  }

  /** Whether this thread goes on. Who needs it after a "no" starts another one. */
  private boolean stays() {
    lock.lock();
    try {
      boolean stays = isNeeded();
      if (!stays) {
        thread = null;
        set(false, null);
      }
      return stays;
    } finally {
      lock.unlock();
    }
  }

  private void listen(boolean again) throws SQLException {
    Connection taken = connections.listener();
    try {
      if (isWanted(taken)) {
        session.listen(this, taken, again);
      }
    } finally {
      connections.endListener(taken);
    }
  }

  /** Notes a connection, so that closing cuts it, unless that was before. */
  private boolean isWanted(Connection taken) {
    lock.lock();
    try {
      connection = taken;
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The session is ready.
   *
   * @param hears whether others can tell it of a grant; not if a pooler stands in between
   */
  public void up(boolean hears) {
    lock.lock();
    try {
      set(hears && !closed, connection);
    } finally {
      lock.unlock();
    }
  }

  private void set(boolean hears, @Nullable Connection current) {
    lock.lock();
    try {
      heard = hears;
      connection = current;
      tried = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Tells whether to listen at all.
   *
   * @return false if nobody relies on it, or it is closed
   */
  public boolean isNeeded() {
    return !closed && needed.getAsBoolean();
  }

  /** Waits until nobody needs it: where it cannot hear, waiters look by themselves more often. */
  public void goWithout() {
    while (isNeeded()) {
      pause(RETRY_NANOS);
    }
  }

  /**
   * Tells whether to listen on with this session. Whoever needs it says so before looking whether
   * it is up, so after a "no" nobody relies on it: a waiter that comes then waits for the next one.
   *
   * @return whether to listen on
   */
  public boolean listensOn() {
    if (isNeeded()) {
      return true;
    }
    lock.lock();
    try {
      heard = false;
      heard = isNeeded();
      tried = heard;
      return heard;
    } finally {
      lock.unlock();
    }
  }

  /** Waits before a look at whether it is still of no use; not for long, nor once it is closed. */
  private void pause(long nanos) {
    lock.lock();
    try {
      long left = nanos;
      while (!closed && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  /** Ends thread and connection. */
  public void close() {
    Thread running;
    lock.lock();
    try {
      closed = true;
      heard = false;
      running = thread;
      if (connection != null) {
        Connections.cut(connection);
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (running != null) {
      // It may wait for a connection, for as long as an application's pool does.
      running.interrupt();
      try {
        running.join(ENDS_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
