package dev.interlock.postgres.internal.grants;

import dev.interlock.postgres.internal.connection.ServerFacts;
import dev.interlock.postgres.internal.statements.LockMapper;
import dev.interlock.sql.support.Database;
import dev.interlock.sql.support.Listener;
import dev.interlock.sql.support.Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Listens for grants by other clients, from the first waiter on. Behind a pooler in transaction
 * mode the session that listens is not the client's, so it does without, and the client's waiters
 * look again more often. Thread-safe.
 */
public final class GrantListener implements Listener.Session {
  /** After so long a silence it makes sure that the server is still there. */
  private static final int SILENCE_MILLIS = 2_000;

  private final Database<Session<LockMapper>> database;
  private final String channel;
  private final Grants grants;

  private GrantListener(Database<Session<LockMapper>> database, String channel, Grants grants) {
    this.database = database;
    this.channel = channel;
    this.grants = grants;
  }

  /** What listens for a client, but does not yet. */
  public static Listener of(
      Database<Session<LockMapper>> database, String clientId, Grants grants) {
    String channel = channel(clientId);
    return new Listener(
        database.connections(), channel, () -> true, new GrantListener(database, channel, grants));
  }

  static String channel(String clientId) {
    return "interlock_" + clientId;
  }

  @Override
  public void listen(Listener listener, Connection connection, boolean again) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (!ServerFacts.isDirect(connection)) {
        listener.up(false);
        listener.goWithout();
        return;
      }
      statement.execute("LISTEN " + channel);
      listener.up(true);
      if (again) {
        grants.events().inDoubt();
      }
      PGConnection postgres = connection.unwrap(PGConnection.class);
      LockMapper mapper = database.on(connection, LockMapper.class);
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
      grants.granted(mapper, message.key(), message.id(), message.grant());
    } else {
      grants.revoked(message.key(), message.id());
    }
  }
}
