package dev.interlock.compare.planted.spring;

import dev.interlock.compare.planted.redis.setnx.Setnx;

/** A starter that knows more of a provider than its entry. */
public interface KnowsABackend {
  Setnx backend();
}
