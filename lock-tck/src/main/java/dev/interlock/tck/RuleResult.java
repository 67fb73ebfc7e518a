package dev.interlock.tck;

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
