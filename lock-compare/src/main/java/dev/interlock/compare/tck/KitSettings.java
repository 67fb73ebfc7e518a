package dev.interlock.compare.tck;

import dev.interlock.tck.Effort;
import dev.interlock.tck.TckRunner;
import java.nio.file.Path;
import java.util.Set;

/**
 * How the rules are run.
 *
 * @param rules which are run; empty for all
 * @param effort how much work goes into each
 * @param seed repeats the random choices
 * @param histories where the histories of rules that do not pass are saved
 * @param allHistories whether also those of the others are
 */
public record KitSettings(
    Set<String> rules, Effort effort, long seed, Path histories, boolean allHistories) {
  TckRunner applyTo(TckRunner runner) {
    TckRunner some = rules.isEmpty() ? runner : runner.only(rules);
    TckRunner set = some.effort(effort).seed(seed);
    return allHistories ? set.saveAllHistories(histories) : set.saveHistories(histories);
  }
}
