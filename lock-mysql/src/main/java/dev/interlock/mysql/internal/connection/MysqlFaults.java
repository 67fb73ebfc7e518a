package dev.interlock.mysql.internal.connection;

import dev.interlock.sql.support.Faults;
import java.sql.SQLException;
import java.util.Set;
import java.util.regex.Pattern;

/** What an error of MySQL or MariaDB, or of Connector/J, means. */
public final class MysqlFaults implements Faults.Errors {
  public static final Faults FAULTS = new Faults(new MysqlFaults());

  /**
   * The same again is likely to succeed: lock wait timeout, deadlock, on MariaDB a row that has
   * changed since the transaction first read (1020); a statement or a table that was changed
   * meanwhile (1615, 1412). In a group of servers a commit is refused with a state of class 40
   * (3101). In another session than the one that its transaction began in, a packet is refused
   * (1690), and there is nothing to roll back (1232).
   */
  private static final Set<Integer> PASSING = Set.of(1205, 1213, 1020, 1615, 1412, 1690, 1232);

  /**
   * Behind the commit of a packet it may be interrupted (1317), or take too long; in the commit
   * there may be an error (1180), or what a group of servers does there may fail (3100).
   */
  private static final Set<Integer> UNSETTLED = Set.of(1317, 3024, 1969, 1180, 3100);

  /**
   * The server takes no writes: read_only, a read-only transaction, super_read_only,
   * innodb_read_only.
   */
  private static final Set<Integer> READ_ONLY = Set.of(1290, 1792, 1836, 1874);

  /**
   * The connection is at its end although the SQL state does not say so, or the error is none of
   * the server's (0).
   */
  private static final Set<Integer> CUT_OFF =
      Set.of(0, 1053, 1077, 1079, 1927, 2006, 2013, 3169, 4031);

  /**
   * It answers, and lets nobody in: a node of Galera without the others, a server that shuts down
   * or is offline, a router without a server.
   */
  private static final Set<Integer> SERVES_NOBODY = Set.of(1047, 1053, 3032, 2003);

  private static final Set<Integer> TOO_MANY = Set.of(1040, 1203, 1226);

  private static final Set<Integer> DENIED = Set.of(1044, 1045, 1130, 1142, 1143, 1227, 1370, 1698);

  /** No such table or column, or not one that takes what we write. */
  private static final Set<Integer> SCHEMA = Set.of(1054, 1146, 1364, 1406, 1049);

  private static final int LOCK_WAIT = 1205;
  private static final int UNKNOWN_STATEMENT = 1243;
  private static final int NO_SUCH_THREAD = 1094;
  private static final int NOT_OWNER_OF_THREAD = 1095;

  /** What nodes of Galera say to GET_LOCK: MariaDB's, and those of Percona in their strict mode. */
  private static final int NOT_SUPPORTED_YET = 1235;

  /** Says nothing by itself. */
  private static final int UNKNOWN_ERROR = 1105;

  private static final Pattern OF_USER_LOCKS =
      Pattern.compile("GET_LOCK|pxc_strict_mode", Pattern.CASE_INSENSITIVE);

  private MysqlFaults() {}

  @Override
  public Faults.Kind kind(SQLException error) {
    int code = error.getErrorCode();
    if (READ_ONLY.contains(code)) {
      return Faults.Kind.READ_ONLY;
    }
    if (SCHEMA.contains(code)) {
      return Faults.Kind.NOT_OURS;
    }
    if (DENIED.contains(code)) {
      return Faults.Kind.DENIED;
    }
    if (UNSETTLED.contains(code)) {
      return Faults.Kind.UNSETTLED;
    }
    if (PASSING.contains(code) || hasState(error, "40")) {
      return Faults.Kind.PASSING;
    }
    return CUT_OFF.contains(code) || hasState(error, "08") ? Faults.Kind.CUT : Faults.Kind.REFUSED;
  }

  private static boolean hasState(SQLException error, String beginning) {
    return String.valueOf(error.getSQLState()).startsWith(beginning);
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

  /** The server refuses {@code GET_LOCK}, so nobody can be woken there. */
  public static boolean hasNoUserLocks(SQLException error) {
    int code = error.getErrorCode();
    return code == NOT_SUPPORTED_YET
        || (code == UNKNOWN_ERROR
            && OF_USER_LOCKS.matcher(String.valueOf(error.getMessage())).find());
  }

  /** The session keeps no statement of this name. */
  public static boolean isUnknownStatement(SQLException error) {
    return error.getErrorCode() == UNKNOWN_STATEMENT;
  }

  /** Where a connection was to be opened, nobody answered, or not with a reason to give up. */
  static boolean isUnreachable(SQLException error) {
    int code = error.getErrorCode();
    return SERVES_NOBODY.contains(code) || (code == 0 && hasState(error, "08"));
  }

  @Override
  public String code(SQLException error) {
    return Integer.toString(error.getErrorCode());
  }

  @Override
  public boolean isCrowded(SQLException error) {
    return TOO_MANY.contains(error.getErrorCode());
  }

  @Override
  public boolean isShutOut(SQLException error) {
    return DENIED.contains(error.getErrorCode());
  }

  @Override
  public String rights() {
    return "the account needs SELECT, INSERT, UPDATE and DELETE on the tables";
  }
}
