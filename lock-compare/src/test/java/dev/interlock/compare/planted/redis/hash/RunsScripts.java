package dev.interlock.compare.planted.redis.hash;

import dev.interlock.compare.planted.redis.hash.internal.script.KnowsItsProvider;

/** A provider on scripts. */
public interface RunsScripts {
  KnowsItsProvider scripts();
}
