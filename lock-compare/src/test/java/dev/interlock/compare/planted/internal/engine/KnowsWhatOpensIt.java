package dev.interlock.compare.planted.internal.engine;

import dev.interlock.compare.planted.internal.opening.Opener;

/** The engine that looks for a backend itself. */
public interface KnowsWhatOpensIt {
  Opener opener();
}
