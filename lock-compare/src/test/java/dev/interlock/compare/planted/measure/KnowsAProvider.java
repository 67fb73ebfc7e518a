package dev.interlock.compare.planted.measure;

import dev.interlock.compare.planted.redis.setnx.Setnx;

/** What measures, with a favourite. */
interface KnowsAProvider {
  Setnx other();
}
