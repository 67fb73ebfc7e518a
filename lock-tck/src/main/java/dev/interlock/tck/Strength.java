package dev.interlock.tck;

/** How binding a rule is. */
public enum Strength {
  /** A provider that breaks it is broken. */
  MUST,
  /** A provider that breaks it is worse than it could be. */
  SHOULD
}
