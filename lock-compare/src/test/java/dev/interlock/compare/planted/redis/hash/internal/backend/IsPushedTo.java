package dev.interlock.compare.planted.redis.hash.internal.backend;

import dev.interlock.compare.planted.redis.hash.internal.push.KnowsABackend;

/** A backend on what pushes. */
public interface IsPushedTo {
  KnowsABackend push();
}
