package dev.interlock.compare.planted.redis.support;

import dev.interlock.compare.planted.redis.support.jedis.JedisPart;

/** What the Redis providers share, with Jedis, which they would all get. */
interface KnowsItsJedisPart {
  JedisPart part();
}
