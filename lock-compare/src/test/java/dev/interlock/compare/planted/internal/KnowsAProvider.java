package dev.interlock.compare.planted.internal;

import dev.interlock.compare.planted.redis.setnx.Setnx;

/** The engine with a favourite. */
interface KnowsAProvider {
  Setnx provider();
}
