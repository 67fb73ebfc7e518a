package dev.interlock.mysql.internal.connection;

import dev.interlock.BackendRefusedException;
import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.sql.support.SqlCauses;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

/** What an error of the server or the driver means. */
public final class Faults {
  /**
   * The same again is likely to succeed: lock wait timeout, deadlock, interrupted statement, and on
   * MariaDB a row that has changed since the transaction first read (1020). In another session than
   * the one that its transaction began in, a packet is refused (1690), and there is nothing to roll
   * back (1232).
   */
  private static final Set<Integer> PASSING =
      Set.of(1205, 1213, 1317, 3024, 1969, 1020, 1690, 1232);

  /**
   * The server takes no writes: read_only, a read-only transaction, super_read_only,
   * innodb_read_only.
   */
  private static final Set<Integer> READ_ONLY = Set.of(1290, 1792, 1836, 1874);

  /** The connection is at its end although the SQL state does not say so. */
  private static final Set<Integer> CUT_OFF =
      Set.of(1053, 1077, 1079, 1927, 2006, 2013, 3169, 4031);

  private static final Set<Integer> TOO_MANY = Set.of(1040, 1203, 1226);

  private static final Set<Integer> DENIED = Set.of(1044, 1045, 1130, 1142, 1143, 1227, 1370, 1698);

  /** No such table or column, or not one that takes what we write. */
  private static final Set<Integer> SCHEMA = Set.of(1054, 1146, 1364, 1406, 1049);

  private static final int LOCK_WAIT = 1205;
  private static final int INTERRUPTED = 1317;
  private static final int UNKNOWN_STATEMENT = 1243;
  private static final int NO_SUCH_THREAD = 1094;
  private static final int NOT_OWNER_OF_THREAD = 1095;

  private Faults() {}

  public static boolean isPassing(SQLException error) {
    return PASSING.contains(error.getErrorCode()) || "40001".equals(error.getSQLState());
  }

  /** Somebody keeps a row locked for longer than the server waits for one. */
  public static boolean isLockWait(SQLException error) {
    return error.getErrorCode() == LOCK_WAIT;
  }

  /** The transaction was committed, but nobody could be woken. */
  public static boolean isUnheardWake(SQLException error) {
    return error.getErrorCode() == NO_SUCH_THREAD || isRefusedWake(error);
  }

  public static boolean isRefusedWake(SQLException error) {
    return error.getErrorCode() == NOT_OWNER_OF_THREAD;
  }

  /** The session keeps no statement of this name. */
  public static boolean isUnknownStatement(SQLException error) {
    return error.getErrorCode() == UNKNOWN_STATEMENT;
  }

  static boolean isCut(SQLException error) {
    String state = error.getSQLState();
    return (state != null && state.startsWith("08")) || CUT_OFF.contains(error.getErrorCode());
  }

  /** Nobody answered where a connection was to be opened: not even with a refusal. */
  static boolean isUnreachable(SQLException error) {
    return error.getErrorCode() == 0 && isCut(error);
  }

  /** Whether another connection may do better, to another server after a failover. */
  public static boolean isConnectionUseless(SQLException error) {
    return isCut(error) || READ_ONLY.contains(error.getErrorCode());
  }

  /**
   * Makes the exception for the caller.
   *
   * @param what the operation
   * @param sent whether something was sent that may have taken effect although it failed
   */
  public static LockException translate(String what, SQLException error, boolean sent) {
    int code = error.getErrorCode();
    String reason = what + ": the server answered " + code + " (" + error.getMessage() + ")";
    if (READ_ONLY.contains(code)) {
      return new BackendUnavailableException(
          what + ": the server is read-only (" + code + "); locks need the primary", error);
    }
    if (SCHEMA.contains(code)) {
      return new LockConfigurationException(
          reason + "; the tables are missing or not ours, open with ?schema=create", error);
    }
    if (error instanceof SQLTransientConnectionException) {
      return noConnection(what, error);
    }
    if (isCut(error)) {
      String message = what + ": the connection was lost (" + error.getMessage() + ")";
      return sent
          ? new OutcomeUnknownException(message, error)
          : new BackendUnavailableException(message, error);
    }
    if (DENIED.contains(code)) {
      return new LockConfigurationException(
          reason + "; the account needs SELECT, INSERT, UPDATE and DELETE on the tables", error);
    }
    if (sent && (code == 0 || code == INTERRUPTED)) {
      return new OutcomeUnknownException(what + " failed: " + error.getMessage(), error);
    }
    return code == 0 || isPassing(error)
        ? new BackendUnavailableException(reason, error)
        : new BackendRefusedException(reason, error);
  }

  /** No connection was to be had: certainly without effect. */
  public static LockException noConnection(String what, Exception error) {
    SQLException root = SqlCauses.root(error);
    int code = root == null ? 0 : root.getErrorCode();
    String found = reason(root == null ? error : root);
    if (TOO_MANY.contains(code)) {
      found = "too many connections (" + code + "); lower poolSize or raise max_connections";
    } else if (DENIED.contains(code)) {
      return new BackendRefusedException(
          "%s: no connection: access denied (%d): %s".formatted(what, code, found), error);
    }
    return new BackendUnavailableException(what + ": no connection: " + found, error);
  }

  /** The first line of what the driver says, and what it was caused by: the driver hides that. */
  static String reason(Throwable error) {
    String said = String.valueOf(error.getMessage()).lines().findFirst().orElse("");
    Throwable deepest = error;
    while (deepest.getCause() != null) {
      deepest = deepest.getCause();
    }
    String cause = String.valueOf(deepest.getMessage());
    return said.contains(cause) || deepest.getMessage() == null ? said : said + ": " + cause;
  }
}
