package dev.interlock.compare.planted.redis.setnx;

/** A provider that is in order. */
public final class Setnx {
  private Setnx() {}
}
