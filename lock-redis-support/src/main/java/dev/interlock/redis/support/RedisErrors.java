package dev.interlock.redis.support;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sorts the errors that a server answers with. An error answer means that nothing was changed, but
 * for one: while a slot moves, a script cannot write a key that it has deleted, and ends there.
 */
public final class RedisErrors {
  private static final String IN_SCRIPT = "ERR Error running script";
  private static final String SCRIPT_LINE = "@user_script:";
  private static final String ENDED_HALFWAY = "attempted to access a non local key";
  private static final Set<String> ACCESS = Set.of("NOAUTH", "WRONGPASS", "NOPERM");

  private static final Set<String> REFUSED = Set.of(
      "ASK",
      "BUSY",
      "CLUSTERDOWN",
      "CROSSSLOT",
      "EXECABORT",
      "LOADING",
      "MASTERDOWN",
      "MISCONF",
      "MOVED",
      "NOREPLICAS",
      "NOSCRIPT",
      "OOM",
      "READONLY",
      "TRYAGAIN",
      "UNBLOCKED");

  private RedisErrors() {}

  /**
   * Makes an exception of an error answer.
   *
   * @param action what was asked, such as {@code acquire lock 'orders'}
   * @param address host and port
   * @param answer the error, which begins with its code
   * @param cause what the client library threw
   * @return {@link BackendUnavailableException} if another time, or with other rights, it may work;
   *     {@link OutcomeUnknownException} if something may have been changed; else a final
   *     {@link LockException}
   */
  public static LockException refused(
      String action, String address, String answer, @Nullable Throwable cause) {
    String code = code(answer);
    String found = "Redis at " + address + " refused to " + action + ": " + answer;
    if (answer.contains(ENDED_HALFWAY)) {
      return new OutcomeUnknownException(
          found + ". The slot is being moved, and part of the script may have run.", cause);
    }
    if (ACCESS.contains(code)) {
      return new BackendUnavailableException(
          found + ". Check user, password and rights (ACL).", cause);
    }
    if (code.equals("WRONGTYPE")) {
      return new LockException(
          found + ". Other software uses this key: choose another namespace.", cause);
    }
    if (REFUSED.contains(code)) {
      return new BackendUnavailableException(found, cause);
    }
    return new LockException(found, cause);
  }

  /**
   * Returns the code of an error answer: its first word, or, where a server before Redis 7 tells of
   * an error within a script, the first word of that error.
   *
   * @param answer the answer
   * @return the code, such as LOADING
   */
  public static String code(String answer) {
    int start = 0;
    if (answer.startsWith(IN_SCRIPT)) {
      int line = answer.indexOf(SCRIPT_LINE);
      int end = line < 0 ? -1 : answer.indexOf(": ", line + SCRIPT_LINE.length());
      start = end < 0 ? 0 : end + 2;
    }
    if (answer.startsWith("-", start)) {
      start++;
    }
    int blank = answer.indexOf(' ', start);
    return blank < 0 ? answer.substring(start) : answer.substring(start, blank);
  }
}
