package dev.interlock.compare.planted.testservers.internal.redis;

import dev.interlock.compare.planted.testservers.internal.control.KnowsAServer;

/** A server that is started and stopped. */
public interface IsControlled {
  KnowsAServer control();
}
