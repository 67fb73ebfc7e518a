package dev.interlock.compare.planted.redis.support;

import tools.jackson.databind.JsonNode;

/** What the Redis providers share, with a library that they would all get. */
interface UsesALibrary {
  JsonNode json();
}
