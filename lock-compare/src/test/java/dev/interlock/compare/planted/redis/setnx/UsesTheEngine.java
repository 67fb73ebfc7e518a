package dev.interlock.compare.planted.redis.setnx;

import dev.interlock.compare.planted.internal.Engine;

/** A provider that goes past the SPI. */
interface UsesTheEngine {
  Engine engine();
}
