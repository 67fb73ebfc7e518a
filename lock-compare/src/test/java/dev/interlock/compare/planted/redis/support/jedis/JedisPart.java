package dev.interlock.compare.planted.redis.support.jedis;

/** Shared by the providers on Jedis, and in order. */
public final class JedisPart {
  private JedisPart() {}
}
