package dev.interlock.compare.tck;

import dev.interlock.tck.TckBackend;
import dev.interlock.tck.TckProgress;
import dev.interlock.tck.TckResult;
import dev.interlock.tck.TckRunner;

/** Runs the rules. There is one; tests put others in its place to see what a failure does. */
@FunctionalInterface
public interface RuleRunner {
  RuleRunner REAL = (backend, settings, progress) ->
      settings.applyTo(TckRunner.of(backend)).onProgress(progress).run();

  TckResult run(TckBackend backend, KitSettings settings, TckProgress progress);
}
