package dev.interlock.postgres.internal.connection;

import dev.interlock.BackendRefusedException;
import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.sql.support.SqlCauses;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.Set;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** What an error of the server or the driver means. */
public final class Faults {
  /**
   * The same again is likely to succeed: serialization failure, deadlock, lock timeout, cancelled.
   */
  private static final Set<String> PASSING = Set.of("40001", "40P01", "55P03", "57014");

  /** It is starting up or shutting down. */
  private static final String NOT_NOW = "57P03";

  private static final String READ_ONLY = "25006";
  private static final String TOO_MANY = "53300";

  /** No such table, column, function or type; another answer than ours. */
  private static final Set<String> SCHEMA = Set.of("42P01", "42703", "42883", "42704", "42804");

  private static final String DENIED = "42501";

  /** The connection is at its end although the class of the state does not say so. */
  private static final String TOO_LONG_A_TRANSACTION = "25P04";

  /** The procedure and the functions of which it commits what was done. */
  private static final String RELEASE = "release_all(";

  private static final List<String> COMMITTED = List.of("operate(", "append(");

  /** How the procedure calls what it calls behind the commit, in whatever language of messages. */
  private static final String BEHIND = "PERFORM";

  private Faults() {}

  private static String state(SQLException error) {
    return String.valueOf(error.getSQLState());
  }

  public static boolean isPassing(SQLException error) {
    return PASSING.contains(state(error)) && !isBehindCommit(error);
  }

  /**
   * Whether a release met it when it had been committed, or was about to be. Where a right is
   * missing, the function of which it is does not stand in the context: it was never entered.
   */
  private static boolean isBehindCommit(SQLException error) {
    ServerErrorMessage message =
        error instanceof PSQLException postgres ? postgres.getServerErrorMessage() : null;
    String where = message == null ? null : message.getWhere();
    return where != null
        && where.contains(RELEASE)
        && COMMITTED.stream().noneMatch(where::contains)
        && (!state(error).equals(DENIED) || where.contains(BEHIND));
  }

  /**
   * The connection is at its end, and what was sent on it may have been done: also if an
   * administrator ended it (57P01), since that may have met a commit that waited for a standby.
   */
  static boolean isCut(SQLException error) {
    String state = state(error);
    return state.startsWith("08")
        || state.startsWith("57P")
        || state.equals(TOO_LONG_A_TRANSACTION)
        || state.equals("null");
  }

  /** Nobody answered where a connection was to be opened, or only that none is to be had now. */
  static boolean isUnreachable(SQLException error) {
    return state(error).startsWith("08") || state(error).equals(NOT_NOW);
  }

  /** Whether another connection may do better, to another server after a failover. */
  public static boolean isConnectionUseless(SQLException error) {
    return isCut(error) || state(error).equals(READ_ONLY);
  }

  /**
   * Makes the exception for the caller.
   *
   * @param what the operation
   * @param changes whether what was sent changes something, and so may have taken effect although
   *     it failed. An error that the server answers to a statement means that it rolled it back,
   *     but for a release
   */
  public static LockException translate(String what, SQLException error, boolean changes) {
    String state = state(error);
    String reason = what + ": the server answered " + state + " (" + firstLine(error) + ")";
    if (state.equals(READ_ONLY)) {
      return new BackendUnavailableException(
          what + ": the server is read-only (25006); locks need the primary", error);
    }
    if (SCHEMA.contains(state)) {
      return new LockConfigurationException(
          reason + "; the tables or functions are missing or not ours, open with ?schema=create",
          error);
    }
    if (isBehindCommit(error)) {
      return new OutcomeUnknownException(reason, error);
    }
    if (state.equals(DENIED)) {
      return new LockConfigurationException(
          reason + "; the account needs SELECT, INSERT, UPDATE and DELETE on the tables,"
              + " and EXECUTE on the functions and the procedure",
          error);
    }
    if (error instanceof SQLTransientConnectionException) {
      return noConnection(what, error);
    }
    if (isCut(error)) {
      String message = what + ": the connection was lost (" + firstLine(error) + ")";
      return changes
          ? new OutcomeUnknownException(message, error)
          : new BackendUnavailableException(message, error);
    }
    return isPassing(error) || state.equals(TOO_MANY)
        ? new BackendUnavailableException(reason, error)
        : new BackendRefusedException(reason, error);
  }

  /** No connection was to be had: certainly without effect. */
  public static LockException noConnection(String what, Exception error) {
    SQLException root = SqlCauses.root(error);
    String found = firstLine(root == null ? error : root);
    if (root != null && state(root).equals(TOO_MANY)) {
      found = "too many connections (53300); lower poolSize or raise max_connections";
    } else if (root != null && state(root).startsWith("28")) {
      return new BackendRefusedException(
          "%s: no connection: access denied (%s): %s".formatted(what, state(root), found), error);
    }
    return new BackendUnavailableException(what + ": no connection: " + found, error);
  }

  static String firstLine(Throwable error) {
    return String.valueOf(error.getMessage()).lines().findFirst().orElse("");
  }
}
