package dev.interlock.tck;

/** What a run found out about one rule. */
public enum Verdict {
  /** The rule was exercised and no violation was observed. */
  PASS,
  /** The rule was violated, or a call hung. */
  FAIL,
  /** The situation that the rule is about was not reached, so nothing can be said. */
  INCONCLUSIVE,
  /** The provider does not declare the capability, and refuses calls that need it. */
  NOT_CLAIMED,
  /** The backend's author set the rule aside; the evidence says what it would have been. */
  WAIVED
}
