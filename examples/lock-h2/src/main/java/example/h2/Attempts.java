package example.h2;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The steps that take more than one statement. They run within the server, as functions of the
 * database, so that each is one request and one transaction: H2 commits when the function has
 * returned, and undoes everything if it throws. No row stays locked while a client has to say what
 * comes next, so a client that is stopped or cut off keeps nobody else waiting.
 *
 * <p>Each begins by locking the row of the name's bucket, so that of two attempts one is over
 * before the other looks. That row has the counter of fencing tokens: drawn under its lock, a later
 * hold always has the larger one. It starts at the server's time in microseconds, so that tokens
 * grow also when the database was lost.
 *
 * <p>The server needs this class and nothing else of the backend.
 */
public final class Attempts {
  /** The server's microseconds; as a number, for H2 sends timestamps by the client's zone. */
  static final String NOW = "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000000 AS BIGINT)";

  static final int BUCKETS = 16;

  private static final String LOCK_BUCKET = "SELECT TOKEN FROM BUCKETS WHERE ID = ? FOR UPDATE";
  private static final String NEXT_TOKEN = "SELECT TOKEN FROM FINAL TABLE"
      + " (UPDATE BUCKETS SET TOKEN = TOKEN + 1 WHERE ID = ?)";
  /** Goes by the row as it is once locked: a renewal comes before this, or too late. */
  private static final String EXPIRE = "DELETE FROM LOCKS WHERE NAME = ? AND EXPIRES <= " + NOW;
  /** Names that are never used again would keep their rows: each attempt takes a few away. */
  private static final String TIDY_UP = "DELETE FROM LOCKS WHERE EXPIRES <= " + NOW + " LIMIT 4";
  private static final String ANSWER = "SELECT CASE WHEN HOLD = ? THEN TOKEN"
      + " ELSE LEAST(-1, " + NOW + " - EXPIRES) END FROM LOCKS WHERE NAME = ?";
  private static final String INSERT = "INSERT INTO LOCKS VALUES(?, ?, ?, ?, ?, %s, %s + ?)"
      .formatted(NOW, NOW);
  private static final String PROLONG =
      "UPDATE LOCKS SET EXPIRES = GREATEST(EXPIRES, " + NOW + " + ?) WHERE NAME = ?";
  private static final String RAISE = "SELECT TOKEN FROM FINAL TABLE (UPDATE LOCKS"
      + " SET TOKEN = GREATEST(TOKEN, ?) WHERE NAME = ? AND HOLD = ? AND EXPIRES > " + NOW + ")";
  private static final String RAISE_COUNTER =
      "UPDATE BUCKETS SET TOKEN = GREATEST(TOKEN, ?) WHERE ID = ?";

  interface Reader<T> {
    T read(ResultSet rows) throws SQLException;
  }

  private Attempts() {}

  /** Returns the token of the granted hold, or minus the microseconds that another one has left. */
  public static long attempt(
      Connection connection, String name, String hold, String owner, String host, long lease)
      throws SQLException {
    int bucket = bucket(name);
    run(connection, LOCK_BUCKET, ResultSet::next, bucket);
    run(connection, EXPIRE, none -> null, name);
    run(connection, TIDY_UP, none -> null);
    long answer = run(connection, ANSWER, Attempts::number, hold, name);
    if (answer == 0) {
      answer = run(connection, NEXT_TOKEN, Attempts::number, bucket);
      run(connection, INSERT, none -> null, name, hold, owner, host, answer, lease);
    } else if (answer > 0) {
      run(connection, PROLONG, none -> null, lease, name);
    }
    return answer;
  }

  /** Returns the token that the hold has now, at least the one that is named; 0 if it is gone. */
  public static long raise(Connection connection, String name, String hold, long least)
      throws SQLException {
    int bucket = bucket(name);
    run(connection, LOCK_BUCKET, ResultSet::next, bucket);
    long token = run(connection, RAISE, Attempts::number, least, name, hold);
    run(connection, RAISE_COUNTER, none -> null, token, bucket);
    return token;
  }

  private static int bucket(String name) {
    return Math.floorMod(name.hashCode(), BUCKETS);
  }

  static <T> T run(Connection connection, String sql, Reader<T> reader, Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      statement.execute();
      return reader.read(statement.getResultSet());
    }
  }

  /** Reads the number of the only row, or 0 if there is none. */
  static long number(ResultSet rows) throws SQLException {
    return rows.next() ? rows.getLong(1) : 0;
  }
}
