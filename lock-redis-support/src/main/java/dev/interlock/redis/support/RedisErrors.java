package dev.interlock.redis.support;

import dev.interlock.BackendRefusedException;
import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import java.net.SocketTimeoutException;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Sorts the errors that a server answers with, and words what goes wrong between it and a client,
 * whatever the driver. No secret is in that. An error answer means that nothing was changed, but
 * for one: while a slot moves, a script cannot write a key that it has deleted, and ends there.
 */
public final class RedisErrors {
  /** Twice the line: the server's own errors name it, and the script's error handler once more. */
  private static final Pattern IN_SCRIPT =
      Pattern.compile("ERR Error running script[^@]*(?:@user_script: ?\\d+: )+");

  /** Valkey 9 begins with this, Redis does not. */
  private static final Pattern ENDED_HALFWAY =
      Pattern.compile("[Aa]ttempted to access a non local key");

  /**
   * What Redis 6.2 and later ones say of a command that a script may not run; NOPERM is not in it.
   */
  private static final Pattern NO_RIGHT_IN_SCRIPT =
      Pattern.compile("The user executing the script can't|ERR ACL failure in script");

  private static final String NO_RIGHT = "NOPERM";

  private static final String FOREIGN_KEY = "WRONGTYPE";

  private static final Set<String> ACCESS = Set.of("NOAUTH", "WRONGPASS", NO_RIGHT);

  /** It answers, but has no room, or cannot write to its disk, until somebody mends that. */
  private static final Set<String> FULL = Set.of("MISCONF", "OOM");

  private static final Set<String> REFUSED = Set.of(
      "ASK",
      "BUSY",
      "CLUSTERDOWN",
      "CROSSSLOT",
      "EXECABORT",
      "LOADING",
      "MASTERDOWN",
      "MOVED",
      "NOREPLICAS",
      "NOSCRIPT",
      "READONLY",
      "TRYAGAIN",
      "UNBLOCKED");

  /** Those of {@link #REFUSED} that are about the keys of one command. */
  private static final Set<String> OF_KEYS =
      Set.of("ASK", "CLUSTERDOWN", "CROSSSLOT", "MOVED", "NOSCRIPT", "TRYAGAIN");

  private RedisErrors() {}

  /**
   * Makes an exception of an error answer.
   *
   * @param action what was asked, such as {@code acquire lock 'orders'}
   * @param address host and port
   * @param answer the error, which begins with its code
   * @param cause what the client library threw
   * @return {@link BackendUnavailableException} if another time it may work;
   *     {@link BackendRefusedException} if it works with other rights or more room;
   *     {@link OutcomeUnknownException} if something may have been changed; else a final
   *     {@link LockException}
   */
  public static LockException refused(
      String action, String address, String answer, @Nullable Throwable cause) {
    String code = code(answer);
    String found = "Redis at " + address + " refused to " + action + ": " + answer;
    if (ENDED_HALFWAY.matcher(answer).find()) {
      return new OutcomeUnknownException(
          found + ". The slot is being moved, and part of the script may have run.", cause);
    }
    if (ACCESS.contains(code)) {
      return new BackendRefusedException(found + ". Check user, password and rights (ACL).", cause);
    }
    if (code.equals(FOREIGN_KEY)) {
      return new LockException(
          found + ". Other software uses this key: choose another namespace.", cause);
    }
    if (FULL.contains(code)) {
      return new BackendRefusedException(found, cause);
    }
    if (REFUSED.contains(code)) {
      return new BackendUnavailableException(found, cause);
    }
    return new LockException(found, cause);
  }

  /**
   * Makes an exception of a server that answered to the opening of a connection with an error.
   *
   * @param address host and port
   * @param answer the error, which begins with its code
   * @param cause what the client library threw
   * @return {@link BackendRefusedException} if user or rights are at fault
   */
  public static BackendUnavailableException refusedConnection(
      String address, String answer, Throwable cause) {
    String found = "Redis at " + address + " refused the connection: " + answer
        + ". Check user, password and database number";
    return ACCESS.contains(code(answer))
        ? new BackendRefusedException(found, cause)
        : new BackendUnavailableException(found, cause);
  }

