package dev.interlock.sql.support;

import dev.interlock.BackendRefusedException;
import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;

/** What an error of the server or the driver means. Immutable. */
public abstract class Faults {

  /** For a subclass. */
  protected Faults() {}

  /** What an error tells of what was sent, and of the connection. */
  public enum Kind {
    /** The same again is likely to succeed, and nothing stands of it. */
    PASSING,
    /** The same, but that what was sent may stand although the server answered with an error. */
    UNSETTLED,
    /** The connection is at its end, and what was sent on it may have been done. */
    CUT,
    /** The server takes no writes. */
    READ_ONLY,
    /** There are no such tables or functions, or they are not ours. */
    NOT_OURS,
    /** A right is missing. */
    DENIED,
    /** The server or the driver cannot do it now. */
    UNAVAILABLE,
    /** The server does not do it, and said why. */
    REFUSED
  }

  /**
   * Tells what an error of a statement means.
   *
   * @param error what the driver threw
   * @return its kind
   */
  protected abstract Kind kind(SQLException error);

  /**
   * Returns what the server calls an error.
   *
   * @param error what the driver threw
   * @return its code, for messages
   */
  protected abstract String code(SQLException error);

  /**
   * Tells whether the server has no connection left for this client.
   *
   * @param error met at connecting
   * @return whether there are too many
   */
  protected abstract boolean isCrowded(SQLException error);

  /**
   * Tells whether the server does not let this account in.
   *
   * @param error met at connecting
   * @return whether access is denied
   */
  protected abstract boolean isShutOut(SQLException error);

  /**
   * Names the rights that are needed.
   *
   * @return a part of a message
   */
  protected abstract String rights();

  /**
   * Tells whether another connection may do better, to another server after a failover.
   *
   * @param error what the driver threw
   * @return whether the connection is of no more use
   */
  public final boolean isConnectionUseless(SQLException error) {
    Kind kind = kind(error);
    return kind == Kind.CUT || kind == Kind.READ_ONLY;
  }

  /**
   * Tells whether the same again is likely to succeed, and nothing stands of it.
   *
   * @param error what the driver threw
   * @param changes whether what was sent changes something
   * @return whether to repeat it
   */
  public final boolean isPassing(SQLException error, boolean changes) {
    Kind kind = kind(error);
    return kind == Kind.PASSING || (kind == Kind.UNSETTLED && !changes);
  }

  /**
   * Makes the exception for the caller.
   *
   * @param what the operation
   * @param error what the driver threw
   * @param changes whether what was sent changes something, and so may have taken effect although
   *     it failed
   * @return the exception, of the type that says whether it had an effect
   */
  public final LockException translate(String what, SQLException error, boolean changes) {
    if (error instanceof SQLTransientConnectionException && !changes) {
      return noConnection(what, error);
    }
    String code = code(error);
    String reason = what + ": the server answered " + code + " (" + firstLine(error) + ")";
    String lost = what + ": the connection was lost (" + firstLine(error) + ")";
    return switch (kind(error)) {
      case READ_ONLY ->
        new BackendUnavailableException(
            what + ": the server is read-only (" + code + "); locks need the primary", error);
      case NOT_OURS ->
        new LockConfigurationException(
            reason + "; the tables are missing or not ours, open with ?schema=create", error);
      case DENIED ->
        new LockConfigurationException(reason + "; the account needs " + rights(), error);
      case CUT ->
        changes
            ? new OutcomeUnknownException(lost, error)
            : new BackendUnavailableException(lost, error);
      case UNSETTLED ->
        changes
            ? new OutcomeUnknownException(reason, error)
            : new BackendUnavailableException(reason, error);
      case PASSING, UNAVAILABLE -> new BackendUnavailableException(reason, error);
      case REFUSED -> new BackendRefusedException(reason, error);
    };
  }

  /**
   * Makes the exception for a caller for whom no connection was to be had: it certainly had no
   * effect.
   *
   * @param what the operation
   * @param error what the driver or the pool threw
   * @return the exception
   */
  public final LockException noConnection(String what, Exception error) {
    SQLException root = SqlCauses.root(error);
    String found = reason(root == null ? error : root);
    if (root != null && isCrowded(root)) {
      found = "too many connections (" + code(root) + "); lower poolSize or raise max_connections";
    } else if (root != null && isShutOut(root)) {
      return new BackendRefusedException(
          "%s: no connection: access denied (%s): %s".formatted(what, code(root), found), error);
    }
    return new BackendUnavailableException(what + ": no connection: " + found, error);
  }

  /**
   * Tells in a line why a connection could not be opened: what the driver says, and what it was
   * caused by, which some drivers hide.
   *
   * @param error what was thrown
   * @return a line for messages
   */
  public static String reason(Throwable error) {
    String said = firstLine(error);
    Throwable deepest = error;
    while (deepest.getCause() != null) {
      deepest = deepest.getCause();
    }
    String cause = firstLine(deepest);
    return said.contains(cause) || deepest.getMessage() == null ? said : said + ": " + cause;
  }

  private static String firstLine(Throwable error) {
    return String.valueOf(error.getMessage()).lines().findFirst().orElse("");
  }
}
