package dev.interlock.postgres.internal.grants;

import dev.interlock.postgres.internal.connection.ServerFacts;
import dev.interlock.postgres.internal.statements.Database;
import dev.interlock.postgres.internal.statements.LockMapper;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.Listener;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Listens for grants by other clients, from the first waiter on. Behind a pooler in transaction
 * mode the session that listens is not the client's, so it does without, and the client's waiters
 * look again more often. Thread-safe.
 */
public final class GrantListener {
  /** After so long a silence it makes sure that the server is still there. */
  private static final int SILENCE_MILLIS = 2_000;

  private final Database database;
  private final String channel;
  private final Heard heard;
  private final Listener listener;

  public GrantListener(Database database, String clientId, Heard heard) {
    this.database = database;
    this.channel = channel(clientId);
    this.heard = heard;
    this.listener = new Listener(database.connections(), channel, () -> true, this::listen);
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
  public boolean isListening() {
    return listener.isUp();
  }

  /** Sees to it that it listens before a waiter relies on it. */
  public void ensureListening() {
    listener.ensure();
  }

  private void listen(Connection connection, boolean again) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (!ServerFacts.isDirect(connection)) {
        listener.up(false);
        while (listener.isNeeded()) {
          listener.pause();
        }
        return;
      }
      statement.execute("LISTEN " + channel);
      listener.up(true);
      if (again) {
        heard.events().inDoubt();
      }
      PGConnection postgres = connection.unwrap(PGConnection.class);
      LockMapper mapper = database.on(connection);
      while (listener.isNeeded()) {
        PGNotification[] some = postgres.getNotifications(SILENCE_MILLIS);
        if (some == null || some.length == 0) {
          statement.execute("");
          continue;
        }
        for (PGNotification one : some) {
          heard(mapper, one.getParameter());
        }
      }
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

  /** Ends thread and connection. */
  public void close() {
    listener.close();
  }
}
