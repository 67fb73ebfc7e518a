package dev.interlock.tck.internal.history;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a check found.
 *
 * @param answer whether the history is as it must be
 * @param lines if it is not, the shortest part found that shows it, in words
 * @param violation if it is not because of two holds, these
 */
public record Judgement(
    Answer answer, List<String> lines, @Nullable Violation violation) {

  /** Of a check that is not about two holds. */
  Judgement(Answer answer, List<String> lines) {
    this(answer, lines, null);
  }

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
        .map(found -> new Judgement(Answer.NO, found.lines(), found))
        .orElseGet(() -> new Judgement(Answer.YES, List.of()));
  }
}
