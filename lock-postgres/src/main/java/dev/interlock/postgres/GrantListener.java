package dev.interlock.postgres;

import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.Connections;
import dev.interlock.sql.support.Recheck;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Listens for grants by other clients, on one connection and one thread for the whole client, from
 * its first waiter on. Behind a pooler in transaction mode the session that listens is not the
 * client's, so it does without, and the client's waiters look again more often. Thread-safe.
 */
final class GrantListener {
  /** A waiter looks again as often until it can be told, so it need not wait for longer. */
  private static final long READY_NANOS = Recheck.POLL.toNanos();

  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  /** After so long a silence it makes sure that the server is still there. */
  private static final int SILENCE_MILLIS = 2_000;

  private final Database database;
  private final String channel;
  private final Heard heard;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private volatile boolean listening;

  // Guarded by lock.
  private @Nullable Thread thread;
  private @Nullable Connection connection;
  private boolean tried;
  private boolean closed;

  GrantListener(Database database, String clientId, Heard heard) {
    this.database = database;
    this.channel = channel(clientId);
    this.heard = heard;
  }

  /** Hears of what other clients did. */
  interface Heard {
    /**
     * A waiter was granted a lock.
     *
     * @param mapper for a look at it
     * @param grant what the message says of it; null if it says no more
     */
    void granted(LockMapper mapper, byte[] key, HoldId id, Message.@Nullable Told grant);

    void revoked(byte[] key, HoldId id);

    BackendEvents events();
  }

  static String channel(String clientId) {
    return "interlock_" + clientId;
  }

  /** Whether another client can tell this one of a grant now. */
  boolean isListening() {
    return listening;
  }

  /** Sees to it that it listens before a waiter relies on it. */
  void ensureListening() {
    if (listening) {
      return;
    }
    lock.lock();
    try {
      if (thread == null && !closed) {
        Thread started = new Thread(this::run, channel);
        started.setDaemon(true);
        started.start();
        thread = started;
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

  private void run() {
    for (boolean again = false; !isClosed(); again = true) {
      try {
        listen(again);
      } catch (SQLException | RuntimeException e) {
        // The re-checks of the waiters do without it meanwhile.
        set(false, null);
        pause();
      }
    }
  }

  private void listen(boolean again) throws SQLException {
    Connection taken = database.connections().listener();
    try (Statement statement = taken.createStatement()) {
      set(false, taken);
      if (!Session.isDirect(taken)) {
        while (!isClosed()) {
          pause();
        }
        return;
      }
      statement.execute("LISTEN " + channel);
      set(true, taken);
      if (again) {
        heard.events().inDoubt();
      }
      PGConnection postgres = taken.unwrap(PGConnection.class);
      LockMapper mapper = database.on(taken);
      while (!isClosed()) {
        PGNotification[] some = postgres.getNotifications(SILENCE_MILLIS);
        if (some == null || some.length == 0) {
          statement.execute("");
          continue;
        }
        for (PGNotification one : some) {
          heard(mapper, one.getParameter());
        }
      }
    } finally {
      listening = false;
      database.connections().endListener(taken);
    }
  }

  private void heard(LockMapper mapper, String text) {
    Message message = Message.parse(text);
    if (message.isGrant()) {
      heard.granted(mapper, message.key(), message.id(), message.grant());
    } else {
      heard.revoked(message.key(), message.id());
    }
  }

  private void set(boolean hears, @Nullable Connection current) {
    lock.lock();
    try {
      listening = hears && !closed;
      connection = current;
      tried |= hears || current == null;
      changed.signalAll();
      if (closed && current != null) {
        Connections.cut(current);
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  private void pause() {
    lock.lock();
    try {
      tried = true;
      changed.signalAll();
      long left = RETRY_NANOS;
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
  void close(Duration patience) {
    Thread running;
    lock.lock();
    try {
      closed = true;
      listening = false;
      running = thread;
      if (connection != null) {
        Connections.cut(connection);
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (running != null) {
      try {
        running.join(patience.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
