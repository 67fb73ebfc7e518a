package dev.interlock.postgres.internal.connection;

import dev.interlock.sql.support.Faults;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * What an error of PostgreSQL, or of its driver, means. One that the server answers to a statement
 * tells that it was rolled back, but for a release.
 */
public final class PostgresFaults extends Faults {
  public static final PostgresFaults FAULTS = new PostgresFaults();

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

  private PostgresFaults() {}

  @Override
  protected Kind kind(SQLException error) {
    String state = code(error);
    if (state.equals(READ_ONLY)) {
      return Kind.READ_ONLY;
    }
    if (isCut(state)) {
      return Kind.CUT;
    }
    if (SCHEMA.contains(state)) {
      return Kind.NOT_OURS;
    }
    if (isBehindCommit(error)) {
      return Kind.UNSETTLED;
    }
    if (state.equals(DENIED)) {
      return Kind.DENIED;
    }
    if (PASSING.contains(state)) {
      return Kind.PASSING;
    }
    return state.equals(TOO_MANY) ? Kind.UNAVAILABLE : Kind.REFUSED;
  }

  /**
   * Whether a release met it when it had been committed, or was about to be. Where a right is
   * missing, the function of which it is does not stand in the context: it was never entered.
   */
  private boolean isBehindCommit(SQLException error) {
    ServerErrorMessage message =
        error instanceof PSQLException postgres ? postgres.getServerErrorMessage() : null;
    String where = message == null ? null : message.getWhere();
    return where != null
        && where.contains(RELEASE)
        && COMMITTED.stream().noneMatch(where::contains)
        && (!code(error).equals(DENIED) || where.contains(BEHIND));
  }

  /**
   * The connection is at its end, and what was sent on it may have been done: also if an
   * administrator ended it (57P01), since that may have met a commit that waited for a standby.
   */
  private static boolean isCut(String state) {
    return state.startsWith("08")
        || state.startsWith("57P")
        || state.equals(TOO_LONG_A_TRANSACTION)
        || state.equals("null");
  }

  /** Nobody answered where a connection was to be opened, or only that none is to be had now. */
  boolean isUnreachable(SQLException error) {
    return code(error).startsWith("08") || code(error).equals(NOT_NOW);
  }

  @Override
  protected String code(SQLException error) {
    return String.valueOf(error.getSQLState());
  }

  @Override
  protected boolean isCrowded(SQLException error) {
    return code(error).equals(TOO_MANY);
  }

  @Override
  protected boolean isShutOut(SQLException error) {
    return code(error).startsWith("28");
  }

  @Override
  protected String rights() {
    return "SELECT, INSERT, UPDATE and DELETE on the tables, and EXECUTE on the functions and the"
        + " procedure";
  }
}
