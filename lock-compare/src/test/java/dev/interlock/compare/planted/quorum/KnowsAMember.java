package dev.interlock.compare.planted.quorum;

import dev.interlock.compare.planted.redis.setnx.Setnx;

/** A quorum that needs a member's jar, where it should take members of any provider. */
interface KnowsAMember {
  Setnx member();
}
