package dev.interlock.compare.servers;

import dev.interlock.testservers.DatabaseServer;
import dev.interlock.testservers.RedisServer;
import java.util.Optional;

/**
 * The account that may do everything on a server which was started for the comparison. Thread-safe;
 * its calls block until the server has answered, for 10 s at most.
 *
 * @param redis if it is a Redis server
 * @param database if it is a database server
 */
public record Admin(Optional<RedisServer> redis, Optional<DatabaseServer> database) {
  /** Of a server that is not ours, or of none. */
  public static final Admin NONE = new Admin(Optional.empty(), Optional.empty());

  static Admin of(RedisServer server) {
    return server.isControllable() ? new Admin(Optional.of(server), Optional.empty()) : NONE;
  }

  static Admin of(DatabaseServer server) {
    return server.isControllable() ? new Admin(Optional.empty(), Optional.of(server)) : NONE;
  }
}
