package dev.interlock.testservers.internal.database;

import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.PostgresServer;
import dev.interlock.testservers.internal.control.GivenServer;

/** A database server that somebody else started. */
final class GivenDatabase extends DatabaseAtEndpoint implements MysqlServer, PostgresServer {
  GivenDatabase(DatabaseEndpoint endpoint) {
    super(endpoint, "given URI", new GivenServer(endpoint.host() + ":" + endpoint.port()));
    reportsItself(endpoint.execute("SELECT VERSION()"));
  }
}
