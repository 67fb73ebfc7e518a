package dev.interlock.compare.planted.redis.hash.internal.script;

import dev.interlock.compare.planted.redis.hash.RunsScripts;

/** Scripts that need what opens them. */
public interface KnowsItsProvider {
  RunsScripts provider();
}
