package dev.interlock.internal.running;

import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import org.jspecify.annotations.Nullable;

/** What is unknown stays so until there is an answer: a refusal of the repetition is none. */
public final class Unanswered {
  private Unanswered() {}

  /**
   * What to report.
   *
   * @param before what an earlier command of the same id, or none that is known of, failed with
   * @param error what its repetition failed with
   */
  public static OutcomeUnknownException after(@Nullable LockException before, LockException error) {
    if (error instanceof OutcomeUnknownException unknown) {
      return unknown;
    }
    OutcomeUnknownException still = new OutcomeUnknownException(
        "what was sent before may have taken effect, and asking again failed: "
            + error.getMessage(),
        error);
    if (before != null) {
      still.addSuppressed(before);
    }
    return still;
  }
}
