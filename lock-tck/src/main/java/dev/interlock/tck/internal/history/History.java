package dev.interlock.tck.internal.history;

import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * What several JVMs did, merged, and what it is judged by. Immutable.
 *
 * @param check the question
 * @param holds for the checks of holds; else none
 * @param calls for the check of calls; else none
 */
public record History(Check check, List<Hold> holds, List<Operation> calls) {

  /** What a history can be judged by. */
  public enum Check {
    /** Two holds of different owners on one name. */
    OVERLAP("holds of different owners do not overlap"),
    /** Holds of one name at once that are more than fits. */
    UNITS("holds at once are not more than the smallest capacity among them"),
    /** A token that is not larger than one before it. */
    TOKEN_ORDER("tokens grow from hold to hold"),
    /** Answers that no mutex could have given. */
    CALLS("an order of the calls explains their answers");

    private final String words;

    Check(String words) {
      this.words = words;
    }

    /** Says what must be so. */
    public String words() {
      return words;
    }

    String columns() {
      return this == CALLS ? Operation.COLUMNS : Hold.COLUMNS;
    }
  }

  public History {
    holds = List.copyOf(holds);
    calls = List.copyOf(calls);
  }

  /** Asks for holds of different owners that overlap. */
  public static History ofOverlaps(List<Hold> holds) {
    return new History(Check.OVERLAP, holds, List.of());
  }

  /** Asks for holds at once that are more than the smallest capacity among them. */
  public static History ofUnits(List<Hold> holds) {
    return new History(Check.UNITS, holds, List.of());
  }

  /** Asks for tokens out of order. */
  public static History ofTokens(List<Hold> holds) {
    return new History(Check.TOKEN_ORDER, holds, List.of());
  }

  /** Asks whether a re-entrant, fenced mutex could have answered so. */
  public static History ofCalls(List<Operation> calls) {
    return new History(Check.CALLS, List.of(), calls);
  }

  static History ofRows(Check check, List<String> rows) {
    return check == Check.CALLS
        ? ofCalls(rows.stream().map(Operation::ofRow).toList())
        : new History(check, rows.stream().map(Hold::ofRow).toList(), List.of());
  }

  /** Judges it; again, it gives the same. */
  public Judgement judge() {
    return check == Check.CALLS ? Linearizability.check(calls) : Judgement.of(violation());
  }

  /** Returns the holds that cannot both be right; none for the check of calls. */
  public Optional<Violation> violation() {
    return switch (check) {
      case OVERLAP -> HistoryChecker.overlap(holds);
      case UNITS -> HistoryChecker.units(holds);
      case TOKEN_ORDER -> HistoryChecker.tokenOrder(holds);
      case CALLS -> Optional.empty();
    };
  }

  /** Returns how many holds or calls there are. */
  public int size() {
    return holds.size() + calls.size();
  }

  /** Returns the rows of a file, with times counted from the first of them. */
  Stream<String> rows() {
    long start = LongStream.concat(
            holds.stream().mapToLong(Hold::acquired), calls.stream().mapToLong(Operation::called))
        .min()
        .orElse(0);
    return Stream.concat(
        holds.stream().map(hold -> hold.since(start).row()),
        calls.stream().map(call -> call.since(start).row()));
  }
}
