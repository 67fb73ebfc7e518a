package dev.interlock.compare.planted.redis.hash;

import dev.interlock.compare.planted.redis.setnx.Setnx;

/** A provider that needs another one's jar. */
interface KnowsSetnx {
  Setnx other();
}
