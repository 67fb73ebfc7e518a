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
}
