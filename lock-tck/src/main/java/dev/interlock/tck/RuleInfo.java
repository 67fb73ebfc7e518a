package dev.interlock.tck;

import dev.interlock.Capability;
import java.util.Optional;

/**
 * A rule of SPEC.md.
 *
 * @param id stable, for example "X1"
 * @param group the heading it stands under, for example "X exclusion"
 * @param strength MUST or SHOULD
 * @param level under which circumstances it must hold
 * @param capability the capability that brings it; empty if it binds every provider
 * @param title the rule in a few words, without a full stop
 * @param text what belongs to the rule besides; may be empty
 * @param intent why there is such a rule
 * @param test how the kit checks it, or "untested: " and the reason
 */
public record RuleInfo(
    String id,
    String group,
    Strength strength,
    Level level,
    Optional<Capability> capability,
    String title,
    String text,
    String intent,
    String test) {

  /**
   * Tells whether the kit checks this rule.
   *
   * @return false if {@link #test()} gives a reason why not
   */
  public boolean isTested() {
    return !test.startsWith("untested");
  }

  /** Returns id and title, as they are shown to people. */
  @Override
  public String toString() {
    return id + " " + title;
  }
}
