package dev.interlock.compare.planted.redis.hash;

import dev.interlock.compare.planted.redis.support.jedis.JedisPart;

/** A provider on Lettuce that needs Jedis. */
interface UsesTheJedisPart {
  JedisPart part();
}
