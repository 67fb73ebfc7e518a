package dev.interlock.tck.internal.history;

import java.io.Serializable;
import java.util.List;

/**
 * A call as its caller saw it. Times are readings of {@link System#nanoTime()}.
 *
 * @param kind what was asked, and what came of it
 * @param name the lock
 * @param owner who asked
 * @param token what an {@link Kind#ACQUIRED} was given; 0 where there are no tokens
 * @param called when the call began
 * @param returned when it ended; {@link Long#MAX_VALUE} if that is not known, and then it may have
 *     happened or not
 */
public record Operation(
    Kind kind, String name, String owner, long token, long called, long returned)
    implements Serializable {

  /** What a call asked for and got. */
  public enum Kind {
    /** An entry, the first one or a further one. */
    ACQUIRED,
    /** An attempt that was answered "held by another". */
    REFUSED,
    /** An entry was given back. */
    RELEASED
  }

  static final String COLUMNS = Row.of("kind", "name", "owner", "token", "called", "returned");

  String row() {
    return Row.of(kind, name, owner, token, called, returned);
  }

  static Operation ofRow(String row) {
    List<String> columns = Row.columns(row);
    return new Operation(
        Kind.valueOf(columns.get(0)),
        columns.get(1),
        columns.get(2),
        Long.parseLong(columns.get(3)),
        Long.parseLong(columns.get(4)),
        Long.parseLong(columns.get(5)));
  }

  /** Returns the same with times counted from a moment. */
  Operation since(long start) {
    long end = isAnswered() ? returned - start : returned;
    return new Operation(kind, name, owner, token, called - start, end);
  }

  /** Returns the same, of which only the call is known. */
  public Operation unanswered() {
    return new Operation(kind, name, owner, token, called, Long.MAX_VALUE);
  }

  /** Returns the same, as from a lock without tokens. */
  public Operation withoutToken() {
    return new Operation(kind, name, owner, 0, called, returned);
  }

  boolean isAnswered() {
    return returned != Long.MAX_VALUE;
  }
}
