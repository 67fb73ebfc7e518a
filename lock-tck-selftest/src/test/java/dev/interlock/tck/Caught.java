package dev.interlock.tck;

/** When a broken store or client counts as found out. */
final class Caught {
  private Caught() {}

  /** Also if it failed each time while the machine stood still, which only says less. */
  static boolean is(RuleResult rule) {
    return rule.verdict() == Verdict.FAIL
        || (rule.verdict() == Verdict.INCONCLUSIVE
            && rule.evidence().message().contains("it failed again"));
  }
}