  /**
   * Makes an exception of a connection that could not be opened, so nothing was sent.
   *
   * @param address host and port
   * @param reason why, as {@link #reason} words it
   * @param cause what the client library threw
   * @return the exception
   */
  public static BackendUnavailableException noConnection(
      String address, String reason, Throwable cause) {
    return new BackendUnavailableException(
        "Cannot connect to Redis at " + address + ": " + reason
            + ". Check host, port and tls, and that the server runs",
        cause);
  }

  /**
   * Makes an exception of a command that may have run: the connection broke, or no answer came in
   * time.
   *
   * @param action what was asked
   * @param address host and port
   * @param reason why, as {@link #reason} words it
   * @param cause what the client library threw
   * @return the exception
   */
  public static OutcomeUnknownException noAnswer(
      String action, String address, String reason, Throwable cause) {
    return new OutcomeUnknownException(
        "Redis at " + address + " did not answer to " + action + ": " + reason, cause);
  }

  /**
   * Makes an exception of a script that found twice that its deadline was over, and did nothing.
   *
   * @param action what was asked
   * @param address host and port
   * @return the exception
   */
  public static BackendUnavailableException tooLate(String action, String address) {
    return new BackendUnavailableException("Redis at " + address + " refused to " + action
        + " twice because it ran too late: it is overloaded or its clock is being set");
  }

  /**
   * Says what was asked, for the exceptions that are made here.
   *
   * @param action such as {@code acquire}
   * @param lock its name; empty where no lock is meant
   * @return such as {@code acquire lock 'orders'}
   */
  public static String describe(String action, String lock) {
    return lock.isEmpty() ? action : action + " lock '" + lock + "'";
  }

  /**
   * Finds what a failure began with.
   *
   * @param failure the failure
   * @return its last cause
   */
  public static Throwable root(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  /**
   * Says why there is no connection or no answer.
   *
   * @param failure what the client library threw
   * @return what it began with, in words
   */
  public static String reason(Throwable failure) {
    Throwable root = root(failure);
    if (root instanceof CancellationException) {
      return "the connection broke";
    }
    if (root instanceof SocketTimeoutException) {
      return "no answer in time (" + root.getMessage() + ")";
    }
    return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
  }

  /**
   * Tells whether other commands would be answered the same, because the error is about the server
   * or the user and not about a key.
   *
   * @param answer the error, which begins with its code
   * @return false if it concerns one command of many
   */
  public static boolean concernsAll(String answer) {
    String code = code(answer);
    return ACCESS.contains(code)
        || FULL.contains(code)
        || (REFUSED.contains(code) && !OF_KEYS.contains(code));
  }

  /**
   * Tells whether a command failed because other software uses a key of the lock.
   *
   * @param failure made of an error answer by {@link #refused}
   * @return false if other locks may be concerned too
   */
  public static boolean isOfForeignKey(LockException failure) {
    Throwable answer = failure.getCause();
    return answer != null && code(String.valueOf(answer.getMessage())).equals(FOREIGN_KEY);
  }

  /**
   * Returns the code of an error answer: its first word, or, where a server before Redis 7 tells of
   * an error within a script, the first word of that error. A right that is missing within a script
   * is NOPERM like any other.
   *
   * @param answer the answer
   * @return the code, such as LOADING
   */
  public static String code(String answer) {
    if (NO_RIGHT_IN_SCRIPT.matcher(answer).find()) {
      return NO_RIGHT;
    }
    Matcher inScript = IN_SCRIPT.matcher(answer);
    int start = inScript.lookingAt() ? inScript.end() : 0;
    if (answer.startsWith("-", start)) {
      start++;
    }
    int blank = answer.indexOf(' ', start);
    return blank < 0 ? answer.substring(start) : answer.substring(start, blank);
  }
}
