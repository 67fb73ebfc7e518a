package dev.interlock.tck.internal.history;

import java.util.List;
import java.util.Optional;

/**
 * What a check found.
 *
 * @param answer whether the history is as it must be
 * @param lines if it is not, the shortest part found that shows it, in words
 */
public record Judgement(Answer answer, List<String> lines) {

  /** Whether a history is as it must be. */
  public enum Answer {
    /** It is. */
    YES,
    /** It is not. */
    NO,
    /** The search was given up. */
    UNDECIDED
  }

  static Judgement of(Optional<Violation> violation) {
    return violation
        .map(found -> new Judgement(Answer.NO, found.lines()))
        .orElseGet(() -> new Judgement(Answer.YES, List.of()));
  }
}
