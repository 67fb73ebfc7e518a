package dev.interlock.compare.planted.testservers.internal.control;

import dev.interlock.compare.planted.testservers.internal.redis.IsControlled;

/** A control that knows what kind of server it runs. */
public interface KnowsAServer {
  IsControlled server();
}
