package dev.interlock.compare.planted.internal.running;

import dev.interlock.compare.planted.internal.engine.RunsOn;

/** What the engine runs on, and that stands on the engine. */
public interface KnowsTheEngine {
  RunsOn engine();
}
