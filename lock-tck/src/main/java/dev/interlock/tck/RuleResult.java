package dev.interlock.tck;

import dev.interlock.tck.internal.run.TckRun;

/**
 * The verdict on one rule.
 *
 * @param id the rule's id
 * @param title the rule in a few words
 * @param level under which circumstances it was checked
 * @param verdict what was found
 * @param evidence what that rests on
 */
public record RuleResult(String id, String title, Level level, Verdict verdict, Evidence evidence) {

  /**
   * Tells whether this is a warning only: what a SHOULD rule asks for was not found. It neither
   * fails a build nor lowers a level.
   *
   * @return true for FAIL and INCONCLUSIVE of a rule that is not a MUST, unless a call hung, or
   *     threw what it must not, or the backend was in disorder afterwards: see
   *     {@link Evidence#outOfOrder()}
   */
  public boolean isWarning() {
    return isOpen()
        && !evidence.outOfOrder()
        && Rules.find(id).filter(rule -> rule.strength() == Strength.SHOULD).isPresent();
  }

  /**
   * Tells whether the backend broke the rule, or may have broken it, and must not.
   *
   * @return true for FAIL and INCONCLUSIVE that are no warning
   */
  public boolean isAgainst() {
    return isOpen() && !isWarning();
  }

  /**
   * Tells whether nothing could be said only because the backend's author gave the kit no way to
   * inject a fault of the server, or to count what it keeps.
   *
   * @return true for such an INCONCLUSIVE
   */
  public boolean isForWantOfMeans() {
    return TckRun.wantsMore(this);
  }

  private boolean isOpen() {
    return verdict == Verdict.FAIL || verdict == Verdict.INCONCLUSIVE;
  }

  /** Prints id, title, verdict and message, and the history if there is one. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(id).append(' ').append(title).append(": ").append(verdict);
    if (!evidence.message().isEmpty()) {
      text.append('\n').append(evidence.message().indent(2).stripTrailing());
    }
    for (String line : evidence.history()) {
      text.append("\n    ").append(line);
    }
    return text.toString();
  }
}
