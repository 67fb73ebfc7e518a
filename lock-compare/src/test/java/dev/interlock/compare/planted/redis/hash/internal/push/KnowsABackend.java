package dev.interlock.compare.planted.redis.hash.internal.push;

import dev.interlock.compare.planted.redis.hash.internal.backend.IsPushedTo;

/** What pushes, and stands on what is pushed to. */
public interface KnowsABackend {
  IsPushedTo backend();
}
