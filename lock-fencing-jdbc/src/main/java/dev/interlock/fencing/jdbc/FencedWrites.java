package dev.interlock.fencing.jdbc;

import dev.interlock.Lease;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Refuses what a holder writes whose lease has had a successor that has written. There are two
 * ways, and an application takes one of them for each resource:
 *
 * <ul>
 *   <li>A <em>guard row</em> in a table of its own: {@link #guard(Connection, Lease)} is one
 *       statement at the begin of the transaction, and covers all that the transaction writes.
 *   <li>A <em>guard column</em> in the row that is written: the application adds {@code token = ?}
 *       and {@code AND token <= ?} to its own statement, and {@link #requireWritten} looks at the
 *       number of rows. That costs no statement. The column must not be null.
 * </ul>
 *
 * <p>Both let the same token pass again, for a holder may write many times under one lease.
 *
 * <p>The technique is that of fencing tokens: Martin Kleppmann, "How to do distributed locking",
 * 2016. Thread-safe; the connection is used by one thread, as JDBC asks for.
 */
public final class FencedWrites {
  /** The table of {@link #create()}. */
  public static final String TABLE = "interlock_fence";

  private static final Pattern IDENTIFIER =
      Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}(\\.[A-Za-z_][A-Za-z0-9_]{0,62})?");

  /** The standard's class of errors for integrity constraints, such as a key that is there. */
  private static final String CONSTRAINT = "23";

  /** A bound for memory: for a name that it has forgotten a write costs one statement more. */
  private static final int MOST_KNOWN = 10_000;

  private static final int LONGEST_NAME = 255;

  private final String table;

  // Digests of names of which this object has found the row there. One that it has added may be
  // rolled back.
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  private FencedWrites(String table) {
    this.table = table;
  }

  /**
   * Uses guard rows in the table {@value #TABLE}, which {@link #ddl()} makes.
   *
   * @return what guards
   */
  public static FencedWrites create() {
    return inTable(TABLE);
  }

  /**
   * Uses guard rows in a table of another name.
   *
   * @param table the table, or schema and table with a dot between: letters, digits, underscores
   * @return what guards
   * @throws IllegalArgumentException if it has other characters
   */
  public static FencedWrites inTable(String table) {
    if (!IDENTIFIER.matcher(table).matches()) {
      throw new IllegalArgumentException(
          "a table is named by letters, digits and underscores, with a schema before it and a dot"
              + " between if need be, and not: " + table);
    }
    return new FencedWrites(table);
  }

  /**
   * Returns the statement that makes the table, for Flyway, Liquibase or by hand. It is the same
   * for MySQL, MariaDB, PostgreSQL and H2. The key is the SHA-256 of the name, so that no collation
   * takes two names for one; the name beside it is for people.
   *
   * @return one statement without a semicolon
   */
  public String ddl() {
    return "CREATE TABLE " + table + " (resource CHAR(64) NOT NULL PRIMARY KEY," + " name VARCHAR("
        + LONGEST_NAME + ") NOT NULL, token BIGINT NOT NULL, writes BIGINT NOT NULL)";
  }

  /**
   * Guards what the transaction writes, under the lock's name and the lease's token. Locks of one
   * name in several namespaces need names of their own here, or a table each.
   *
   * @param connection within a transaction, which has not read yet what it will write
   * @param lease what it is written under
   * @throws StaleTokenException if a later holder has written: roll back
   * @throws IllegalStateException if the connection commits each statement by itself
   * @throws dev.interlock.UnsupportedCapabilityException if the lease has no token, as its provider
   *     is not FENCED
   * @throws SQLException if the database refused
   */
  public void guard(Connection connection, Lease lease) throws SQLException {
    guard(connection, lease.name(), lease.fencingToken());
  }

  /**
   * Guards what the transaction writes. Blocks while another transaction that guards the same name
   * is open: its guard row is locked until this transaction ends. Called first, it keeps what the
   * transaction reads from being written by others meanwhile.
   *
   * <p>One statement, and two until this object has found the name in the table; three before a
   * refusal of a name that it knows. Nothing is left behind if the transaction is rolled back, or
   * if the connection breaks before its commit.
   *
   * @param connection within a transaction
   * @param name what is protected, most often the name of the lock
   * @param fencingToken the token of the lease
   * @throws StaleTokenException if a later holder has written: roll back
   * @throws IllegalStateException if the connection commits each statement by itself
   * @throws SQLException if the database refused
   */
  public void guard(Connection connection, String name, long fencingToken) throws SQLException {
    Objects.requireNonNull(name, "name");
    if (connection.getAutoCommit()) {
      // The check would be one transaction and the write another one.
      throw new IllegalStateException(
          "a guarded write needs a transaction: the connection is in auto-commit mode");
    }
    String resource = digest(name);
    if (known.contains(resource)) {
      if (advance(connection, resource, fencingToken)) {
        return;
      }
      known.remove(resource); // the row may be gone, and is not to be looked for twice
    }
    // Before any look at it: on MySQL one that finds no row keeps others from adding theirs.
    if (!add(connection, resource, name, fencingToken)) {
      remember(resource);
    }
    if (!advance(connection, resource, fencingToken)) {
      throw stale(name, fencingToken);
    }
  }

  /**
   * Looks whether a statement with a guard column has written anything.
   *
   * @param rows how many rows it has changed
   * @param name what is protected, for the message
   * @param fencingToken the token that the statement compared
   * @throws StaleTokenException if there are none: a later holder has written, or the row is gone
   * @throws IllegalArgumentException if the number is negative, as some drivers answer for a batch
   *     ({@link java.sql.Statement#SUCCESS_NO_INFO}): roll back, and write one by one
   */
  public static void requireWritten(long rows, String name, long fencingToken) {
    if (rows < 0) {
      throw new IllegalArgumentException(
          "whether the write under lock '%s' was refused is not known: the driver counts %d rows"
              .formatted(name, rows));
    }
    if (rows == 0) {
      throw stale(name, fencingToken);
    }
  }

  private static StaleTokenException stale(String name, long fencingToken) {
    return new StaleTokenException(
        "the write under lock '" + name + "' with fencing token " + fencingToken
            + " is refused: a later holder has written",
        name,
        fencingToken);
  }

  /**
   * Counts, too, so that the row changes in any case: some drivers count only rows that do, and
   * then the same token would look like a stale one.
   */
  private boolean advance(Connection connection, String resource, long token) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement("UPDATE " + table
        + " SET token = ?, writes = writes + 1 WHERE resource = ? AND token <= ?")) {
      update.setLong(1, token);
      update.setString(2, resource);
      update.setLong(3, token);
      return update.executeUpdate() > 0;
    }
  }

  /**
   * Adds the row unless it is there. The transaction goes on in both cases. If the row was added,
   * it goes again with a transaction that is rolled back.
   */
  private boolean add(Connection connection, String resource, String name, long token)
      throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + table
        + " (resource, name, token, writes) VALUES (?, ?, ?, 0)" + ifThere(connection))) {
      insert.setString(1, resource);
      insert.setString(2, forPeople(name));
      insert.setLong(3, token);
      return insert.executeUpdate() == 1;
    } catch (SQLException e) {
      if (!isDuplicate(e)) {
        throw e;
      }
      return false;
    }
  }

  /** On databases where the error for a key that is there would do harm. */
  private static String ifThere(Connection connection) throws SQLException {
    return switch (connection.getMetaData().getDatabaseProductName()) {
      // The error ends the transaction.
      case "PostgreSQL" -> " ON CONFLICT DO NOTHING";
      // The error leaves a shared lock, and two that have it block each other. A row that is there
      // counts as two, but only if this changes it.
      case "MySQL", "MariaDB" -> " ON DUPLICATE KEY UPDATE writes = writes + 1";
      default -> "";
    };
  }

  /** What every database takes, whatever its character set. */
  private static String forPeople(String name) {
    String plain = name.replaceAll("[^ -~]", "?");
    return plain.substring(0, Math.min(plain.length(), LONGEST_NAME));
  }

  private void remember(String resource) {
    if (known.size() >= MOST_KNOWN) {
      known.clear();
    }
    known.add(resource);
  }

  private static boolean isDuplicate(SQLException e) {
    String state = e.getSQLState();
    return e instanceof SQLIntegrityConstraintViolationException
        || (state != null && state.startsWith(CONSTRAINT));
  }

  private static String digest(String name) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(name.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
