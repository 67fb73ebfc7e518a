package dev.interlock.testservers.internal.redis;

import dev.interlock.testservers.RedisSource;
import dev.interlock.testservers.internal.control.GivenServer;

/** A Redis server that somebody else started. */
final class GivenRedis extends RedisAtEndpoint {
  GivenRedis(RedisEndpoint endpoint) {
    super(endpoint, RedisSource.GIVEN.toString(), new GivenServer(endpoint.toString()));
    // A given server that does not answer is an error: going on with another one would hide it.
    endpoint.command("PING");
    reportsItself(endpoint.serverInfo());
  }
}
