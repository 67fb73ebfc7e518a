package dev.interlock.compare.planted.internal.engine;

import dev.interlock.compare.planted.internal.running.KnowsTheEngine;

/** The engine on what it runs on. */
public interface RunsOn {
  KnowsTheEngine threads();
}
