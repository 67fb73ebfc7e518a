package dev.interlock.tck;

/**
 * Hears of a run while it goes on. Called on the threads of the run, possibly on several at once:
 * implementations are thread-safe and quick.
 */
public interface TckProgress {

  /**
   * A rule begins.
   *
   * @param rule which one
   */
  default void started(RuleInfo rule) {}

  /**
   * A rule has its verdict.
   *
   * @param result the verdict
   */
  default void finished(RuleResult result) {}

  /**
   * Only rules are left that run one after the other: from now on the run leaves the processors to
   * others for most of its time. Called once, unless not even one lock could be taken; also if no
   * rule is left.
   */
  default void oneByOne() {}
}
